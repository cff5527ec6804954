import type { Writable } from "node:stream";
import type { Datasets } from "../../core/runs/dataset.ts";
import type { Lines } from "../../core/runs/lines.ts";
import type { Sink } from "../sink.ts";
import { streamSink } from "../stream-sink.ts";
import { recordBeginning, recordMessages, schemaMessage } from "./messages.ts";

/** Writes lines to a stream as Singer messages. The schema of each dataset comes before its first record. */
export function singerSink(output: Writable, datasets: Datasets): Sink {
  const announced = new Set<string>();
  return streamSink(output, ({ dataset, bytes, records, time = Date.now() }: Lines) => {
    const datasetInfo = datasets.get(dataset) ?? { name: dataset };
    const messages = recordMessages(bytes, records, recordBeginning(datasetInfo.name, time));
    if (announced.has(dataset)) return messages;
    announced.add(dataset);
    return Buffer.concat([Buffer.from(schemaMessage(datasetInfo)), messages]);
  });
}
