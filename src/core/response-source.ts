import { type PageSummary, type Watched, watchKey } from "./page.ts";
import { type Path, parsePath, pathText } from "./path.ts";

/** A value of a response as configured: a path in the body, a header, or a path in the last record of the page. */
export type ConfiguredSource =
  | string
  | { readonly path?: string; readonly delimiter?: string; readonly header?: string; readonly lastRecord?: string };

export type SourceInResponse = { readonly path: Path } | { readonly header: string } | { readonly lastRecord: Path };

export function sourceOf(source: ConfiguredSource, delimiter?: string): SourceInResponse {
  if (typeof source === "string") return { path: parsePath(source, delimiter) };
  if (source.header !== undefined) return { header: source.header };
  if (source.lastRecord !== undefined) return { lastRecord: parsePath(source.lastRecord, source.delimiter) };
  return { path: parsePath(source.path ?? "", source.delimiter ?? delimiter) };
}

/** A text that no other source has. */
export function sourceKey(source: SourceInResponse): string {
  if ("header" in source) return `header ${source.header.toLowerCase()}`;
  return "lastRecord" in source ? `last ${watchKey(source.lastRecord)}` : watchKey(source.path);
}

/** Where it stands, to stand behind a noun: `at "meta.next"`, `in the header X-Next`, `at "id" of the last record`. */
export function sourceText(source: SourceInResponse): string {
  if ("header" in source) return `in the header ${source.header}`;
  if ("lastRecord" in source) return `at "${pathText(source.lastRecord)}" of the last record`;
  return `at "${pathText(source.path)}"`;
}

/** Its name alone: `"meta.next"`, `the header X-Next`, `"id" of the last record`. */
export function sourceName(source: SourceInResponse): string {
  return sourceText(source).replace(/^(at|in) /, "");
}

/** The value; a header that is absent or empty is missing. */
export function readSource(
  source: SourceInResponse,
  { watched, last, header }: Pick<PageSummary, "watched" | "last" | "header">,
): Watched | undefined {
  if ("path" in source) return watched.get(watchKey(source.path));
  if ("lastRecord" in source) return last.get(watchKey(source.lastRecord));
  const text = header(source.header)?.trim() ?? "";
  return text === "" ? undefined : { type: "string", text, empty: false };
}

/** The paths of a kind among sources. */
export function pathsOf(sources: readonly SourceInResponse[], kind: "path" | "lastRecord"): readonly Path[] {
  return sources.flatMap((source) => {
    if (kind === "path") return "path" in source ? [source.path] : [];
    return "lastRecord" in source ? [source.lastRecord] : [];
  });
}
