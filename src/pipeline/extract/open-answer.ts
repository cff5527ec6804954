import type { ReadingPlan } from "../../compile/jobs/reading-plan.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { pathsOf } from "../../core/runs/response-source.ts";
import type { Path } from "../../core/values/path.ts";
import type { RecordLines } from "../../extract/document-options.ts";
import { formatOf } from "../../extract/format/format.ts";
import { createReader } from "../../extract/format/index.ts";
import { withVolume } from "../../extract/json-volume.ts";
import { unpack } from "../../extract/packed/unpack.ts";
import type { RecordReader } from "../../extract/record-reader.ts";
import { transcoder } from "../../http/body/charset.ts";
import type { Answer } from "../../http/exchange/session.ts";
import { toleratedBody } from "./tolerated-body.ts";

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
