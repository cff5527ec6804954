import { pointerTo } from "../../core/values/path.ts";
import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { type Authored, filled, present } from "../configuration-draft.ts";
import { type ConfiguredJob, describedConfiguration, withChildren } from "./configuration.ts";
import type { TitledVariable, WrittenSettings } from "./settings.ts";
import { concatArguments, joinedAddress, joinedValue, objectOf } from "./values.ts";

/** A text about a stream: why it is left out, how its job differs from it, or another note. */
export interface StreamReason {
  readonly stream: string;
  readonly reason: string;
}

/** The configuration of a described API. */
export interface AuthoredApi extends Authored {
  /** Comments by the JSON pointers of their places. */
  readonly comments: ReadonlyMap<string, readonly string[]>;
  readonly variables: readonly TitledVariable[];
}

/** The configuration of a description that names its streams or requests. */
export interface AuthoredStreams extends AuthoredApi {
  /** The name of each job's stream, by the JSON pointer of the job. */
  readonly places: ReadonlyMap<string, string>;
  /** Names of the streams whose records a run writes. */
  readonly streams: readonly string[];
  readonly leftOut: readonly StreamReason[];
  /** Ways in which a job differs, or may differ, from its stream. */
  readonly differences: readonly StreamReason[];
  /** Other notes for the user. */
  readonly notes: readonly StreamReason[];
  /** Commands of jq that filter or change the records, a line for each: `STREAM: jq '...'`. */
  readonly filters: readonly string[];
  /** Values of settings for which the configuration is written: `is_sandbox is False`. */
  readonly decisions: readonly string[];
}

/** The authentication of a stream, as parts of a configuration. */
export interface StreamAuthentication {
  readonly headers: Readonly<Record<string, Value>>;
  /** Parameters of the body. */
  readonly body: Readonly<Record<string, Value>>;
  /** `api.authentication`. */
  readonly authentication: ValueObject | undefined;
  readonly notes: readonly string[];
}

/** The job of a stream, in parts. */
export interface StreamJob {
  readonly base: Value;
  /** The part of the address that is joined to the base. */
  readonly path: Value;
  /** The list whose elements replace `{}` in the address. A run sends the request once for each element. */
  readonly list?: Value | undefined;
  /** Fields of the job besides `endpoint`, `scroller`, `children` and those of its authentication. */
  readonly fields: ValueObject;
  readonly pagination: ValueObject | undefined;
  readonly authentication: StreamAuthentication;
  /** jq program for the job's records. */
  readonly jq?: string | undefined;
  /** Ways in which the job differs, or may differ, from its stream. */
  readonly differences: readonly string[];
  /** Other notes for the user. */
  readonly notes: readonly string[];
}

/** A job in the tree of jobs. */
export interface StreamNode<Job extends StreamJob = StreamJob> {
  readonly stream: string;
  readonly job: Job;
  /** False if the job is requested only for its children: its records are not written. */
  readonly isWritten: boolean;
  readonly children: StreamNode<Job>[];
}

/** The rates that an API allows. */
export interface RequestBudget {
  readonly rateLimit: Value | undefined;
  /** Notes about rates that `rateLimit` cannot express. */
  readonly notes: readonly StreamReason[];
}

/** Parts of the configuration of streams besides the jobs. */
export interface StreamsOptions {
  readonly settings: WrittenSettings;
  readonly leftOut: readonly StreamReason[];
  readonly decisions?: readonly string[];
  readonly budget?: RequestBudget;
}

/** Returns the configuration of a tree of jobs. */
export function authorStreams(
  roots: readonly StreamNode[],
  { settings, leftOut, decisions = [], budget = { rateLimit: undefined, notes: [] } }: StreamsOptions,
): AuthoredStreams {
  const nodes = roots.flatMap(withChildren);
  const baseUrl = commonBase(nodes.map(({ job }) => job.base));
  const logins = loginsOf(nodes);
  const headers = commonHeaders(nodes);
  const secretHeaders = nodes.flatMap(({ job }) => Object.keys(job.authentication.headers));
  const comments = new Map<string, string[]>();
  const places = new Map<string, string>();
  const differences: StreamReason[] = [];
  const notes: StreamReason[] = [...budget.notes];
  const filters = new Set<string>();
  const report = ({ stream, job, isWritten }: StreamNode, pointer: string): void => {
    places.set(pointer, stream);
    const texts = [...new Set([...job.differences, ...job.notes])];
    const sentences = texts.map((text) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`);
    if (isWritten && job.jq !== undefined) {
      filters.add(jqLine(stream, job.jq));
      sentences.push(`Pipe its records through jq: ${job.jq}`);
    }
    if (sentences.length > 0) comments.set(pointer, sentences);
    if (!isWritten) return;
    differences.push(...[...new Set(job.differences)].map((reason) => ({ stream, reason })));
    notes.push(...[...new Set(job.notes)].map((reason) => ({ stream, reason })));
  };
  /** Returns the parts of a job. `inheritedStatuses`: statuses to which a rule of a job above applies. */
  const partsOf = (node: StreamNode, pointer: string, inheritedStatuses: readonly number[] = []): ConfiguredJob => {
    const { job, isWritten } = node;
    report(node, pointer);
    const { responses: rules, retryConfig, key, incremental, windows, ...request } = job.fields;
    const statuses = statusesOf(rules);
    const statusesWithoutRule = inheritedStatuses.filter((status) => !statuses.includes(status));
    const jobHeaders = headers === undefined ? job.authentication.headers : {};
    const isBelowBase = valueText(job.base) === valueText(baseUrl) && job.path !== "";
    const address = isBelowBase ? trimmedPath(job.path) : joinedAddress(job.base, job.path);
    return {
      fields: present({
        endpoint: job.list === undefined ? address : { function: "each", args: [address, job.list] },
        ...request,
        headers: filled({ ...objectOf(request.headers), ...jobHeaders }),
        key,
        authentication: logins.nameOf(job.authentication.authentication),
      }),
      pagination: job.pagination,
      lastFields: present({
        responses: withFailures(rules, statusesWithoutRule),
        retryConfig,
        incremental,
        windows,
        write: isWritten ? undefined : false,
      }),
      children: node.children.map((child, index) =>
        partsOf(child, pointerTo(pointer, "children", index), [...new Set([...inheritedStatuses, ...statuses])]),
      ),
    };
  };
  const jobs = roots.map((root, index) => partsOf(root, `/config/jobs/${index}`));
  const { authentication, authentications } = logins;
  const { rateLimit } = budget;
  return {
    ...describedConfiguration(
      { baseUrl, authentication, authentications, headers, rateLimit, secretHeaders },
      settings.members(),
      jobs,
    ),
    comments,
    variables: settings.variables(),
    places,
    streams: [...new Set(nodes.filter(({ isWritten }) => isWritten).map(({ stream }) => stream))],
    leftOut,
    differences,
    notes,
    filters: [...filters],
    decisions,
  };
}

function jqLine(stream: string, program: string): string {
  return `${stream}: jq '${program.replaceAll("'", "'\\''")}'`;
}

/** Lists the statuses to which the rules apply. */
function statusesOf(responses: Value | undefined): readonly number[] {
  return (Array.isArray(responses) ? responses : []).flatMap((rule: Value) => {
    const { status } = objectOf(objectOf(rule).when);
    return (Array.isArray(status) ? status : status === undefined ? [] : [status]).map(Number);
  });
}

/**
 * Adds a rule that makes a job fail at those of the statuses at which jobs without rules fail at once (4xx, but not 408 and 429).
 * Without this rule, the rules of the jobs above would apply to them.
 */
function withFailures(responses: Value | undefined, statuses: readonly number[]): Value | undefined {
  const failingStatuses = statuses.filter((status) => status >= 400 && status < 500 && ![408, 429].includes(status));
  if (failingStatuses.length === 0) return responses;
  const rules = Array.isArray(responses) ? responses : [];
  return [
    ...rules,
    responseRule({ status: failingStatuses.length === 1 ? (failingStatuses[0] ?? 0) : failingStatuses }, "fail"),
  ];
}

/** Name of a rule's member with its action. The linter forbids `then` in an object literal, because promises have this member. */
const actionMember = "then";

export function responseRule(when: ValueObject, action: string): ValueObject {
  return Object.fromEntries(Object.entries({ when, [actionMember]: action }));
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
function commonHeaders(nodes: readonly StreamNode[]): ValueObject | undefined {
  const all = new Set(nodes.map(({ job }) => valueText(job.authentication.headers)));
  return all.size === 1 ? nodes[0]?.job.authentication.headers : undefined;
}

interface Logins {
  readonly authentication: Value | undefined;
  readonly authentications: ValueObject | undefined;
  /** Returns a job's `authentication`: a name, false for none, or undefined if all jobs have the same one. */
  nameOf(authentication: ValueObject | undefined): Value | undefined;
}

/** Collects the authentications of all jobs. If all have the same one, it is the API's; otherwise each gets a name. */
function loginsOf(nodes: readonly StreamNode[]): Logins {
  const all = new Map(
    nodes.map(({ job: { authentication } }) => [
      valueText(authentication.authentication ?? null),
      authentication.authentication,
    ]),
  );
  const [only] = all.values();
  if (all.size <= 1) return { authentication: only, authentications: undefined, nameOf: () => undefined };
  const namedLogins = [...all].flatMap(([key, one]) => (one === undefined ? [] : [{ key, one }]));
  const names = new Map(namedLogins.map(({ key }, index) => [key, `login-${index + 1}`]));
  return {
    authentication: undefined,
    authentications: Object.fromEntries(namedLogins.map(({ key, one }) => [names.get(key) ?? "", one])),
    nameOf: (authentication) => names.get(valueText(authentication ?? null)) ?? false,
  };
}
