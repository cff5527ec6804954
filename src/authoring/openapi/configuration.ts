import { counted } from "../../core/counted.ts";
import type { Parameter } from "../../core/request.ts";
import { isNumber, type Value, type ValueObject } from "../../core/value.ts";
import { datasetName, type JobDraft } from "../configuration-draft.ts";
import { speaksOfCredentials, variablePrefix, variableSuffix } from "../credential-names.ts";
import { delimiterOf } from "../explore/first-page.ts";
import type { PathFilter } from "../path-filter.ts";
import { type Description, type Operation, objectOf } from "./document.ts";
import { pagingOf } from "./paging.ts";
import { listInSchema } from "./schema-list.ts";
import { type Security, securityOf } from "./security.ts";

/** A job of a description, before its paging is proven. */
export interface DescribedJob {
  readonly endpoint: string;
  readonly params: readonly Parameter[];
  readonly headers: Readonly<Record<string, Value>>;
  readonly draft: JobDraft;
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
  const wanted = description.operations.filter(({ path }) => filter(path));
  const lists = wanted.flatMap((operation) => {
    const list =
      operation.schema === undefined
        ? undefined
        : listInSchema(operation.schema, datasetName(`http://x${operation.path}`));
    return list === undefined ? [] : [{ operation, list }];
  });
  const [open, bound] = [false, true].map((inPath) =>
    lists.filter(({ operation }) => /\{/.test(operation.path) === inPath),
  );
  if (bound !== undefined && bound.length > 0) {
    const paths = bound.map(({ operation }) => operation.path);
    notes.push(
      `${counted(bound.length, "list")} with values in the path are left out, as they are best child jobs: ${paths.slice(0, 5).join(", ")}`,
    );
  }
  const security = securityOf(
    description,
    lists.map(({ operation }) => operation),
    prefix,
    baseUrl,
  );
  const settings: Record<string, Value> = {};
  const jobs = (open ?? []).map(({ operation, list }) => describeJob(operation, list, prefix, settings));
  return { baseUrl, security, settings, jobs, notes: [...notes, ...security.notes] };
}

function describeJob(
  operation: Operation,
  list: readonly string[],
  prefix: string,
  settings: Record<string, Value>,
): DescribedJob {
  const required = operation.parameters.filter(
    (parameter) => parameter.required === true && /^(query|header)$/.test(String(parameter.in)),
  );
  const values = required.map((parameter) => {
    const name = String(parameter.name);
    const setting = speaksOfCredentials(name) ? `#${name}` : name;
    settings[setting] = knownValue(parameter) ?? { env: `${prefix}_${variableSuffix(name)}` };
    return { name, place: parameter.in, value: { attr: setting } };
  });
  const delimiter = delimiterOf(list);
  const path = list.join(delimiter);
  return {
    endpoint: operation.path.replace(/^\//, ""),
    params: values.filter(({ place }) => place === "query").map(({ name, value }) => ({ name, value })),
    headers: Object.fromEntries(
      values.filter(({ place }) => place === "header").map(({ name, value }) => [name, value]),
    ),
    draft: {
      dataField: list.length === 0 ? "." : delimiter === "." ? path : { path, delimiter },
      dataType: datasetName(`http://x${operation.path}`),
      pagination: pagingOf(operation),
    },
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

/**
 * The configuration of an API and these jobs. One way of paging for all is written as such, several become scrollers that
 * jobs choose by name.
 */
export function assemble(api: DescribedApi, jobs: readonly DescribedJob[]): ValueObject {
  const { security, settings, baseUrl } = api;
  const scrollers = new Map<string, { readonly name: string; readonly pagination: ValueObject }>();
  for (const { draft } of jobs) {
    if (draft.pagination === undefined || scrollers.has(JSON.stringify(draft.pagination))) continue;
    const method = String(draft.pagination.method).replace(".", "-");
    const same = [...scrollers.values()].filter(({ name }) => name.startsWith(method)).length;
    scrollers.set(JSON.stringify(draft.pagination), {
      name: same === 0 ? method : `${method}-${same + 1}`,
      pagination: draft.pagination,
    });
  }
  const several = scrollers.size > 1 || jobs.some(({ draft }) => draft.pagination === undefined);
  const all = [...scrollers.values()];
  const multiple = {
    method: "multiple",
    scrollers: Object.fromEntries(all.map(({ name, pagination }) => [name, pagination])),
  };
  const pagination = all.length === 0 ? undefined : several ? multiple : all[0]?.pagination;
  const written = jobs.map(({ endpoint, params, headers, draft }) => ({
    endpoint,
    ...(params.length === 0 ? {} : { params: Object.fromEntries(params.map(({ name, value }) => [name, value])) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(draft.dataField === undefined ? {} : { dataField: draft.dataField }),
    ...(draft.dataType === undefined ? {} : { dataType: draft.dataType }),
    ...(several && draft.pagination !== undefined
      ? { scroller: scrollers.get(JSON.stringify(draft.pagination))?.name ?? "" }
      : {}),
  }));
  return {
    api: {
      baseUrl,
      ...(security.authentication === undefined ? {} : { authentication: security.authentication }),
      ...(pagination === undefined ? {} : { pagination }),
      ...(Object.keys(security.headers).length === 0
        ? {}
        : { http: { defaultOptions: { headers: security.headers } } }),
    },
    config: { ...security.settings, ...settings, jobs: written },
  };
}
