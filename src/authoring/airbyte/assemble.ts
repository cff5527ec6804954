import { pointerTo } from "../../core/values/path.ts";
import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import type { Authored } from "../configuration-draft.ts";
import { pagingFor } from "../scrollers.ts";
import { joinedAddress } from "./authentication.ts";
import { rule } from "./errors.ts";
import { jqLine } from "./jq.ts";
import { objectOf } from "./manifest.ts";
import { concatArguments, joinedValue } from "./meaning.ts";
import type { ManifestSettings } from "./settings.ts";
import { filled, present, type StreamJob } from "./stream.ts";

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
  /** Differences between a job and its stream in the manifest. */
  readonly remarks: readonly LeftOut[];
  /** Hints for the user about a stream. */
  readonly notes: readonly LeftOut[];
  /** Commands of jq that finish the records, one line for each stream: `STREAM: jq '...'`. */
  readonly filters: readonly string[];
  /** Settings that the shape of the configuration depends on, with their values: `is_sandbox is false`. */
  readonly decisions: readonly string[];
  readonly variables: ReturnType<ManifestSettings["variables"]>;
}

/** A job of the tree that is written. */
export interface Node {
  readonly stream: string;
  readonly job: StreamJob;
  readonly isWritten: boolean;
  readonly children: Node[];
}

/** The rates of an API's budget, and notes about those that `rateLimit` cannot express. */
export interface RequestBudget {
  readonly rateLimit: Value | undefined;
  readonly notes: readonly LeftOut[];
}

/** Returns the configuration of a tree of jobs. */
export function assembled(
  roots: readonly Node[],
  settings: ManifestSettings,
  leftOut: readonly LeftOut[],
  budget: RequestBudget = { rateLimit: undefined, notes: [] },
): AuthoredManifest {
  const nodes = roots.flatMap(withChildren);
  const baseUrl = commonBase(nodes.map(({ job }) => job.base));
  const { pagination, scrollerOf } = pagingFor(nodes.map(({ job }) => job.pagination));
  const logins = loginsOf(nodes);
  const headers = commonHeaders(nodes);
  const comments = new Map<string, string[]>();
  const places = new Map<string, string>();
  const remarks: LeftOut[] = [];
  const notes: LeftOut[] = [...budget.notes];
  const filters = new Set<string>();
  const written = (node: Node, pointer: string, inherited: readonly number[] = []): ValueObject => {
    const { job, children, isWritten } = node;
    places.set(pointer, node.stream);
    const texts = [...new Set([...job.remarks, ...job.notes])];
    if (isWritten && job.jq !== undefined) filters.add(jqLine(node.stream, job.jq));
    const sentences = texts.map((text) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`);
    if (isWritten && job.jq !== undefined) sentences.push(`Its records are to go through jq: ${job.jq}`);
    if (sentences.length > 0) comments.set(pointer, sentences);
    if (isWritten) {
      remarks.push(...[...new Set(job.remarks)].map((reason) => ({ stream: node.stream, reason })));
      notes.push(...[...new Set(job.notes)].map((reason) => ({ stream: node.stream, reason })));
    }
    const tolerated = statusesOf(job.fields.responses);
    const refused = inherited.filter((status) => !tolerated.includes(status));
    const { responses: ownRules, retryConfig, key, incremental, windows, ...request } = job.fields;
    const ownHeaders = headers === undefined ? job.authentication.headers : {};
    const isBelowBase = valueText(job.base) === valueText(baseUrl) && job.path !== "";
    const address = isBelowBase ? trimmedPath(job.path) : joinedAddress(job.base, job.path);
    const endpoint = job.list === undefined ? address : { function: "each", args: [address, job.list] };
    return present({
      endpoint,
      ...request,
      headers: filled({ ...objectOf(request.headers), ...ownHeaders }),
      key,
      authentication: logins.nameOf(job.authentication.authentication),
      scroller: scrollerOf(job.pagination),
      responses: withRefusals(ownRules, refused),
      retryConfig,
      incremental,
      windows,
      write: isWritten ? undefined : false,
      children:
        children.length === 0
          ? undefined
          : children.map((child, index) =>
              written(child, pointerTo(pointer, "children", index), [...new Set([...inherited, ...tolerated])]),
            ),
    });
  };
  const jobs = roots.map((root, index) => written(root, `/config/jobs/${index}`));
  const configuration = {
    api: present({
      baseUrl,
      authentication: logins.authentication,
      authentications: logins.authentications,
      pagination,
      http: filled(
        present({
          defaultOptions: headers === undefined || Object.keys(headers).length === 0 ? undefined : { headers },
          rateLimit: budget.rateLimit,
        }),
      ),
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

/** Lists the statuses that rules for answers name. */
function statusesOf(responses: Value | undefined): readonly number[] {
  return (Array.isArray(responses) ? responses : []).flatMap((rule: Value) => {
    const { status } = objectOf(objectOf(rule).when);
    return (Array.isArray(status) ? status : status === undefined ? [] : [status]).map(Number);
  });
}

/** Adds a rule by which these statuses fail: jobs inherit the rules of the jobs above them, which tolerate these statuses. */
function withRefusals(responses: Value | undefined, statuses: readonly number[]): Value | undefined {
  const failing = statuses.filter((status) => status >= 400 && status < 500 && ![408, 429].includes(status));
  if (failing.length === 0) return responses;
  const own = Array.isArray(responses) ? responses : [];
  return [...own, rule({ status: failing.length === 1 ? (failing[0] ?? 0) : failing }, "fail")];
}

function withChildren(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(withChildren)];
}

/** Returns the base address that most jobs have. */
function commonBase(bases: readonly Value[]): Value {
  const counts = new Map<string, number>();
  for (const base of bases) counts.set(valueText(base), (counts.get(valueText(base)) ?? 0) + 1);
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return bases.find((base) => valueText(base) === best?.[0]) ?? "";
}

/** Removes leading slashes, since the path is joined to the base. A first segment that looks like a scheme (`a:b`) gets `./`. */
function trimmedPath(path: Value): Value {
  const [first = "", ...rest] = concatArguments(path);
  const start = typeof first === "string" ? first.replace(/^\/+/, "") : first;
  const isScheme = typeof start === "string" && /^[^/?#]*:(?!\/\/)/.test(start);
  const marked = isScheme ? `./${start}` : start;
  return joinedValue(marked, ...rest);
}

/** Returns the headers of the authentication if they are the same for all jobs. */
function commonHeaders(nodes: readonly Node[]): ValueObject | undefined {
  const all = new Set(nodes.map(({ job }) => valueText(job.authentication.headers)));
  return all.size === 1 ? nodes[0]?.job.authentication.headers : undefined;
}

interface Logins {
  readonly authentication: Value | undefined;
  readonly authentications: ValueObject | undefined;
  nameOf(authentication: ValueObject | undefined): Value | undefined;
}

/** Collects the authentications of all jobs. A single one belongs to the API; if there are several, each job names its own. */
function loginsOf(nodes: readonly Node[]): Logins {
  const all = new Map(
    nodes.map(({ job: { authentication } }) => [
      valueText(authentication.authentication ?? null),
      authentication.authentication,
    ]),
  );
  const [only] = all.values();
  if (all.size <= 1) return { authentication: only, authentications: undefined, nameOf: () => undefined };
  const named = [...all].flatMap(([key, one]) => (one === undefined ? [] : [{ key, one }]));
  const names = new Map(named.map(({ key }, index) => [key, `login-${index + 1}`]));
  return {
    authentication: undefined,
    authentications: Object.fromEntries(named.map(({ key, one }) => [names.get(key) ?? "", one])),
    nameOf: (authentication) => names.get(valueText(authentication ?? null)) ?? false,
  };
}
