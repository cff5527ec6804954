import type { AuthoredStreams, StreamReason } from "./streams.ts";

/** Choices about a description: which of its streams are written, and for which values of its settings. */
export interface AuthoringOptions {
  /** Names of streams; for a collection, patterns for requests. If the list is empty, all are written. */
  readonly only: readonly string[];
  /** Values of settings by their dotted paths (`--set`). */
  readonly settingValues: ReadonlyMap<string, string>;
  /** Streams to leave out, with the reasons. */
  readonly refusedStreams: readonly StreamReason[];
}

/** A fault that the check of a configuration finds. */
export interface CheckFault {
  /** JSON pointer in the configuration. */
  readonly pointer: string;
  readonly message: string;
}

/** Returns the configuration without the streams that the check refuses. `leftOut` contains them with the message of the check. */
export function authorAccepted(
  authorWith: (options: AuthoringOptions) => AuthoredStreams,
  options: AuthoringOptions,
  check: (authored: AuthoredStreams) => CheckFault | undefined,
): AuthoredStreams {
  const author = (only: readonly string[], refusedStreams: readonly StreamReason[]): AuthoredStreams =>
    authorWith({ ...options, only, refusedStreams: [...options.refusedStreams, ...refusedStreams] });
  const refusedStreams: StreamReason[] = [];
  let authored = author(options.only, refusedStreams);
  while (authored.streams.length > 0) {
    const fault = check(authored);
    if (fault === undefined) return authored;
    const reason = `the check refuses it: ${fault.message}`;
    const streamOfFault = streamAt(authored, fault.pointer);
    // If the fault is outside of all jobs, each stream is checked alone. If no stream is to blame, all are left out.
    const faultyStreams =
      streamOfFault === undefined
        ? authored.streams.filter((stream) => check(author([stream], [])) !== undefined)
        : [streamOfFault];
    const isNew = faultyStreams.some((stream) => !refusedStreams.some((one) => one.stream === stream));
    const streams = isNew ? faultyStreams : authored.streams;
    refusedStreams.push(...streams.map((stream) => ({ stream, reason })));
    authored = author(options.only, refusedStreams);
  }
  return authored;
}

/** Returns the stream of the innermost job that contains a JSON pointer; undefined if the pointer is outside of all jobs. */
function streamAt({ places }: AuthoredStreams, pointer: string): string | undefined {
  const above = [...places].filter(([place]) => pointer === place || pointer.startsWith(`${place}/`));
  const [nearest] = above.sort(([a], [b]) => b.length - a.length);
  return nearest?.[1];
}

/** Returns whether a path is wanted. */
export type PathFilter = (path: string) => boolean;

/** Creates a filter for paths that match one of the patterns, in which `*` matches any text. Without patterns all paths match. */
export function pathFilter(patterns: readonly string[]): PathFilter {
  if (patterns.length === 0) return () => true;
  const pieces = patterns.map((pattern) => pattern.split("*"));
  return (path) => pieces.some((texts) => consistsOf(path, texts));
}

/**
 * Returns whether a path consists of these texts in order, with any text between them. Trying the first occurrence of each text
 * is enough.
 */
function consistsOf(path: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let place = first.length;
  for (const text of others) {
    const found = path.indexOf(text, place);
    if (found < 0) return false;
    place = found + text.length;
  }
  return path.length - last.length >= place && path.endsWith(last);
}
