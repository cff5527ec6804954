/** For thousands of documents that are refused: the stacks of their errors, which nobody reads, take as long as the reading. */
export function withoutStacks<T>(read: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return read();
  } finally {
    Error.stackTraceLimit = before;
  }
}
