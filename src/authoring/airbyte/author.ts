import { SpileError } from "../../core/errors.ts";
import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import type { AuthoringOptions } from "../described/choice.ts";
import {
  type AuthoredStreams,
  authorStreams,
  type RequestBudget,
  type StreamNode,
  type StreamReason,
} from "../described/streams.ts";
import { listOf, objectOf, UnsupportedError } from "../described/values.ts";
import { variablePrefix } from "../variable-names.ts";
import { durationSeconds } from "./dates.ts";
import { templatePieces } from "./jinja.ts";
import type { Manifest } from "./manifest.ts";
import { createSettings, type ManifestSettings } from "./settings.ts";
import { type SliceParent, withUnder } from "./slices.ts";
import { jobsOf, nameOf, type SlicedJob } from "./stream.ts";

/** Converts a manifest to a configuration. Throws a usage error if `only` names a stream that the manifest does not have. */
export function authorManifest(
  manifest: Manifest,
  { only, settingValues, refusedStreams }: AuthoringOptions,
): AuthoredStreams {
  const names = manifest.streams.map(nameOf);
  const missing = only.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new SpileError("usage", `the manifest has no stream ${missing}; it has ${names.join(", ")}`);
  const wantedStreams = manifest.streams.filter((stream) => only.length === 0 || only.includes(nameOf(stream)));
  const dynamic = (only.length > 0 ? [] : manifest.dynamic).map((stream) => ({
    stream: nameOf(stream) || "dynamic streams",
    reason: "its streams only exist when the connector runs",
  }));
  const attempt = (before: readonly StreamReason[], needed: ReadonlySet<string> = new Set()): Attempt => {
    const settings = createSettings(manifest.specification, { prefix: prefixOf(wantedStreams), settingValues, needed });
    const leftOut: StreamReason[] = [...before];
    const roots = treeOf(wantedStreams, settings, leftOut);
    const authored = authorStreams(roots, {
      settings,
      leftOut,
      decisions: settings.decisions(),
      budget: budgetOf(manifest.budget),
    });
    return { authored, needed: settings.readPaths() };
  };
  const first = attempt([...refusedStreams, ...dynamic]);
  // The second attempt begins without the streams that the first one left out, so that the configuration asks for none of their
  // settings.
  const second = attempt(first.authored.leftOut);
  // The third attempt treats the optional settings that the second one reads as set, and sends them: the configuration asks for
  // them, so they have a value in each run.
  return attempt(second.authored.leftOut, second.needed).authored;
}

interface Attempt {
  readonly authored: AuthoredStreams;
  /** Paths of the settings that the configuration reads. */
  readonly needed: ReadonlySet<string>;
}

/**
 * Converts the rates of an API's budget. They hold for all requests, even if a policy of the manifest covers only some of them.
 */
function budgetOf({ policies }: ValueObject): RequestBudget {
  const rates = listOf(policies).flatMap(({ rates: given, call_limit, period }) =>
    given === undefined && call_limit !== undefined ? [{ limit: call_limit, interval: period ?? "" }] : listOf(given),
  );
  const found = rates.map(({ limit, interval }) => ({ text: rateText(limit, interval), limit, interval }));
  const texts = [...new Set(found.flatMap(({ text }) => text ?? []))];
  const notes = found
    .filter(({ text }) => text === undefined)
    .map(({ limit, interval }) => ({
      stream: "budget",
      reason: `rateLimit cannot express ${String(limit ?? null)} requests in ${String(interval ?? null)}`,
    }));
  return { rateLimit: texts.length === 0 ? undefined : texts, notes };
}

/** Returns a rate such as `300/m`, rounded down. Returns undefined if the period is not a duration or is longer than an hour. */
function rateText(limit: Value | undefined, interval: Value | undefined): string | undefined {
  const [count, seconds] = [Number(limit), /^P/.test(String(interval)) ? durationSeconds(String(interval)) : 0];
  const unit = units.find(([, length]) => seconds <= length);
  if (!(count >= 1) || seconds <= 0 || unit === undefined) return undefined;
  return `${Math.max(1, Math.floor((count * unit[1]) / seconds))}/${unit[0]}`;
}

/** Units of rates, with their lengths in seconds. */
const units: readonly (readonly [unit: string, seconds: number])[] = [
  ["s", 1],
  ["m", 60],
  ["h", 3600],
];

/** Returns the prefix of the environment variables' names, made from the first stream address that is valid. */
function prefixOf(streams: readonly ValueObject[]): string {
  const addresses = streams.map((stream) => {
    const requester = objectOf(objectOf(stream.retriever).requester);
    const pieces = templatePieces(String(requester.url_base ?? requester.url ?? ""));
    return pieces.map((piece, index) => (index % 2 === 0 ? piece : "x")).join("");
  });
  const address = addresses.find((one) => URL.canParse(one));
  return address === undefined ? "API" : variablePrefix(address);
}

/**
 * Puts child jobs below the jobs of their parents. A parent's job writes no records if the parent was not selected, or if the job
 * exists only to read all of the parent's records for its children.
 */
function treeOf(
  streams: readonly ValueObject[],
  settings: ManifestSettings,
  leftOut: StreamReason[],
): readonly StreamNode<SlicedJob>[] {
  const roots: StreamNode<SlicedJob>[] = [];
  const nodesByKey = new Map<string, readonly StreamNode<SlicedJob>[]>();
  const identities = new Map<ValueObject, string>();
  // Streams are compared by their requests: the manifest repeats a parent inside each child, with other `$parameters` each time.
  const identity = (stream: ValueObject): string => {
    const before = identities.get(stream);
    if (before !== undefined) return before;
    const found = requestsText(stream, settings);
    identities.set(stream, found);
    return found;
  };
  const parentKeys = (parent: SliceParent | undefined): readonly Value[] =>
    parent === undefined ? [] : [identity(parent.stream), parent.slice.key, ...parentKeys(parent.under)];
  const failed = new Set(leftOut.map(({ stream }) => stream));
  // Failed streams are not compared: comparing would read their settings, and the configuration would then ask for them.
  const wantedIdentities = new Set(streams.filter((stream) => !failed.has(nameOf(stream))).map(identity));
  const nodesOf = (
    stream: ValueObject,
    isWritten: boolean,
    isIncremental: boolean,
    under?: SliceParent,
  ): readonly StreamNode<SlicedJob>[] => {
    const key = valueText([identity(stream), isWritten, isIncremental, ...parentKeys(under)]);
    const before = nodesByKey.get(key);
    if (before !== undefined) return before;
    const jobs = jobsOf(stream, settings, isIncremental);
    const nodes = jobs.map((job): StreamNode<SlicedJob> => ({ stream: nameOf(stream), job, isWritten, children: [] }));
    const hosts = jobs.map(({ slice }) => hostsOf(slice.parent, under));
    for (const [index, node] of nodes.entries()) for (const host of hosts[index] ?? []) host.push(node);
    nodesByKey.set(key, nodes);
    return nodes;
  };
  const hostsOf = (parent: SliceParent | undefined, around?: SliceParent): readonly StreamNode<SlicedJob>[][] => {
    if (parent === undefined) return around === undefined ? [roots] : hostsOf(around);
    const { stream, isIncremental } = parent;
    if (failed.has(nameOf(stream))) throw new UnsupportedError(`its parent ${nameOf(stream)} is left out`);
    const isWanted = wantedIdentities.has(identity(stream)) && !failed.has(nameOf(stream));
    const hasIncrements = Object.keys(objectOf(stream.incremental_sync)).length > 0;
    const under = withUnder(parent.under, around);
    const isShared = under === undefined && isWanted && (!hasIncrements || isIncremental);
    const slice = valueText(parent.slice.key);
    const nodes = nodesOf(stream, isShared, isShared, under);
    return nodes.filter(({ job }) => valueText(job.slice.key) === slice).map(({ children }) => children);
  };
  for (const stream of streams) {
    const name = nameOf(stream);
    if (failed.has(name)) continue;
    const before = [...roots];
    try {
      nodesOf(stream, true, true);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      roots.splice(0, roots.length, ...before);
      failed.add(name);
      leftOut.push({ stream: name, reason: error.message });
    }
  }
  return roots;
}

/** Returns a text that identifies a stream by its requests. */
function requestsText(stream: ValueObject, settings: ManifestSettings): string {
  try {
    const jobs = jobsOf(stream, settings, false).map(({ base, path, fields, pagination, authentication, slice }) => [
      base,
      path,
      fields,
      pagination ?? null,
      authentication.authentication ?? authentication.headers,
      slice.key,
    ]);
    return valueText(jobs);
  } catch (error) {
    if (error instanceof UnsupportedError) return valueText([nameOf(stream), stream.retriever ?? null]);
    throw error;
  }
}
