import { decodeForm, type Parameter, splitAddress } from "../../core/requests/request.ts";
import { isNumber, plainText, type Value, type ValueObject } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import { datasetName, type JobDraft } from "../configuration-draft.ts";
import type { PathFilter } from "../described/choice.ts";
import { namedPaging } from "../described/named-paging.ts";
import { listOf, objectOf } from "../described/values.ts";
import { delimiterOf } from "../explore/first-answer/first-page.ts";
import { variableName, variablePrefix, variableSuffix } from "../variable-names.ts";
import type { References } from "./document.ts";
import { listOperations } from "./lists.ts";
import { type NestedList, nest, type PathPlaceholder, type PathSetting } from "./nesting.ts";
import { type DescribedSecurity, type JobSecurity, type Security, securityOf } from "./security.ts";

/** The job for a list that a description contains. */
export interface DescribedJob {
  /** The endpoint, with `{name}` for each setting and each placeholder. */
  readonly endpoint: string;
  readonly settings: readonly PathSetting[];
  /** The placeholders of the endpoint; those that the outermost list fills come first. */
  readonly placeholders: readonly PathPlaceholder[];
  readonly params: readonly Parameter[];
  readonly headers: Readonly<Record<string, Value>>;
  /** Name of the job's authentication; false for none; undefined for that of the job above it, or of the API. */
  readonly authentication: JobSecurity["authentication"];
  readonly draft: JobDraft;
  /** Jobs that run once for each record of this job. */
  readonly children: readonly DescribedJob[];
}

/** A described API, as parts of a configuration. */
export interface DescribedApi {
  readonly baseUrl: string;
  readonly security: Security;
  /** Authentications to which some jobs refer by name. */
  readonly authentications: Readonly<Record<string, ValueObject>>;
  /** Settings for required parameters. */
  readonly settings: Readonly<Record<string, Value>>;
  readonly jobs: readonly DescribedJob[];
  readonly notes: readonly string[];
}

/** Reads the server, credentials and lists of an API from its description. `filter` chooses paths. */
export function describeApi(description: References, filter: PathFilter): DescribedApi {
  const notes: string[] = [];
  const server = serverOf(listOf(description.root.servers));
  const { address: baseUrl, missing } = server;
  if (missing !== "") notes.push(`${missing}: put the API's address into baseUrl`);
  const prefix = variablePrefix(baseUrl);
  const lists = listOperations(description, filter);
  const { roots, reasons } = nest(lists);
  for (const { path, reason } of reasons) notes.push(`${path} takes the values of its path from settings: ${reason}`);
  const security = securityOf(description, lists, prefix, baseUrl);
  const settings: Record<string, Value> = {};
  const datasets = new Set(roots.flatMap(({ operation }) => datasetName(`http://x${operation.path}`) ?? []));
  const jobs = roots.map((nested) =>
    describeJob(nested, {
      baseUrl,
      prefix,
      settings,
      security,
      datasets,
      notes,
      above: undefined,
      inherited: undefined,
    }),
  );
  const { main, authentications } = security;
  Object.assign(settings, security.settings);
  return { baseUrl, security: main, authentications, settings, jobs, notes: [...notes, ...security.notes] };
}

interface OpenapiOptions {
  readonly baseUrl: string;
  /** Beginning of the environment variables' names. */
  readonly prefix: string;
  /** Settings for required parameters so far. `describeJob` adds to them. */
  readonly settings: Record<string, Value>;
  /** Names of the datasets so far. `describeJob` adds to them. */
  readonly datasets: Set<string>;
  /** Notes for the user so far. `describeJob` adds to them. */
  readonly notes: string[];
  readonly security: DescribedSecurity;
  /** The dataset of the job above. */
  readonly above: string | undefined;
  /** The authentication of the job above. */
  readonly inherited: JobSecurity["authentication"];
}

function describeJob(
  { operation, settings: pathSettings, placeholders, children }: NestedList,
  options: OpenapiOptions,
): DescribedJob {
  const { baseUrl, prefix, settings, datasets, notes, above, inherited } = options;
  const { authentication, headers } = options.security.jobSecurity(operation, inherited);
  const server = serverOf(operation.servers);
  const isElsewhere = server.address !== baseUrl;
  if (isElsewhere && server.missing !== "") notes.push(`${operation.path}: ${server.missing}`);
  const { origin } = new URL(server.address);
  if (isElsewhere && origin !== new URL(baseUrl).origin)
    notes.push(`${operation.path} is at ${origin}, which gets the credentials, too`);
  const required = operation.parameters.filter(
    (parameter) => parameter.required === true && /^(query|header)$/.test(String(parameter.in)),
  );
  const values = required.map((parameter) => {
    const name = String(parameter.name);
    const setting = isCredential(name) ? `#${name}` : name;
    settings[setting] = suggestedValue(parameter) ?? { env: variableName(prefix, variableSuffix(name)) };
    return { name, place: parameter.in, value: { attr: setting } };
  });
  for (const { parameter, setting } of pathSettings) {
    const describedParameter = operation.parameters.find(
      ({ name, in: place }) => name === parameter && place === "path",
    );
    settings[setting] ??= suggestedValue(describedParameter ?? {}) ?? {
      env: variableName(prefix, variableSuffix(setting)),
    };
  }
  const delimiter = delimiterOf(operation.list);
  const path = operation.list.join(delimiter);
  const name = datasetName(`http://x${operation.path}`);
  const dataType = name !== undefined && above !== undefined && datasets.has(name) ? `${above}-${name}` : name;
  if (dataType !== undefined) datasets.add(dataType);
  return {
    endpoint: placeholders.reduce(
      (endpoint, { parameter, placeholder }) => endpoint.replace(`{${parameter}}`, `{${placeholder}}`),
      (isElsewhere ? server.address : "") + operation.path.replace(/^\//, ""),
    ),
    settings: pathSettings,
    placeholders,
    params: [
      ...server.params,
      ...values.filter(({ place }) => place === "query").map(({ name, value }) => ({ name, value })),
    ],
    headers: {
      ...headers,
      ...Object.fromEntries(values.filter(({ place }) => place === "header").map(({ name, value }) => [name, value])),
    },
    authentication,
    draft: {
      dataField: operation.list.length === 0 ? "." : delimiter === "." ? path : { path, delimiter },
      dataType,
      pagination: namedPaging(operation),
    },
    children: children.map((child) =>
      describeJob(child, { ...options, above: dataType, inherited: authentication ?? inherited }),
    ),
  };
}

/** Returns the example, the default or the first choice of a described parameter; undefined if it has none. */
function suggestedValue({ example, schema }: ValueObject): Value | undefined {
  const { default: defaultValue, example: schemaExample, enum: choices } = objectOf(schema);
  const value = [example, defaultValue, schemaExample, Array.isArray(choices) ? choices[0] : undefined].find(
    (one) => typeof one === "string" || isNumber(one),
  );
  return value === undefined ? undefined : String(value);
}

interface Server {
  /** The address without its query. It ends with a slash. */
  readonly address: string;
  /** The parameters in the query of the server's address. Each request needs them. */
  readonly params: readonly Parameter[];
  /** The reason why the host is only a stand-in; "" if it is the real one. */
  readonly missing: string;
}

/** Address of a host that never exists (RFC 2606): requests fail until the user writes the real address. */
const standIn = "https://api.invalid/";

/**
 * Reads the first server. If it has no host, or one of its variables has no value, returns a stand-in: spile guesses no address to
 * which it would send credentials.
 */
export function serverOf([server = {}]: readonly ValueObject[]): Server {
  const { url = "/", variables } = server;
  const unfilled: string[] = [];
  const hostEnd = /^[a-z]+:\/\/[^/?#]*/i.exec(plainText(url))?.[0].length ?? -1;
  const text = plainText(url).replace(/\{([^{}]+)\}/g, (_, name: string, index: number) => {
    const value = variableValue(objectOf(objectOf(variables)[name]));
    // An empty variable in the host would make it another host.
    if (value === undefined || (value === "" && index <= hostEnd)) unfilled.push(`{${name}}`);
    return value ?? "";
  });
  const missing =
    unfilled.length > 0
      ? `the server ${plainText(url)} has no value for ${unfilled.join(", ")}`
      : URL.canParse(text)
        ? ""
        : `the description names no host (server ${text})`;
  const address = URL.canParse(text) ? new URL(text) : new URL(text.replace(/^[a-z]+:\/\/[^/]*/i, ""), standIn);
  const whole = missing === "" ? address : new URL(address.pathname + address.search, standIn);
  const params = splitAddress(whole).query.flatMap((item): readonly Parameter[] => {
    const [name = "", ...rest] = "raw" in item ? item.raw.split("=") : [];
    return name === "" ? [] : [{ name: decodeForm(name), value: decodeForm(rest.join("=")) }];
  });
  const path = `${whole.origin}${whole.pathname}`;
  return { address: path.endsWith("/") ? path : `${path}/`, params, missing };
}

function variableValue({ default: usual, enum: choices }: ValueObject): string | undefined {
  const [first]: readonly Value[] = Array.isArray(choices) ? choices : [];
  const value = usual ?? first;
  return value === undefined || value === null ? undefined : plainText(value);
}
