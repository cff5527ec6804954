import type { Parameter } from "../../core/request.ts";
import { isNumber, type Value, type ValueObject } from "../../core/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import { datasetName, type JobDraft } from "../configuration-draft.ts";
import { variableName, variablePrefix, variableSuffix } from "../credential-names.ts";
import { delimiterOf } from "../explore/first-answer/first-page.ts";
import type { PathFilter } from "../path-filter.ts";
import { type Description, objectOf } from "./document.ts";
import { listOperations } from "./lists.ts";
import { type Filled, type Nested, nest } from "./nesting.ts";
import { pagingOf } from "./paging.ts";
import { type Security, securityOf } from "./security.ts";

/** A job of a description, before its paging is proven. */
export interface DescribedJob {
  readonly endpoint: string;
  /** What fills the placeholders of its endpoint, the outermost list's first. */
  readonly filled: readonly Filled[];
  readonly params: readonly Parameter[];
  readonly headers: Readonly<Record<string, Value>>;
  readonly draft: JobDraft;
  /** Jobs that run once for each of its records. */
  readonly children: readonly DescribedJob[];
}

/** What a description says of an API, in parts of a configuration. */
export interface DescribedApi {
  readonly baseUrl: string;
  readonly security: Security;
  /** Settings for required parameters. */
  readonly settings: Readonly<Record<string, Value>>;
  readonly jobs: readonly DescribedJob[];
  readonly notes: readonly string[];
}

/** Reads an API's server, credentials and lists out of its description. `filter` chooses paths. */
export function describeApi(description: Description, filter: PathFilter): DescribedApi {
  const notes: string[] = [];
  const baseUrl = serverOf(description.root, notes);
  const prefix = variablePrefix(baseUrl);
  const lists = listOperations(description, filter);
  const { roots, left } = nest(lists);
  for (const { path, why } of left) notes.push(`${path} is left out: ${why}`);
  const security = securityOf(description, lists, prefix, baseUrl);
  const settings: Record<string, Value> = {};
  const taken = new Set(roots.flatMap(({ operation }) => datasetName(`http://x${operation.path}`) ?? []));
  const jobs = roots.map((nested) => describeJob(nested, { prefix, settings, taken, above: undefined }));
  return { baseUrl, security, settings, jobs, notes: [...notes, ...security.notes] };
}

interface Surroundings {
  readonly prefix: string;
  readonly settings: Record<string, Value>;
  /** Names of datasets. */
  readonly taken: Set<string>;
  /** The dataset of the job above. */
  readonly above: string | undefined;
}

function describeJob({ operation, filled, children }: Nested, surroundings: Surroundings): DescribedJob {
  const { prefix, settings, taken, above } = surroundings;
  const required = operation.parameters.filter(
    (parameter) => parameter.required === true && /^(query|header)$/.test(String(parameter.in)),
  );
  const values = required.map((parameter) => {
    const name = String(parameter.name);
    const setting = isCredential(name) ? `#${name}` : name;
    settings[setting] = knownValue(parameter) ?? { env: variableName(prefix, variableSuffix(name)) };
    return { name, place: parameter.in, value: { attr: setting } };
  });
  const delimiter = delimiterOf(operation.list);
  const path = operation.list.join(delimiter);
  const own = datasetName(`http://x${operation.path}`);
  const dataType = own !== undefined && above !== undefined && taken.has(own) ? `${above}-${own}` : own;
  if (dataType !== undefined) taken.add(dataType);
  return {
    endpoint: filled.reduce(
      (endpoint, { parameter, placeholder }) => endpoint.replace(`{${parameter}}`, `{${placeholder}}`),
      operation.path.replace(/^\//, ""),
    ),
    filled,
    params: values.filter(({ place }) => place === "query").map(({ name, value }) => ({ name, value })),
    headers: Object.fromEntries(
      values.filter(({ place }) => place === "header").map(({ name, value }) => [name, value]),
    ),
    draft: {
      dataField: operation.list.length === 0 ? "." : delimiter === "." ? path : { path, delimiter },
      dataType,
      pagination: pagingOf(operation),
    },
    children: children.map((child) => describeJob(child, { ...surroundings, above: dataType })),
  };
}

/** A value that a description gives for a parameter. */
function knownValue({ example, schema }: ValueObject): Value | undefined {
  const { default: byDefault, example: ofSchema, enum: choices } = objectOf(schema);
  const value = [example, byDefault, ofSchema, Array.isArray(choices) ? choices[0] : undefined].find(
    (one) => typeof one === "string" || isNumber(one),
  );
  return value === undefined ? undefined : String(value);
}

/** The first server, its variables at their defaults. One without a host is to be filled in. */
function serverOf(root: ValueObject, notes: string[]): string {
  const [server] = Array.isArray(root.servers) ? root.servers : [];
  const { url, variables } = objectOf(server);
  const filled = String(url ?? "/").replace(/\{(\w+)\}/g, (_, name: string) =>
    String(objectOf(objectOf(variables)[name]).default ?? name),
  );
  const address = URL.canParse(filled) ? new URL(filled) : new URL(filled, "https://api.example.com/");
  if (!URL.canParse(filled))
    notes.push(`the description names no host (server ${filled}): put the API's address into baseUrl`);
  return address.href.endsWith("/") ? address.href : `${address.href}/`;
}
