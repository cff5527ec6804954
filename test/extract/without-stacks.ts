/** Drops the stacks of errors that nobody reads: for thousands of refused documents they take as long as the reading. */
export function withoutStacks<T>(read: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return read();
  } finally {
    Error.stackTraceLimit = before;
  }
}
