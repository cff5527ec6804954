import { SpileError } from "../../core/errors.ts";
import { pointer } from "../../core/path.ts";
import { type Value, type ValueObject, valueText } from "../../core/value.ts";
import type { Authored } from "../configuration-draft.ts";
import { variablePrefix } from "../credential-names.ts";
import { pagingFor } from "../scrollers.ts";
import { joinedAddress } from "./authentication.ts";
import { jqLine } from "./jq.ts";
import { type Manifest, objectOf } from "./manifest.ts";
import { createSettings, type ManifestSettings } from "./settings.ts";
import { type SliceParent, withUnder } from "./slices.ts";
import { filled, jobsOf, nameOf, present, type StreamJob } from "./stream.ts";
import { Unsayable } from "./unsayable.ts";

/** A stream that is left out, and why. */
export interface LeftOut {
  readonly stream: string;
  readonly reason: string;
}

export interface AuthoredManifest extends Authored {
  readonly comments: ReadonlyMap<string, readonly string[]>;
  /** The stream of each job, by the job's pointer. */
  readonly places: ReadonlyMap<string, string>;
  /** The streams that are written. */
  readonly streams: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** What is written otherwise than the manifest says, by stream. */
  readonly remarks: readonly LeftOut[];
  /** What its user is to know, by stream. */
  readonly notes: readonly LeftOut[];
  /** What jq is to do to the records, by stream: a line each. */
  readonly filters: readonly string[];
  /** ManifestSettings on whose values the configuration depends. */
  readonly decisions: readonly string[];
  readonly variables: ReturnType<ManifestSettings["variables"]>;
}

export interface AuthoringOptions {
  /** Names of the streams that are wanted; all if empty. */
  readonly only: readonly string[];
  /** Values of settings on which the shape of the configuration depends. */
  readonly given: ReadonlyMap<string, string>;
  /** Streams that are left out for another reason, such as a fault that the check found. */
  readonly refused: readonly LeftOut[];
}

/** A job of the tree that is written. */
interface Node {
  readonly stream: string;
  readonly job: StreamJob;
  readonly isWritten: boolean;
  readonly children: Node[];
}

/** Returns the configuration of a manifest. Throws usage errors for names that it does not have. */
export function authorManifest(manifest: Manifest, { only, given, refused }: AuthoringOptions): AuthoredManifest {
  const names = manifest.streams.map(nameOf);
  const missing = only.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new SpileError("usage", `the manifest has no stream ${missing}; it has ${names.join(", ")}`);
  const wanted = manifest.streams.filter((stream) => only.length === 0 || only.includes(nameOf(stream)));
  const dynamic = (only.length > 0 ? [] : manifest.dynamic).map((stream) => ({
    stream: nameOf(stream) || "dynamic streams",
    reason: "its streams only exist when the connector runs",
  }));
  const attempt = (before: readonly LeftOut[]): AuthoredManifest => {
    const settings = createSettings(manifest.specification, prefixOf(wanted), given);
    const leftOut: LeftOut[] = [...before];
    return assembled(treeOf(wanted, settings, leftOut), settings, leftOut);
  };
  const first = attempt([...refused, ...dynamic]);
  // The second attempt begins without the streams that are left out, and asks for none of their settings.
  return attempt(first.leftOut);
}

/** A fault that the check of a configuration finds. */
export interface CheckFault {
  readonly pointer: string;
  readonly message: string;
}

/** Returns the configuration without the streams that the check refuses; each is left out with what the check says. */
export function authorAccepted(
  manifest: Manifest,
  options: AuthoringOptions,
  check: (authored: AuthoredManifest) => CheckFault | undefined,
): AuthoredManifest {
  const author = (only: readonly string[], refused: readonly LeftOut[]): AuthoredManifest =>
    authorManifest(manifest, { ...options, only, refused: [...options.refused, ...refused] });
  const refused: LeftOut[] = [];
  let authored = author(options.only, refused);
  while (authored.streams.length > 0) {
    const fault = check(authored);
    if (fault === undefined) return authored;
    const reason = `the check refuses it: ${fault.message}`;
    const named = streamAt(authored, fault.pointer);
    const alone =
      named === undefined ? authored.streams.filter((stream) => check(author([stream], [])) !== undefined) : [named];
    const isNew = alone.some((stream) => !refused.some((one) => one.stream === stream));
    const streams = isNew ? alone : authored.streams;
    refused.push(...streams.map((stream) => ({ stream, reason })));
    authored = author(options.only, refused);
  }
  return authored;
}

/** The stream of the innermost job that a pointer leads into. */
function streamAt({ places }: AuthoredManifest, at: string): string | undefined {
  const above = [...places].filter(([place]) => at === place || at.startsWith(`${place}/`));
  const [nearest] = above.sort(([a], [b]) => b.length - a.length);
  return nearest?.[1];
}

/** The beginning of the variables' names: from the address of the first stream that has one. */
function prefixOf(streams: readonly ValueObject[]): string {
  const addresses = streams.map((stream) => {
    const requester = objectOf(objectOf(stream.retriever).requester);
    return String(requester.url_base ?? requester.url ?? "").replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, "x");
  });
  const address = addresses.find((one) => URL.canParse(one));
  return address === undefined ? "API" : variablePrefix(address);
}

/** Hangs children below the jobs of their parents; a parent that is not wanted, or that is read whole for its children, is not written. */
function treeOf(streams: readonly ValueObject[], settings: ManifestSettings, leftOut: LeftOut[]): readonly Node[] {
  const roots: Node[] = [];
  const known = new Map<string, readonly Node[]>();
  const identities = new Map<ValueObject, string>();
  // Streams are the same if their requests are: the parameters around a parent differ from place to place.
  const identity = (stream: ValueObject): string => {
    const before = identities.get(stream);
    if (before !== undefined) return before;
    const found = requestsText(stream, settings);
    identities.set(stream, found);
    return found;
  };
  const parentKeys = (parent: SliceParent | undefined): readonly Value[] =>
    parent === undefined ? [] : [identity(parent.stream), parent.slice.key, ...parentKeys(parent.under)];
  const wanted = new Map(streams.map((stream) => [identity(stream), stream]));
  const failed = new Set(leftOut.map(({ stream }) => stream));
  const nodesOf = (
    stream: ValueObject,
    isWritten: boolean,
    isIncremental: boolean,
    under?: SliceParent,
  ): readonly Node[] => {
    const key = valueText([identity(stream), isWritten, isIncremental, ...parentKeys(under)]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const jobs = withSharedTime(jobsOf(stream, settings, isIncremental));
    const nodes = jobs.map((job): Node => ({ stream: nameOf(stream), job, isWritten, children: [] }));
    const hosts = jobs.map(({ slice }) => hostsOf(slice.parent, under));
    for (const [index, node] of nodes.entries()) for (const host of hosts[index] ?? []) host.push(node);
    known.set(key, nodes);
    return nodes;
  };
  const hostsOf = (parent: SliceParent | undefined, around?: SliceParent): readonly Node[][] => {
    if (parent === undefined) return around === undefined ? [roots] : hostsOf(around);
    const { stream, isIncremental } = parent;
    if (failed.has(nameOf(stream))) throw new Unsayable(`its parent ${nameOf(stream)} is left out`);
    const isWanted = wanted.has(identity(stream)) && !failed.has(nameOf(stream));
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
      if (!(error instanceof Unsayable)) throw error;
      roots.splice(0, roots.length, ...before);
      failed.add(name);
      leftOut.push({ stream: name, reason: error.message });
    }
  }
  return roots;
}

/** Returns what a stream asks for, as a text that tells it from others. */
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
    if (error instanceof Unsayable) return valueText([nameOf(stream), stream.retriever ?? null]);
    throw error;
  }
}

/** Several jobs of one dataset have no common watermark: they read everything each time. */
function withSharedTime(jobs: readonly StreamJob[]): readonly StreamJob[] {
  return jobs;
}

function assembled(roots: readonly Node[], settings: ManifestSettings, leftOut: readonly LeftOut[]): AuthoredManifest {
  const nodes = roots.flatMap(withChildren);
  const baseUrl = commonBase(nodes.map(({ job }) => job.base));
  const { pagination, scrollerOf } = pagingFor(nodes.map(({ job }) => job.pagination));
  const logins = loginsOf(nodes);
  const headers = commonHeaders(nodes);
  const comments = new Map<string, string[]>();
  const places = new Map<string, string>();
  const remarks: LeftOut[] = [];
  const notes: LeftOut[] = [];
  const filters = new Set<string>();
  const written = (node: Node, at: string): ValueObject => {
    const { job, children, isWritten } = node;
    places.set(at, node.stream);
    const texts = [...new Set([...job.remarks, ...job.notes])];
    if (isWritten && job.jq !== undefined) filters.add(jqLine(node.stream, job.jq));
    const said = texts.map((text) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`);
    const told = isWritten && job.jq !== undefined ? [...said, `Its records are to go through jq: ${job.jq}`] : said;
    if (told.length > 0) comments.set(at, told);
    if (isWritten) {
      remarks.push(...[...new Set(job.remarks)].map((reason) => ({ stream: node.stream, reason })));
      notes.push(...[...new Set(job.notes)].map((reason) => ({ stream: node.stream, reason })));
    }
    const { responses, retryConfig, key, incremental, windows, ...request } = job.fields;
    const own = headers === undefined ? job.authentication.headers : {};
    const isOwn = valueText(job.base) === valueText(baseUrl) && job.path !== "";
    const address = isOwn ? trimmedPath(job.path) : joinedAddress(job.base, job.path);
    const endpoint = job.list === undefined ? address : { function: "each", args: [address, job.list] };
    return present({
      endpoint,
      ...request,
      headers: filled({ ...objectOf(request.headers), ...own }),
      key,
      authentication: logins.nameOf(job.authentication.authentication),
      scroller: scrollerOf(job.pagination),
      responses,
      retryConfig,
      incremental,
      windows,
      write: isWritten ? undefined : false,
      children:
        children.length === 0
          ? undefined
          : children.map((child, index) => written(child, pointer(at, "children", index))),
    });
  };
  const jobs = roots.map((root, index) => written(root, `/config/jobs/${index}`));
  const configuration = {
    api: present({
      baseUrl: baseAddress(baseUrl),
      authentication: logins.authentication,
      authentications: logins.authentications,
      pagination,
      http: headers === undefined || Object.keys(headers).length === 0 ? undefined : { defaultOptions: { headers } },
    }),
    config: { ...settings.members(), jobs },
  };
  return {
    configuration,
    credentials: [],
    comments,
    places,
    streams: [...new Set(nodes.filter(({ isWritten }) => isWritten).map(({ stream }) => stream))],
    leftOut,
    remarks,
    notes,
    filters: [...filters],
    decisions: settings.decisions(),
    variables: settings.variables(),
  };
}

function withChildren(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(withChildren)];
}

/** The base of most jobs. */
function commonBase(bases: readonly Value[]): Value {
  const counts = new Map<string, number>();
  for (const base of bases) counts.set(valueText(base), (counts.get(valueText(base)) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return bases.find((base) => valueText(base) === best?.[0]) ?? "";
}

/** An address that endpoints resolve against. */
function baseAddress(base: Value): Value {
  return base;
}

/** A path without the slashes before it: it is joined to the base. A colon in its first segment would make it an address. */
function trimmedPath(path: Value): Value {
  const joined = joinedAddress("", path);
  const plain = typeof joined === "string" ? joined.replace(/^\/+/, "") : objectOf(joined);
  if (typeof plain === "string") return /^[^/?#]*:/.test(plain) ? `./${plain}` : plain;
  const args = Array.isArray(plain.args) ? plain.args : [];
  return { ...plain, args: args.filter((one, index) => index > 0 || one !== "/") };
}

/** The headers of the authentication, if all jobs have the same. */
function commonHeaders(nodes: readonly Node[]): ValueObject | undefined {
  const all = new Set(nodes.map(({ job }) => valueText(job.authentication.headers)));
  return all.size === 1 ? nodes[0]?.job.authentication.headers : undefined;
}

interface Logins {
  readonly authentication: Value | undefined;
  readonly authentications: ValueObject | undefined;
  nameOf(authentication: ValueObject | undefined): Value | undefined;
}

/** One authentication of all jobs is the API's; several have names. */
function loginsOf(nodes: readonly Node[]): Logins {
  const all = new Map(
    nodes.map(({ job: { authentication } }) => [
      valueText(authentication.authentication ?? null),
      authentication.authentication,
    ]),
  );
  const [only] = all.values();
  if (all.size <= 1) return { authentication: only, authentications: undefined, nameOf: () => undefined };
  const named = [...all]
    .flatMap(([key, one]) => (one === undefined ? [] : [{ key, one }]))
    .map((one, index) => ({ ...one, name: index === 0 ? "default" : `login-${index + 1}` }));
  const [first] = named;
  const isDefault = (one: ValueObject | undefined): boolean => valueText(one ?? null) === first?.key;
  return {
    authentication: first?.one,
    authentications:
      named.length < 2 ? undefined : Object.fromEntries(named.slice(1).map(({ name, one }) => [name, one])),
    nameOf: (authentication) => {
      if (isDefault(authentication)) return undefined;
      return named.find(({ key }) => key === valueText(authentication ?? null))?.name ?? false;
    },
  };
}
