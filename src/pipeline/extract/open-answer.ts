import type { ReadingPlan } from "../../compile/jobs/reading-plan.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { pathsOf } from "../../core/runs/response-source.ts";
import type { Path } from "../../core/values/path.ts";
import { isJson } from "../../core/values/value.ts";
import { DocumentReader, IncompleteDocument } from "../../extract/document.ts";
import type { RecordLines } from "../../extract/document-options.ts";
import { formatOf, mayBeDocument } from "../../extract/format/format.ts";
import { createReader } from "../../extract/format/index.ts";
import { LoneDocument } from "../../extract/format/lone-document.ts";
import { withVolume } from "../../extract/json-volume.ts";
import { unpack } from "../../extract/packed/unpack.ts";
import type { RecordReader } from "../../extract/record-reader.ts";
import { transcoder } from "../../http/body/charset.ts";
import { type Answer, TransportFault } from "../../http/exchange/session.ts";

/** The unpacked body of an answer, and the reader of its records. */
export interface OpenedAnswer {
  readonly body: AsyncIterable<Buffer>;
  readonly reader: RecordReader;
  /** True if the format itself shows whether a body is complete. */
  readonly ends: boolean;
  /** Keeps a short body that may be a JSON object although another format is configured. Rules that read paths need it. */
  readonly wholeBody: LoneDocument | undefined;
  /**
   * Keeps a short body that is not compressed as configured, for the same rules. Is the same as `wholeBody` if that is present.
   */
  readonly rawBody: LoneDocument | undefined;
}

/** Opens an answer. An answer with a tolerated error status is read as JSON, after being converted to it if necessary. */
export async function openAnswer(
  answer: Answer,
  plan: JobPlan,
  options: ReadingPlan,
  lines: RecordLines,
): Promise<OpenedAnswer> {
  const tolerated = answer.kind === "tolerated";
  const format = tolerated ? ({ type: "json" } as const) : formatOf(plan.format, answer.contentType);
  const { maxDepth, maxRecordBytes, maxStringBytes, maxResponseBytes, remedies } = options;
  const created = await createReader(format, {
    dataField: plan.dataField,
    selection: plan.selection,
    elementPaths: plan.scroll.lastRecord,
    watch: watchedBy(plan),
    evidence: plan.scroll.evidence,
    maxDepth,
    maxRecordBytes,
    maxStringBytes,
    remedies,
    lines,
  });
  const isJson = format.type === "json" || format.type === "ndjson";
  const reader = plan.scroll.volume && isJson ? withVolume(created) : created;
  const ends = format.type === "json";
  const readsPaths = plan.policy.rules.some(({ paths }) => paths.length > 0);
  const wholeBody = readsPaths && mayBeDocument(format.type, answer.contentType) ? new LoneDocument() : undefined;
  if (tolerated) return { body: toleratedBody(answer, maxStringBytes), reader, ends, wholeBody, rawBody: wholeBody };
  const { compression = "auto", member } = format;
  const rawBody = wholeBody ?? (readsPaths ? new LoneDocument() : undefined);
  const decode = () => transcoder(answer.contentType, () => answer.url, format.charset);
  return {
    body: unpack(answer.body, { compression, member, maxBytes: maxResponseBytes, decode, misfit: rawBody }),
    reader,
    ends,
    wholeBody,
    rawBody,
  };
}

/**
 * Returns the watched paths. If there are no other paths, it returns the scroll's own array, since compiled needs are cached by
 * the identity of the array.
 */
function watchedBy({ scroll, increment, policy: { rules } }: JobPlan): readonly Path[] {
  const source = increment?.source;
  // Paths of the increment's value in the response.
  const responsePaths = source !== undefined && "response" in source ? pathsOf([source.response], "path") : [];
  if (rules.length + responsePaths.length === 0) return scroll.watch;
  return [...scroll.watch, ...responsePaths, ...rules.flatMap(({ paths }) => paths)];
}

/**
 * Yields the body of an answer with an ignored error status: a JSON document unchanged, any other text as `{"errorData": <text>}`
 * (`ignoreErrors`, contract C-11.10). A body longer than `maximumBytes` is passed on unchanged. Throws TransportFault if the body
 * was cut by the end of its connection.
 */
async function* toleratedBody({ body, framed }: Answer, maximumBytes: number): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes <= maximumBytes) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maximumBytes) continue;
    yield* chunks.splice(0);
    if (chunks.length === 0 && bytes - chunk.length > maximumBytes) yield chunk;
  }
  if (bytes > maximumBytes) return;
  const bodyBytes = Buffer.concat(chunks);
  const text = bodyBytes.toString();
  if (isJson(text)) yield bodyBytes;
  else if (!framed && isCutJson(bodyBytes))
    throw new TransportFault("the connection was closed before the document's end");
  // Latin-1 keeps each byte, so that invalid UTF-8 is found as in other bodies.
  else yield Buffer.from(JSON.stringify({ errorData: bodyBytes.toString("latin1") }), "latin1");
}

/** Returns whether bytes are an incomplete JSON list or object. */
function isCutJson(bytes: Buffer): boolean {
  if (!/^\s*[{[]/.test(bytes.toString("latin1", 0, 100))) return false;
  const reader = new DocumentReader({ dataField: [], watch: [], evidence: false, lines: () => undefined });
  try {
    reader.write(bytes);
    reader.end();
    return false;
  } catch (error) {
    return error instanceof IncompleteDocument;
  } finally {
    reader.close();
  }
}
