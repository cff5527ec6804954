import type { ReadingPlan } from "../../compile/jobs/reading-plan.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { pathsOf } from "../../core/runs/response-source.ts";
import type { Path } from "../../core/values/path.ts";
import { DocumentReader, IncompleteDocument } from "../../extract/document.ts";
import type { RecordLines } from "../../extract/document-options.ts";
import { formatOf } from "../../extract/format/format.ts";
import { createReader } from "../../extract/format/index.ts";
import { withVolume } from "../../extract/json-volume.ts";
import { unpack } from "../../extract/packed/unpack.ts";
import type { RecordReader } from "../../extract/record-reader.ts";
import { transcoder } from "../../http/body/charset.ts";
import { type Answer, TransportFault } from "../../http/exchange/session.ts";

/** An answer's body, unpacked, and the reader of its records. */
export interface OpenedAnswer {
  readonly body: AsyncIterable<Buffer>;
  readonly reader: RecordReader;
  /** Each body of this format shows where it ends. */
  readonly ends: boolean;
}

/** Opens an answer. A tolerated one is an error's: it is JSON, or made into it. */
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
  if (tolerated) return { body: toleratedBody(answer, maxStringBytes), reader, ends };
  const { compression = "auto", member } = format;
  const decode = () => transcoder(answer.contentType, () => answer.url, format.charset);
  return { body: unpack(answer.body, { compression, member, maxBytes: maxResponseBytes, decode }), reader, ends };
}

/** Returns the list of the scroll itself if nothing else is watched, so that what a job wants is compiled once. */
function watchedBy({ scroll, increment, policy: { rules } }: JobPlan): readonly Path[] {
  const source = increment?.source;
  // Paths that show, in a response, how far the job has come.
  const responsePaths = source !== undefined && "response" in source ? pathsOf([source.response], "path") : [];
  if (rules.length + responsePaths.length === 0) return scroll.watch;
  return [...scroll.watch, ...responsePaths, ...rules.flatMap(({ paths }) => paths)];
}

/**
 * Yields the body of an answer with an ignored error status: a JSON document as it is, any other text as `{"errorData": <text>}`
 * (`ignoreErrors`, contract C-11.10). A body longer than `most` bytes counts as JSON. Throws TransportFault if the end of its
 * connection has cut it.
 */
async function* toleratedBody({ body, framed }: Answer, most: number): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes <= most) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= most) continue;
    yield* chunks.splice(0);
    if (chunks.length === 0 && bytes - chunk.length > most) yield chunk;
  }
  if (bytes > most) return;
  const whole = Buffer.concat(chunks);
  const text = whole.toString();
  if (isJson(text)) yield whole;
  else if (!framed && isCutJson(whole)) throw new TransportFault("the connection was closed before the document's end");
  // Byte by byte, so that bytes that are not UTF-8 are noticed as elsewhere.
  else yield Buffer.from(JSON.stringify({ errorData: whole.toString("latin1") }), "latin1");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the bytes are the beginning of a JSON list or object, and no more. */
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
