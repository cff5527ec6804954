import { broken, json, raw, reset } from "../helpers/answers.ts";
import { type Api, type Received, startApi } from "../helpers/api.ts";
import type { Random } from "../helpers/random.ts";

/** An endpoint of the API: its records, how it pages, and how the job reads it. */
interface Endpoint {
  values: readonly object[];
  readonly paging: "offset" | "pagenum" | "unsized" | "token" | "none";
  readonly limit: number;
  /** Greatest page size. */
  readonly cap: number;
  /** Answer after its last page: an empty page, the last page again, or an error. If it is `deaf`, each answer is the first page. */
  readonly behaviour: "plain" | "clamped" | "gone" | "deaf";
  readonly total: boolean;
  /** Number of addresses in a list; 1 for no list. */
  readonly addresses: number;
  /** Number of days that are requested one by one; 0 for no windows. */
  readonly days: number;
  /** True if the job continues the next time from the greatest value that it has read. */
  readonly increments: boolean;
  /** True if its children continue from such a value for each record. */
  readonly incrementsOfParents: boolean;
  /** True if each day has the same records. */
  readonly ignoresDays: boolean;
  readonly children: keyof typeof children;
}

/** A random API, and a configuration that reads it. */
export interface World {
  readonly configuration: object;
  readonly endpoints: readonly Endpoint[];
  /** Number of requests that get a fault as their answer, at random moments. */
  faults: number;
  /** Called for every request, before its answer is made. */
  onRequest: () => void;
  readonly api: Api;
}

export async function makeWorld(random: Random): Promise<World & AsyncDisposable> {
  const endpoints = Array.from({ length: random.between(1, 3) }, () => endpointOf(random));
  const keyed = random.oneIn(2);
  const world = { faults: 0, onRequest: (): void => undefined };
  const api = await startApi((request) => {
    world.onRequest();
    if (world.faults > 0 && random.oneIn(5)) {
      world.faults -= 1;
      return fault(random);
    }
    return answer(endpoints, keyed, request);
  });
  const configuration = configurationOf(api.url, endpoints, random);
  return Object.assign(world, { api, endpoints, configuration, [Symbol.asyncDispose]: () => api.close() });
}

function endpointOf(random: Random): Endpoint {
  const same = random.oneIn(8);
  const limit = random.between(1, 6);
  const values = Array.from({ length: random.oneIn(6) ? 0 : random.between(1, 50) }, (_, id) =>
    same
      ? { id: id % limit, text: "again" }
      : { id: random.oneIn(8) ? id >> 1 : id, text: "x".repeat(random.below(9)), at: random.below(100) },
  );
  return {
    values: values.map((value) => ({ ...value, tags: [value.id % 2, "b"].slice(0, value.id % 3) })),
    paging: random.pick(["offset", "pagenum", "unsized", "token", "none"]),
    limit,
    cap: random.oneIn(6) ? random.between(1, 6) : 100,
    behaviour: random.pick(["plain", "plain", "plain", "clamped", "gone", "deaf"]),
    total: random.oneIn(2),
    addresses: random.oneIn(6) ? random.between(2, 5) : 1,
    days: random.oneIn(5) ? random.between(0, 9) : 0,
    ignoresDays: random.oneIn(4),
    increments: random.oneIn(3),
    incrementsOfParents: random.oneIn(2),
    children: random.oneIn(3) ? "none" : random.pick(Object.keys(children) as (keyof typeof children)[]),
  };
}

/** Returns the answer. `keyed`: the records of children have keys, many of which are equal. */
function answer(endpoints: readonly Endpoint[], keyed: boolean, { path, params }: Received): unknown {
  const [, name = "", id = ""] = path.split("/");
  if (name === "child" || name === "batch") {
    const sum = id.split(",").reduce((all, one) => all + (Number(one) || 1), 0);
    const key = (number: number): object => (keyed ? { id: (sum + number) % 7 } : {});
    return { items: Array.from({ length: sum % 3 }, (_, number) => ({ ...key(number), of: id, number })) };
  }
  if (name === "tag") return { items: [{ tag: id }] };
  const endpoint = endpoints[Number(name.slice(1))];
  if (endpoint === undefined) return json({ error: "what?" }, { status: 500 });
  const { items, more } = pageOf(ofDay(endpoint, params), params);
  if (endpoint.behaviour === "gone" && items.length === 0) return json({ error: "no such page" }, { status: 404 });
  return { items, ...more, ...(endpoint.total ? { total: endpoint.values.length } : {}) };
}

function ofDay(endpoint: Endpoint, params: URLSearchParams): Endpoint {
  const { days, ignoresDays, values } = endpoint;
  if (days === 0 || ignoresDays) return endpoint;
  const day = (Number(params.get("from")) - firstDay) / dayLength;
  return { ...endpoint, values: values.filter((_, index) => index % days === day) };
}

function pageOf(
  { values, paging, limit, cap, behaviour }: Endpoint,
  params: URLSearchParams,
): { readonly items: readonly object[]; readonly more?: object } {
  if (paging === "none") return { items: values };
  const size = Math.min(Number(params.get("limit") ?? limit), cap);
  if (paging === "token") {
    const from = Number(params.get("token") ?? 0);
    return {
      items: values.slice(from, from + size),
      more: from + size < values.length ? { next: `${from + size}` } : {},
    };
  }
  const asked = paging === "offset" ? Number(params.get("offset") ?? 0) : (Number(params.get("page") ?? 1) - 1) * size;
  const last = Math.max(0, Math.ceil(values.length / size) - 1) * size;
  const from = behaviour === "deaf" ? 0 : behaviour === "clamped" ? Math.min(asked, last) : asked;
  return { items: values.slice(from, from + size) };
}

function fault(random: Random): unknown {
  return random.pick([
    () => json({ error: "down" }, { status: 503 }),
    () => json({ error: "slow down" }, { status: 429, headers: { "retry-after": "0" } }),
    () => broken.cutInBody('{"items":[{"id":1}'),
    () => raw(reset),
  ])();
}

const scrollers: Readonly<Record<Endpoint["paging"], (limit: number) => object>> = {
  offset: (limit) => ({ method: "offset", limit }),
  pagenum: (limit) => ({ method: "pagenum", limit }),
  unsized: () => ({ method: "pagenum" }),
  token: () => ({ method: "response.param", responseParam: "next", queryParam: "token" }),
  none: () => ({ method: "response.param", responseParam: "absent", queryParam: "t" }),
};

/** Unix seconds. */
const firstDay = Date.UTC(2024, 0, 1) / 1000;
const dayLength = 86_400;

const child = { endpoint: "child/{id}", dataField: "items", placeholders: { id: "id" } };
const tag = { endpoint: "tag/{tag}", dataField: "items", placeholders: { tag: "tags" } };

const batch = { endpoint: "batch/{ids}", dataField: "items", placeholders: { ids: { path: "id", batch: 3 } } };

const children = {
  none: () => [],
  plain: (name) => [{ ...child, dataType: name }],
  listed: (name) => [{ ...tag, dataType: name }],
  filtered: (name) => [{ ...child, dataType: name, recursionFilter: "id>3" }],
  grand: (name) => [
    { ...child, dataType: name, children: [{ ...child, placeholders: { id: "number" }, dataType: `${name}g` }] },
  ],
  twice: (name) => [
    { ...child, dataType: name },
    { ...tag, dataType: `${name}t` },
  ],
  batched: (name) => [{ ...batch, dataType: name }],
  batches: (name) => [
    { ...tag, dataType: `${name}t`, endpoint: "batch/{ids}", placeholders: { ids: { path: "tags", batch: 2 } } },
    { ...batch, dataType: name, children: [{ ...child, placeholders: { id: "number" }, dataType: `${name}g` }] },
  ],
} satisfies Readonly<Record<string, (name: string) => readonly object[]>>;

function configurationOf(url: string, endpoints: readonly Endpoint[], random: Random): object {
  const named = endpoints.map(({ paging, limit }, index) => [`s${index}`, scrollers[paging](limit)]);
  const jobs = endpoints.map((endpoint, index) => ({
    endpoint:
      endpoint.addresses === 1
        ? `e${index}`
        : Array.from({ length: endpoint.addresses }, (_, number) => `e${index}/${number}`),
    dataType: endpoint.addresses === 1 && endpoint.days === 0 ? `data${index}` : `several${index}`,
    ...(endpoint.days === 0 ? {} : windowed(endpoint)),
    ...(endpoint.increments ? { incremental: { path: "at", type: "number" } } : {}),
    dataField: "items",
    scroller: `s${index}`,
    children: childrenOf(endpoint, `child${index}`),
  }));
  const iterations = [{ a: 1 }, { a: 2 }, { a: 3 }].slice(0, random.between(1, 3));
  return {
    api: {
      baseUrl: `${url}/`,
      http: { ignoreErrors: [404] },
      pagination: { method: "multiple", scrollers: Object.fromEntries(named) },
    },
    config: { jobs },
    ...(random.oneIn(4) ? { iterations } : {}),
  };
}

function childrenOf({ children: kind, incrementsOfParents }: Endpoint, name: string): readonly object[] {
  const made: readonly object[] = children[kind](name);
  // A batch joins parents, which therefore have no increments.
  if (!incrementsOfParents || kind === "batched" || kind === "batches") return made;
  return made.map((one) => ({ ...one, incremental: { path: "number", type: "number" } }));
}

function windowed({ days }: Endpoint): object {
  const windows = { from: firstDay, to: firstDay + days * dayLength, step: "1 day" };
  return { windows, params: { from: { window: "from" } } };
}
