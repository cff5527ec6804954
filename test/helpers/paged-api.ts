import { type Answer, broken, json, text } from "./answers.ts";
import type { Handler, Received } from "./api.ts";
import type { Random } from "./random.ts";

/*
 * Random small APIs that page in usual ways, each with its configuration and the expected lines. They have values in bodies,
 * queries and headers; records as lists, as maps and inside elements; rules for answers; and children.
 */
export interface PagedApi {
  readonly configuration: (url: string) => object;
  /** Lines of all jobs, in order. */
  readonly lines: readonly string[];
  readonly handler: Handler;
  /** True if each page is written however it ends. If not, its lines must be held until its end. */
  readonly mayFlow: boolean;
}

type Place = string | { readonly path: string } | { readonly header: string };

/** A way of paging: the request of a page, its first record, and the members beside its records. */
interface Way {
  readonly pagination: object;
  /** Returns the index of the first record that a request asks for. */
  start(request: Received): number;
  /** Returns members beside the records, and headers, for the page from `start` up to `end`. */
  beside(start: number, end: number): Beside;
}

interface Beside {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that are added to each element. */
  readonly inElements?: Readonly<Record<string, unknown>>;
}

/** One job and its dataset. */
interface Source {
  readonly path: string;
  readonly size: number;
  /** Ids as written, too great for a JavaScript number to hold all of them exactly. */
  readonly ids: readonly string[];
  readonly method: "GET" | "POST";
}

interface Made {
  readonly scroller: object;
  readonly job: object;
  readonly lines: readonly string[];
  readonly routes: ReadonlyMap<string, Handler>;
  readonly rules: readonly object[];
  readonly mayFlow: boolean;
}

export function randomPagedApi(random: Random): PagedApi {
  const jobs = Array.from({ length: random.between(1, 2) }, (_, index) => randomJob(random, index));
  const routes = new Map(jobs.flatMap((job) => [...job.routes]));
  return {
    lines: jobs.flatMap(({ lines }) => lines),
    mayFlow: jobs.every(({ mayFlow }) => mayFlow),
    handler(request) {
      const name = request.path.split("/")[1] ?? "";
      return routes.get(name)?.(request) ?? json({ error: "no such path" }, { status: 404 });
    },
    configuration: (url) => ({
      api: {
        baseUrl: url,
        http: { responses: jobs.flatMap(({ rules }) => rules) },
        pagination: {
          method: "multiple",
          scrollers: {
            ...Object.fromEntries(jobs.map(({ scroller }, index) => [`s${index}`, scroller])),
            none: { method: "none" },
          },
        },
      },
      config: { jobs: jobs.map(({ job }, index) => ({ ...job, scroller: `s${index}` })) },
    }),
  };
}

function randomJob(random: Random, index: number): Made {
  const path = `j${index}`;
  const first = 9007199254740993n + BigInt(10_000 * index + random.below(1000));
  const ids = Array.from({ length: random.below(16) }, (_, index) => String(first + BigInt(index * 3)));
  const source: Source = { path, ids, size: random.between(1, 4), method: random.pick(["GET", "POST"]) };
  const shape = random.pick(shapes);
  const way = random.pick(ways)(random, source);
  const child = random.oneIn(3);
  // A rule may end the job before its last page, at a page that the rule matches.
  const pages = Math.ceil(ids.length / source.size);
  const lastPage = random.oneIn(4) && pages > 0 ? random.below(pages) : undefined;
  const stop = random.pick(["end", "empty"]);
  // Starts of the pages that a rule refuses once, so that they are requested again.
  const busy = new Set(pagesOf(ids, source.size).flatMap((_, index) => (random.oneIn(6) ? [index * source.size] : [])));
  // Starts of the pages whose first answer breaks off, each with the part that is sent, from 0 to 1.
  const breaking = new Map(
    pagesOf(ids, source.size).flatMap((_, index) =>
      random.oneIn(6) ? [[index * source.size, random.between(1, 99) / 100] as const] : [],
    ),
  );
  const cut = lastPage === undefined ? ids.length : (lastPage + (stop === "end" ? 1 : 0)) * source.size;
  const lines = pagesOf(ids.slice(0, cut), source.size).flatMap((page) => [
    ...page.map((id) => shape.line(id)),
    ...(child ? page.flatMap((id) => partsOf(id).map((part) => `{"part":${part},"parent_id":${id}}`)) : []),
  ]);
  const handler: Handler = (request) => {
    const start = way.start(request);
    if (busy.delete(start)) return { busy: true, at: shape.empty };
    const end = Math.min(start + source.size, ids.length);
    const { body = {}, headers = {}, inElements = {} } = way.beside(start, end);
    const breaks = breaking.get(start);
    breaking.delete(start);
    const stops = lastPage !== undefined && start === lastPage * source.size ? { [`${path}-stops`]: true } : {};
    const records = shape.write(ids.slice(start, end), inElements);
    const beside = JSON.stringify({ ...body, ...stops, at: "HERE" });
    const whole = beside.replace('"HERE"', () => records);
    if (breaks !== undefined) return broken.cutInBody(whole, Math.floor(Buffer.byteLength(whole) * breaks));
    return text(whole, { headers: { "content-type": "application/json", ...headers } });
  };
  const parts: Handler = (request): Answer | unknown =>
    partsOf(request.path.split("/")[2] ?? "").map((part) => ({ part }));
  // This is parsed from JSON, because linters mistake a literal with `then` for a promise.
  const rule = (when: object, meaning: string) => ({ when, ...JSON.parse(`{"then":"${meaning}"}`) });
  return {
    scroller: way.pagination,
    job: {
      endpoint: path,
      dataType: path,
      method: source.method,
      dataField: shape.dataField,
      ...(child
        ? {
            children: [
              {
                endpoint: `${path}-parts/{id}`,
                dataField: ".",
                dataType: `${path}-parts`,
                scroller: "none",
                placeholders: { id: "id" },
              },
            ],
          }
        : {}),
    },
    lines,
    routes: new Map([
      [path, handler],
      [`${path}-parts`, parts],
    ]),
    mayFlow: lastPage === undefined || stop === "end",
    rules: [rule({ path: "busy" }, "retry"), rule({ path: `${path}-stops` }, stop)],
  };
}

function pagesOf(ids: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}

function partsOf(id: string): readonly number[] {
  return Array.from({ length: Number(BigInt(id) % 3n) }, (_, index) => index);
}

interface Shape {
  readonly dataField: unknown;
  readonly empty: unknown;
  /** Returns the JSON of a page's records. */
  write(ids: readonly string[], inElements: Readonly<Record<string, unknown>>): string;
  line(id: string): string;
}

const members = (values: Readonly<Record<string, unknown>>) => {
  const json = JSON.stringify(values).slice(1, -1);
  return json === "" ? "" : `,${json}`;
};

const shapes: readonly Shape[] = [
  {
    dataField: "at",
    empty: [],
    write: (ids) => `[${ids.map((id) => `{"id":${id}, "x":1.10}`).join()}]`,
    line: (id) => `{"id":${id},"x":1.10}`,
  },
  {
    dataField: { path: "at", values: true, key: "key" },
    empty: {},
    write: (ids) => (ids.length === 0 ? "[]" : `{${ids.map((id) => `"k\\u002d${id}": {"id":${id}}`).join()}}`),
    line: (id) => `{"id":${id},"key":"k\\u002d${id}"}`,
  },
  {
    dataField: { path: "at", each: "in.node" },
    empty: [],
    write: (ids, more) =>
      `[${ids.map((id) => `{"id":${id}${members(more)},"in":{"node":{"id":${id},"e":"\\u00e9"}}}`).join()}]`,
    line: (id) => `{"id":${id},"e":"\\u00e9"}`,
  },
];

const places: readonly Place[] = ["at", { path: "page.at" }, { header: "X-At" }];

/** Returns the text at the place named `at`, as written. */
function read(request: Received, place: Place): string | undefined {
  if (typeof place === "object" && "header" in place) return request.headers[place.header.toLowerCase()];
  if (request.method === "POST") return /"at":"?([^",}]*)/.exec(request.body)?.[1];
  return request.params.get(typeof place === "string" ? place : "page[at]") ?? undefined;
}

const ways: readonly ((random: Random, source: Source) => Way)[] = [
  (random, { size, ids }) => {
    const offsetParam = random.pick(places);
    const limitParam = random.pick(["size", { path: "page.size" }, { header: "X-Size" }]);
    const limitStop = random.oneIn(2) ? { limitStop: { field: { header: "X-Total" } } } : {};
    return {
      pagination: { method: "offset", limit: size, offsetParam, limitParam, ...limitStop },
      start: (request) => Number(read(request, offsetParam) ?? 0),
      beside: () => ({ headers: { "X-Total": String(ids.length) } }),
    };
  },
  (random, { size }) => {
    const pageParam = random.pick(places);
    const firstPage = random.below(2);
    return {
      pagination: { method: "pagenum", limit: size, pageParam, firstPage },
      start: (request) => (Number(read(request, pageParam) ?? firstPage) - firstPage) * size,
      beside: () => ({}),
    };
  },
  (random, { ids }) => {
    const queryParam = random.pick(places);
    const inHeader = random.oneIn(2);
    const flagged = random.oneIn(2);
    const field = random.pick([{ path: "more" }, { header: "X-More" }]);
    return {
      pagination: {
        method: "response.param",
        responseParam: inHeader ? { header: "X-Next" } : { path: "meta.next" },
        queryParam,
        ...(flagged ? { nextPageFlag: { field, stopOn: false } } : {}),
      },
      start: (request) => Number((read(request, queryParam) ?? "t0").slice(1)),
      beside: (_start, end) => {
        const more = end < ids.length;
        const flag: Beside = { body: { more }, headers: { "X-More": String(more) } };
        const token = more || flagged ? `t${end}` : undefined;
        return {
          body: {
            ...(flagged ? flag.body : {}),
            ...(inHeader || token === undefined ? {} : { meta: { next: token } }),
          },
          headers: {
            ...(flagged ? flag.headers : {}),
            ...(inHeader && token !== undefined ? { "X-Next": token } : {}),
          },
        };
      },
    };
  },
  (random, { ids }) => {
    const queryParam = random.pick(places);
    return {
      pagination: { method: "response.param", responseParam: { lastRecord: "id" }, queryParam },
      start: (request) => ids.indexOf(read(request, queryParam) ?? "") + 1,
      beside: () => ({}),
    };
  },
  (random, { ids, path }) => {
    const inHeader = random.oneIn(2);
    return {
      pagination: { method: "response.url", urlKey: inHeader ? { header: "X-Next" } : "links.next" },
      start: ({ params }) => Number(params.get("from") ?? 0),
      beside: (_start, end) => {
        const next = end < ids.length ? `/${path}?from=${end}` : undefined;
        if (next === undefined) return {};
        return inHeader ? { headers: { "X-Next": next } } : { body: { links: { next } } };
      },
    };
  },
  (_random, { ids, path }) => ({
    pagination: { method: "link" },
    start: ({ params }) => Number(params.get("from") ?? 0),
    beside: (_start, end) =>
      end < ids.length ? { headers: { Link: `<?from=0>; rel=first, </${path}?from=${end}>; rel="next"` } } : {},
  }),
  (random, { ids }) => {
    const param = random.pick(places);
    return {
      pagination: { method: "cursor", idKey: "id", param, increment: 1 },
      start(request) {
        const least = BigInt(read(request, param) ?? 0);
        const index = ids.findIndex((id) => BigInt(id) >= least);
        return index < 0 ? ids.length : index;
      },
      beside: () => ({}),
    };
  },
];
