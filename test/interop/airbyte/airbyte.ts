import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { authorManifest } from "../../../src/authoring/airbyte/author.ts";
import { readManifest } from "../../../src/authoring/airbyte/manifest.ts";
import { authorAccepted } from "../../../src/authoring/described/choice.ts";
import type { AuthoredStreams } from "../../../src/authoring/described/streams.ts";
import { jsonWithComments } from "../../../src/authoring/jsonc.ts";
import { checkFault } from "../../../src/cli/check-fault.ts";
import { messageOf } from "../../../src/core/errors.ts";
import { loadPatterns } from "../../../src/expression/pattern.ts";
import { type Finished, spile, startCommand, temporaryFolder } from "../../helpers/cli.ts";
import { install } from "../../helpers/virtual-environment.ts";

/*
 * Compares spile with Airbyte's own CDK. For each manifest of a folder, a fake API answers as the manifest expects; spile reads
 * it with the converted configuration, and the CDK reads it with the manifest. The records of a stream are equal if the same
 * requests, apart from paging and times, returned the same records in the same order. Manifests are not part of this repository.
 */

const packages = ["airbyte-cdk==7.39.1"];
const runner = fileURLToPath(new URL("runner.py", import.meta.url));
type Verdict = "equal" | "unequal" | "no records" | "not compared";

interface Comparison {
  readonly connector: string;
  readonly stream: string;
  readonly verdict: Verdict;
  readonly records: number;
  readonly reason: string;
}

export interface ComparisonOptions {
  /** Folder of the environment with the CDK. */
  readonly root: string;
  /** Only manifests whose paths contain this text are compared. */
  readonly only: string;
  /** Seconds that the comparison of one manifest may take. */
  readonly seconds: number;
}

/** Compares all manifests of a folder and prints the table; resolves to the number of unequal streams. */
export async function compareManifests(
  folder: string | undefined,
  { root, only, seconds }: ComparisonOptions,
): Promise<number> {
  if (folder === undefined || !existsSync(folder)) {
    console.log(`skipped: ${folder ?? "no folder"} holds no manifests; npm run interop -- airbyte FOLDER`);
    return 0;
  }
  const bin = await install("airbyte", packages, root).catch((error: unknown) => new Error(messageOf(error)));
  if (bin instanceof Error) {
    console.log(`skipped: ${packages[0]} could not be installed: ${bin.message.split("\n").at(-2) ?? bin.message}`);
    return 0;
  }
  await loadPatterns('"matches"');
  const python = spawn(join(bin, "python"), [runner, String(seconds)], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(python.stdout, "data")) as readonly Buffer[];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:^|[\\/])manifest\.ya?ml$/.test(name) && name.includes(only))
    .sort();
  const found: Comparison[] = [];
  const next = files.values();
  const work = async (): Promise<void> => {
    for (const name of next) {
      const connector = name.replace(/^(?:.*?[\\/])?source-|[\\/]manifest\.ya?ml$/g, "");
      const compared = await compareManifest(join(folder, name), connector, {
        port: Number(port),
        timeout: 1000 * seconds,
      }).catch((error: unknown) => [
        { connector, stream: "", verdict: "not compared" as const, records: 0, reason: messageOf(error) },
      ]);
      for (const one of compared)
        if (one.verdict !== "equal") console.error(`${connector} ${one.stream}: ${one.verdict}: ${one.reason}`);
      const equal = compared.filter(({ verdict }) => verdict === "equal").length;
      console.error(`${connector}: ${equal} of ${compared.length} equal`);
      found.push(...compared);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  python.kill();
  printTable(found);
  return found.filter(({ verdict }) => verdict === "unequal").length;
}

async function compareManifest(
  file: string,
  connector: string,
  { port, timeout }: { readonly port: number; readonly timeout: number },
): Promise<readonly Comparison[]> {
  await using folder = await temporaryFolder();
  using python = connect(port);
  const { manifest: text } = await python.ask<{ readonly manifest: string }>({ manifest: file });
  const authored = converted(text);
  if (authored.streams.length === 0) return [];
  const { settings } = await python.ask<{ readonly settings: Readonly<Record<string, unknown>> }>({
    streams: authored.streams,
    settings: variablesOf(authored).map(([name]) => name),
  });
  const env = Object.fromEntries(
    variablesOf(authored).map(([name, variable]) => [variable, [settings[name.toLowerCase()] ?? ""].flat().join(",")]),
  );
  const configuration = await folder.write(
    "configuration.json",
    jsonWithComments(authored.configuration, authored.comments),
  );
  const credentials = join(folder.path, "credentials.json");
  const summary = join(folder.path, "summary.json");
  const options = ["--tag", "--keep-going", "-q", "--credentials", credentials, "--summary", summary];
  const finished = await spile([configuration, ...options], { env, timeout });
  const spileRead = { records: await recordsOf(finished, authored), failures: await failuresOf(summary, finished) };
  const cdkRead = await python.ask<CdkRead>({});
  return authored.streams.map((stream) => ({ connector, stream, ...compared(stream, spileRead, cdkRead) }));
}

interface SpileRead {
  /** Texts that identify the records of each stream, in order. */
  readonly records: ReadonlyMap<string, readonly string[]>;
  /** Returns the reason why a stream failed; "" if it did not. */
  readonly failures: (stream: string) => string;
}

/** Reads the summary of a run. */
async function failuresOf(file: string, { code, stderr }: Finished): Promise<SpileRead["failures"]> {
  const unasked = code === 0 ? "" : `spile ends with ${code}: ${stderr.split("\n")[0]}`;
  if (!existsSync(file)) return () => unasked;
  const { jobs } = JSON.parse(await readFile(file, "utf8")) as {
    readonly jobs: readonly { readonly dataType: string; readonly verdict: string; readonly reason?: string }[];
  };
  return (stream) => {
    const ended = jobs.filter(({ dataType }) => dataType === stream);
    if (ended.length === 0) return unasked;
    const failed = ended.find(({ verdict }) => verdict === "failed");
    return failed === undefined ? "" : `spile fails: ${failed.reason ?? ""}`;
  };
}

interface CdkRead {
  /** Texts that identify the records of each stream, in order. */
  readonly records: Readonly<Record<string, readonly string[]>>;
  readonly error: string;
  /** The requests that the API received, by their digests, which the texts of their records contain. */
  readonly requests: Readonly<Record<string, string>>;
  /** Streams whose paging the fake API could not imitate: their records came on one page. */
  readonly unsolved: readonly string[];
}

function converted(text: string): AuthoredStreams {
  const manifest = readManifest(text, "the manifest");
  return authorAccepted(
    (options) => authorManifest(manifest, options),
    { only: [], settingValues: new Map(), refusedStreams: [] },
    (authored) => checkFault(jsonWithComments(authored.configuration, authored.comments)),
  );
}

/** Returns the settings that come from environment variables, by their names in the configuration without `#`. */
function variablesOf({ configuration }: AuthoredStreams): readonly (readonly [name: string, variable: string])[] {
  const { config = {} } = configuration as { readonly config?: Readonly<Record<string, unknown>> };
  return Object.entries(config).flatMap(([name, value]) => {
    const { env } = (value ?? {}) as { readonly env?: unknown };
    return typeof env === "string" ? [[name.replace("#", ""), env] as const] : [];
  });
}

/**
 * Returns the identifying texts of the records that spile wrote, by stream, after jq has done the part that the conversion leaves
 * to it.
 */
async function recordsOf(
  { stdout }: Finished,
  { filters }: AuthoredStreams,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = new Map<string, string[]>();
  for (const line of stdout.split("\n").slice(0, -1)) {
    const { dataType, record } = JSON.parse(line) as { readonly dataType: string; readonly record: unknown };
    const before = texts.get(dataType) ?? [];
    before.push(JSON.stringify(record));
    texts.set(dataType, before);
  }
  for (const line of filters) {
    const [, stream = "", program = ""] = /^(.*?): jq (.*)$/s.exec(line) ?? [];
    const given = texts.get(stream);
    if (given === undefined) continue;
    const { stdout: kept, stderr } = await startCommand("sh", ["-c", `jq -c ${program}`], { stdin: given.join("\n") })
      .finished;
    if (stderr !== "") console.error(`${stream}: ${stderr.split("\n")[0]}`);
    texts.set(stream, kept.split("\n").slice(0, -1));
  }
  return new Map(
    [...texts].map(([stream, lines]) => [stream, lines.map((one) => /fake:[\w:.]+/.exec(one)?.[0] ?? "")]),
  );
}

/** Compares the records of a stream. "no records" is a result only if both sides have no failure. */
function compared(stream: string, spileRead: SpileRead, cdkRead: CdkRead): Omit<Comparison, "connector" | "stream"> {
  const { requests, unsolved } = cdkRead;
  const [ours, theirs] = [spileRead.records.get(stream) ?? [], cdkRead.records[stream] ?? []];
  const spileFailure = spileRead.failures(stream).slice(0, 400);
  const cdkFailure = cdkRead.error === "" ? "" : `the CDK fails: ${cdkRead.error.split("\n")[0]?.slice(0, 400) ?? ""}`;
  const pages = unsolved.includes(stream) ? "on one page" : "";
  const verdict = (kind: Verdict, ...reasons: readonly string[]): Omit<Comparison, "connector" | "stream"> => ({
    verdict: kind,
    records: ours.length,
    reason: reasons.filter((one) => one !== "").join("; "),
  });
  if (theirs.length === 0 && cdkFailure !== "") return verdict("not compared", cdkFailure, spileFailure);
  if (ours.length + theirs.length === 0 && spileFailure === "") return verdict("no records");
  const surplus = [requestsOf(ours, theirs, requests), requestsOf(theirs, ours, requests)];
  if (ours.length > 0 && surplus.every((one) => one === "") && isInOrder(ours))
    return verdict("equal", spileFailure, pages);
  const [first, second] = surplus;
  const counts = `spile ${ours.length}, CDK ${theirs.length}`;
  const failure = theirs.length < ours.length ? cdkFailure : "";
  return verdict("unequal", counts, pages, `spile alone: ${first}`, `CDK alone: ${second}`, failure, spileFailure);
}

/** Returns a request whose records `some` has more often than `others`; "" if there is none. */
function requestsOf(some: readonly string[], others: readonly string[], requests: CdkRead["requests"]): string {
  const left = new Map<string, number>();
  for (const text of others.map(identity)) left.set(text, (left.get(text) ?? 0) + 1);
  for (const text of some.map(identity)) {
    const count = left.get(text) ?? 0;
    if (count === 0) return requests[text.split(":")[0] ?? ""] ?? "a record that the API did not send";
    left.set(text, count - 1);
  }
  return "";
}

/** Returns the request and the index of a record. */
function identity(text: string): string {
  const [, digest = "", , index = ""] = text.split(":");
  return `${digest}:${index}`;
}

/** Returns whether the records of each request, and of each window of time, came in the order of the API. */
function isInOrder(texts: readonly string[]): boolean {
  const last = new Map<string, number>();
  return texts.every((text) => {
    const [, digest, window, index] = text.split(":");
    const key = `${digest}:${window}`;
    const before = last.get(key) ?? -1;
    last.set(key, Number(index));
    // A window that is requested again starts over.
    return Number(index) > before || Number(index) === 0;
  });
}

function printTable(found: readonly Comparison[]): void {
  const connectors = new Map<string, Comparison[]>();
  for (const one of found) connectors.set(one.connector, [...(connectors.get(one.connector) ?? []), one]);
  const count = (verdict: Verdict): number => found.filter((one) => one.verdict === verdict).length;
  const [equal, unequal] = [count("equal"), count("unequal")];
  const whole = [...connectors.values()].filter((all) => all.every(({ verdict }) => verdict === "equal")).length;
  console.log(`| connectors | all streams equal | streams equal | unequal | no records | not compared | records |`);
  console.log(`|---|---|---|---|---|---|---|`);
  const records = found.reduce((sum, one) => sum + (one.verdict === "equal" ? one.records : 0), 0);
  console.log(
    `| ${connectors.size} | ${whole} | ${equal} | ${unequal} | ${count("no records")} | ${count("not compared")} | ${records} |`,
  );
  console.log(`\n${((100 * equal) / Math.max(1, equal + unequal)).toFixed(1)} % of the compared streams are equal`);
}

interface Connection extends Disposable {
  ask<Answer>(question: object): Promise<Answer>;
}

/** Opens a connection to the part that runs in Python. */
function connect(port: number): Connection {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  return {
    ask: async <Answer>(question: object): Promise<Answer> => {
      socket.write(`${JSON.stringify(question)}\n`);
      const line: IteratorResult<string, unknown> = await lines.next();
      if (line.done === true) throw new Error("the CDK did not finish");
      return JSON.parse(line.value) as Answer;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
