import type { Format, FormatOptions, FormatType } from "../../generated/configuration.ts";

/**
 * Returns the format of a response: the one that the job configures, else NDJSON if the Content-Type says so, else JSON
 * (contract C-19).
 */
export function formatOf(configured: Format | undefined, contentType: string | undefined): FormatOptions {
  if (configured !== undefined && typeof configured !== "string") return configured;
  const type = mediaType(contentType);
  return { type: configured ?? (lineTypes.has(type) ? "ndjson" : "json") };
}

function mediaType(contentType: string | undefined): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

const lineTypes: ReadonlySet<string> = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonlines",
  "application/json-seq",
]);

/**
 * Returns whether a body of a format other than JSON may be a JSON document instead, such as an API's error. Each line of NDJSON
 * is a JSON document itself, so for NDJSON the Content-Type must name JSON.
 */
export function mayBeDocument(format: FormatType, contentType: string | undefined): boolean {
  if (format === "json") return false;
  if (format !== "ndjson") return true;
  const type = mediaType(contentType);
  return !lineTypes.has(type) && /^[^;]*[/+]json$/.test(type);
}

export function charsetOf(configured: Format | undefined): string | undefined {
  return typeof configured === "object" ? configured.charset : undefined;
}

/** Returns whether a format consists of rows of texts, not of JSON. */
export function isDelimited(type: FormatType): boolean {
  return type === "csv" || type === "tsv";
}

/** Describes the format for `check`; empty for plain JSON. */
export function formatWords(configured: Format | undefined): readonly string[] {
  if (configured === undefined || configured === "json") return [];
  const { type, compression, member } = formatOf(configured, undefined);
  const packed = compression === "gzip" || compression === "zip" ? ` in ${compression}` : "";
  return [`reads ${type}${packed}${member === undefined ? "" : `, members ${JSON.stringify(member)}`}`];
}
