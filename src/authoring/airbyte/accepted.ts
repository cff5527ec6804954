import type { AuthoredManifest, LeftOut } from "./assemble.ts";

/** Choices about a description: which of its streams are written, and for which values of its settings. */
export interface AuthoringOptions {
  /** Names of the streams that are wanted; all if empty. */
  readonly only: readonly string[];
  /** Values of settings on which the shape of the configuration depends. */
  readonly given: ReadonlyMap<string, string>;
  /** Streams that are left out for another reason, such as a fault that the check found. */
  readonly refused: readonly LeftOut[];
}

/** A fault that the check of a configuration finds. */
export interface CheckFault {
  readonly pointer: string;
  readonly message: string;
}

/** Returns the configuration without the streams that the check refuses; each is left out with what the check says. */
export function authorAccepted(
  authorWith: (options: AuthoringOptions) => AuthoredManifest,
  options: AuthoringOptions,
  check: (authored: AuthoredManifest) => CheckFault | undefined,
): AuthoredManifest {
  const author = (only: readonly string[], refused: readonly LeftOut[]): AuthoredManifest =>
    authorWith({ ...options, only, refused: [...options.refused, ...refused] });
  const refused: LeftOut[] = [];
  let authored = author(options.only, refused);
  while (authored.streams.length > 0) {
    const fault = check(authored);
    if (fault === undefined) return authored;
    const reason = `the check refuses it: ${fault.message}`;
    const named = streamAt(authored, fault.pointer);
    const alone =
      named === undefined ? authored.streams.filter((stream) => check(author([stream], [])) !== undefined) : [named];
    const isNew = alone.some((stream) => !refused.some((one) => one.stream === stream));
    const streams = isNew ? alone : authored.streams;
    refused.push(...streams.map((stream) => ({ stream, reason })));
    authored = author(options.only, refused);
  }
  return authored;
}

/** Returns the stream of the innermost job that contains a JSON pointer; undefined if it points outside of all jobs. */
function streamAt({ places }: AuthoredManifest, pointer: string): string | undefined {
  const above = [...places].filter(([place]) => pointer === place || pointer.startsWith(`${place}/`));
  const [nearest] = above.sort(([a], [b]) => b.length - a.length);
  return nearest?.[1];
}
