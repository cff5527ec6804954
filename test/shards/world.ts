import { broken, json, raw, reset } from "../helpers/answers.ts";
import { type Api, type Received, startApi } from "../helpers/api.ts";
import type { Random } from "../helpers/random.ts";

/** How an endpoint answers. */
interface Endpoint {
  values: readonly object[];
  readonly paging: "offset" | "pagenum" | "unsized" | "token" | "none";
  readonly limit: number;
  /** Pages hold no more, whatever is asked for. */
  readonly cap: number;
  /** Behind its last page it answers with an empty page, with its last page, or with an error; or with one page alone. */
  readonly behaviour: "plain" | "clamped" | "gone" | "deaf";
  readonly total: boolean;
  /** A list of so many addresses of it; 1: no list. */
  readonly addresses: number;
  readonly children: "none" | "plain" | "listed" | "filtered" | "grand" | "twice";
}

/** A random API, and a configuration that reads it. */
export interface World {
  readonly configuration: object;
  readonly endpoints: readonly Endpoint[];
  /** So many requests, at random moments, are answered with a fault. */
  faults: number;
  /** Called for every request, before its answer is made. */
  onRequest: () => void;
  readonly api: Api;
}

export async function makeWorld(random: Random): Promise<World & AsyncDisposable> {
  const endpoints = Array.from({ length: random.between(1, 3) }, () => endpointOf(random));
  const world = { faults: 0, onRequest: (): void => undefined };
  const api = await startApi((request) => {
    world.onRequest();
    if (world.faults > 0 && random.oneIn(5)) {
      world.faults -= 1;
      return fault(random);
    }
    return answer(endpoints, request);
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
      : { id: random.oneIn(8) ? id >> 1 : id, text: "x".repeat(random.below(9)) },
  );
  return {
    values: values.map((value) => ({ ...value, tags: [value.id % 2, "b"].slice(0, value.id % 3) })),
    paging: random.pick(["offset", "pagenum", "unsized", "token", "none"]),
    limit,
    cap: random.oneIn(6) ? random.between(1, 6) : 100,
    behaviour: random.pick(["plain", "plain", "plain", "clamped", "gone", "deaf"]),
    total: random.oneIn(2),
    addresses: random.oneIn(6) ? random.between(2, 5) : 1,
    children: random.pick(["none", "none", "plain", "listed", "filtered", "grand", "twice"]),
  };
}

function answer(endpoints: readonly Endpoint[], { path, params }: Received): unknown {
  const [, name = "", id = ""] = path.split("/");
  if (name === "child") return { items: Array.from({ length: Number(id) % 3 }, (_, number) => ({ of: id, number })) };
  if (name === "tag") return { items: [{ tag: id }] };
  const endpoint = endpoints[Number(name.slice(1))];
  if (endpoint === undefined) return json({ error: "what?" }, { status: 500 });
  const { items, more } = pageOf(endpoint, params);
  if (endpoint.behaviour === "gone" && items.length === 0) return json({ error: "no such page" }, { status: 404 });
  return { items, ...more, ...(endpoint.total ? { total: endpoint.values.length } : {}) };
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

const child = { endpoint: "child/{id}", dataField: "items", placeholders: { id: "id" } };
const tag = { endpoint: "tag/{tag}", dataField: "items", placeholders: { tag: "tags" } };

const children: Readonly<Record<Endpoint["children"], (name: string) => readonly object[]>> = {
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
};

function configurationOf(url: string, endpoints: readonly Endpoint[], random: Random): object {
  const named = endpoints.map(({ paging, limit }, index) => [`s${index}`, scrollers[paging](limit)]);
  const jobs = endpoints.map((endpoint, index) => ({
    endpoint:
      endpoint.addresses === 1
        ? `e${index}`
        : Array.from({ length: endpoint.addresses }, (_, number) => `e${index}/${number}`),
    dataType: endpoint.addresses === 1 ? `data${index}` : `several${index}`,
    dataField: "items",
    scroller: `s${index}`,
    children: children[endpoint.children](`child${index}`),
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
