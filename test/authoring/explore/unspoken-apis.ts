import { json, type Received } from "../../helpers/api.ts";
import { type FakeApi, number, p23, part, people } from "./fake-api.ts";

const p37 = people(37);
const p95 = people(95);

const p17 = people(17);

/** Returns the records from a position on. Positions are counted from 1; 0 means 1. */
const fromFirst =
  (name: string) =>
  (request: Received): unknown => {
    const from = Math.max(0, number(request, name, 1) - 1);
    return { metadata: { offset: from + 1 }, results: p17.slice(from, from + 7) };
  };

const paged = (page: number, beside: object): object => ({ rows: p17.slice(page * 7 - 7, page * 7), ...beside });

/** APIs whose answers do not say that there is more. */
export const unspokenApis: readonly FakeApi[] = [
  {
    name: "an offset in the request that counts from 1",
    handler: () => fromFirst("offset"),
    request: "/users?limit=7&offset=1",
    method: "offset",
    all: p17,
  },
  {
    name: "a page number in brackets, named after the object around it in the answer",
    handler: () => (request) => {
      const page = number(request, "pagination[page]", 1);
      return paged(page, { meta: { pagination: { page, total: 17 } } });
    },
    request: "/users",
    method: "pagenum",
    all: p17,
  },
  {
    name: "another column of the last record in the query of a POST, while its id is refused",
    handler: () => (request) => {
      const since = request.params.get("since");
      const from = since === null ? 0 : p17.findIndex(({ id }) => `t-${id}` === since) + 1;
      if (since !== null && from === 0) return json({ message: `since is wrong: ${since}` }, { status: 400 });
      return { attendees: p17.slice(from, from + 7).map((one) => ({ ...one, ticket: `t-${one.id}` })) };
    },
    request: "/users -X POST -H 'content-type: application/json' -d '{}'",
    method: "response.param",
    all: p17.map((one) => ({ ...one, ticket: `t-${one.id}` })),
  },
  {
    name: "$page without a page size",
    handler: () => (request) =>
      paged(number(request, "$page", 1), { Meta: { CurrentPage: number(request, "$page", 1) } }),
    request: "/users",
    method: "pagenum",
    all: p17,
  },
  {
    name: "37 records a page, and a page number that the answer does not mention",
    handler: () => (request) => p95.slice(number(request, "page", 1) * 37 - 37, number(request, "page", 1) * 37),
    request: "/users",
    method: "pagenum",
    all: p95,
  },
  {
    name: "37 records a page, and an offset that the answer does not mention",
    handler: () => (request) => ({ rows: part(p95, request, ["offset", "limit"], 37, 37).items }),
    request: "/users",
    method: "offset",
    all: p95,
  },
  {
    name: "37 records a page, and a page number under a rare name",
    handler: () => (request) => p95.slice(number(request, "pageNo", 1) * 37 - 37, number(request, "pageNo", 1) * 37),
    request: "/users",
    method: "pagenum",
    all: p95,
  },
  {
    name: "37 records a page, and an offset that counts from 1",
    handler: () => (request) => p95.slice(number(request, "start", 1) - 1, number(request, "start", 1) + 36),
    request: "/users",
    method: "offset",
    all: p95,
  },
  {
    name: "37 records in all, and parameters that are ignored",
    handler: () => () => ({ rows: p37 }),
    request: "/users?lang=de",
    method: undefined,
    all: p37,
    says: /no paging was found: the answer has 37 records/,
  },
  {
    name: "two pages, numbered from 0, and a 404 for the third: the refusal shows the end",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      return page > 1 ? json({}, { status: 404 }) : people(64).slice(page * 37, page * 37 + 37);
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /page=2 was answered with 404, which may be how the API ends its pages/,
  },
  {
    name: "a page number at the end of the path",
    handler: () => (request) => {
      const page = Number(/\/users\/([0-9]+)\.json$/.exec(request.path)?.[1] ?? 1);
      return p23.slice((page - 1) * 9, page * 9);
    },
    request: "/users/1.json",
    method: "none",
    all: undefined,
    says: /path/,
  },
  {
    name: "a page number in a header",
    handler: () => (request) => {
      const page = Number(request.headers["x-page"] ?? 1);
      return p23.slice((page - 1) * 9, page * 9);
    },
    request: "/users -H 'X-Page: 2'",
    method: "pagenum",
    all: p23,
  },
];
