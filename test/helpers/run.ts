import { Writable } from "node:stream";
import { readConfiguration } from "../../src/compile/read.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import type { RunOptions, RunResult } from "../../src/core/runs/run.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";
import { run } from "../../src/pipeline/run.ts";

export interface Outcome {
  readonly result: RunResult;
  /** Everything that the reader has received. */
  readonly output: string;
  readonly events: readonly RunEvent[];
}

/** Creates a reader that takes everything at once. */
export function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      // The chunk is copied, so that a buffer that is reused too early would be noticed.
      chunks.push(Buffer.from(chunk));
      callback();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

/** Runs a configuration within this process, with waits of 1 ms before retries. */
export async function runHere(configuration: unknown, options: Partial<RunOptions> = {}): Promise<Outcome> {
  const secrets = new Secrets();
  const text = typeof configuration === "string" ? configuration : JSON.stringify(configuration);
  await loadPatterns(text);
  const loaded = readConfiguration(text, {
    name: "test",
    set: new Map(),
    environment: options.variables ?? {},
    strict: false,
    secrets,
  });
  const events: RunEvent[] = [];
  const { stream, text: output } = collector();
  const result = await run(loaded, {
    target: { kind: "stream", stream },
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    secrets,
    backoff: () => 1,
    ...options,
  });
  return { result, output: output(), events };
}
