import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { authorManifest } from "../../src/authoring/airbyte/author.ts";
import { readManifest } from "../../src/authoring/airbyte/manifest.ts";
import { authorAccepted } from "../../src/authoring/described/choice.ts";
import type { StreamReason } from "../../src/authoring/described/streams.ts";
import { jsonWithComments } from "../../src/authoring/jsonc.ts";
import { checkFault } from "../../src/cli/check-fault.ts";
import { messageOf, SpileError } from "../../src/core/errors.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";

/*
 * Converts all manifests of a folder and prints how many of them are complete, and why the others are not. Usage: `npm run
 * manifests -- FOLDER [--streams]`. The folder is not part of this repository; it contains Airbyte manifests at any depth.
 */

await loadPatterns('"matches"');

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) {
  process.stdout.write("skipped: no folder is named; npm run manifests -- FOLDER\n");
} else {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:^|[\\/])manifest\.ya?ml$/.test(name))
    .sort();
  const results = files.map((name) => {
    const start = Date.now();
    const result = { name, ...convert(join(folder, name)) };
    if (process.env.SLOW !== undefined && Date.now() - start > 500)
      process.stderr.write(`${name} ${Date.now() - start} ms\n`);
    if (process.env.SLOW === "all") process.stderr.write(`${name}\n`);
    return result;
  });
  const whole = results.filter(({ leftOut, failure }) => failure === undefined && leftOut.length === 0);
  const plain = whole.filter(({ differences }) => differences.length === 0);
  const streams = results.reduce((sum, one) => sum + one.streams, 0);
  const left = results.flatMap(({ leftOut }) => leftOut);
  process.stdout.write(
    [
      `${results.length} manifests: ${whole.length} with all streams, ${plain.length} of them without a difference`,
      `${results.filter((one) => one.failure === undefined && one.streams > 0).length} with a configuration, ${results.filter((one) => one.failure === undefined && one.streams === 0).length} with only reasons, ${results.filter((one) => one.failure !== undefined).length} with an unexpected error`,
      `${streams} streams written, ${left.length} left out`,
      "",
    ].join("\n"),
  );
  const failures = results.flatMap(({ name, failure }) => (failure === undefined ? [] : [{ name, reason: failure }]));
  for (const { name, reason } of failures) process.stdout.write(`ERROR ${relative(".", name)}: ${reason}\n`);
  table("left out", results, ({ leftOut }) => leftOut);
  table("differences", results, ({ differences }) => differences);
  if (options.includes("--streams")) {
    for (const { name, leftOut, differences } of results) {
      for (const one of leftOut) process.stdout.write(`LEFT  ${name} ${one.stream}: ${one.reason}\n`);
      for (const one of differences) process.stdout.write(`NOTE  ${name} ${one.stream}: ${one.reason}\n`);
    }
  }
}

interface Result {
  readonly streams: number;
  readonly leftOut: readonly StreamReason[];
  readonly differences: readonly StreamReason[];
  readonly failure: string | undefined;
}

function convert(file: string): Result {
  try {
    const manifest = readManifest(readFileSync(file, "utf8"), file);
    const { streams, leftOut, differences, filters } = authorAccepted(
      (options) => authorManifest(manifest, options),
      { only: [], settingValues: new Map(), refusedStreams: [] },
      (authored) => checkFault(jsonWithComments(authored.configuration, authored.comments)),
    );
    if (process.env.JQ !== undefined) for (const line of filters) process.stdout.write(`JQ ${line}\n`);
    return { streams: streams.length, leftOut, differences, failure: undefined };
  } catch (error) {
    const failure = error instanceof SpileError ? undefined : messageOf(error);
    const reason = error instanceof SpileError ? error.message : "";
    return { streams: 0, leftOut: [{ stream: "", reason }], differences: [], failure };
  }
}

/** Prints each reason with the number of its manifests. Reasons that differ only in names and texts count as one. */
function table(
  title: string,
  results: readonly (Result & { readonly name: string })[],
  reasons: (result: Result) => readonly StreamReason[],
): void {
  const found = new Map<string, Set<string>>();
  for (const result of results)
    for (const { reason } of reasons(result)) {
      const kind = reason
        .replace(/"[^"]*"|'[^']*'/g, "..")
        .replace(/: .*$/s, "")
        .slice(0, 110);
      found.set(kind, new Set([...(found.get(kind) ?? []), result.name]));
    }
  process.stdout.write(`\n${title}\n`);
  for (const [reason, names] of [...found].sort(([, a], [, b]) => b.size - a.size))
    process.stdout.write(`${String(names.size).padStart(5)}  ${reason}\n`);
}
