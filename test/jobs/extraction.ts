import { type Configuration, type ExtractOptions, extract, type RunEvent, type RunResult } from "../../src/index.ts";

/** A run that has ended: its lines as written, its warnings, and its result. */
export interface Extracted {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly result: RunResult;
}

/** Runs a configuration, given as an object or as text, to its end. */
export async function extractAll(configuration: unknown, options: ExtractOptions = {}): Promise<Extracted> {
  const events: RunEvent[] = [];
  const text = typeof configuration === "string" ? configuration : JSON.stringify(configuration as Configuration);
  const extraction = extract(text, { ...options, environment: {}, onEvent: (event) => events.push(event) });
  let output = "";
  try {
    for await (const chunk of extraction.setEncoding("utf8")) output += chunk;
  } catch {
    // The result contains the failure.
  }
  const result = await extraction.result;
  const warnings = events.filter(({ event }) => event === "warning").map(({ message }) => message);
  return { lines: output.split("\n").slice(0, -1), warnings, result };
}
