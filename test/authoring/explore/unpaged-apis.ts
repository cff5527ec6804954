import { empty, json, text } from "../../helpers/api.ts";
import { type FakeApi, number, p23, p40, part, people } from "./fake-api.ts";

/** APIs without paging, APIs whose paging cannot be found or seems absent, and APIs that do not answer with records. */
export const unpagedApis: readonly FakeApi[] = [
  {
    name: "an answer that is not ready: the rule that asks again is named",
    handler: () => () => ({ jobComplete: false, items: [] }),
    request: "/queries",
    method: "none",
    all: undefined,
    says: /"jobComplete" false, so the result is not ready; the rule .*"jobComplete","is":false.* asks again/,
  },
  {
    name: "a flag that is a text says that there is more, and no way is found",
    handler: () => () => ({ more_available: "true", items: people(3) }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \("more_available" is true\), but no way/,
  },
  {
    name: "page numbers whose third page repeats records of the second one, which the run reports",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const from = page < 3 ? (page - 1) * 10 : (page - 1) * 10 - 5;
      return { items: p40.slice(from, from + 10) };
    },
    request: "/users?page=1&per_page=10",
    method: "none",
    all: undefined,
    says: /tried page numbers by "page".*: does not hold: GET \/users\?.*page=3 gave 5 records of the pages before it/,
  },
  {
    name: "a token under an unknown name: the API has more, and no way to the next page is found",
    handler: () => (request) => {
      const from = number(request, "wiggle", 0);
      return { data: p23.slice(from, from + 10), has_more: from + 10 < 23, wobble: from + 10 };
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \("has_more" is true\), but no way/,
  },
  {
    name: "exactly as many records as requested, and no way to the next page: the run is suspect",
    handler: () => () => people(10),
    request: "/users?limit=10",
    method: "none",
    all: undefined,
    says: /no paging was found.*"limit" asks for as many/,
  },
  {
    name: "a page size and no way to the next page: a larger page has all records",
    handler: () => (request) => p23.slice(0, number(request, "limit", 10)),
    request: "/users?limit=10",
    method: "none",
    all: p23,
    says: /limit=10000 gave 23 records: all there are, in one page/,
  },
  {
    name: "exactly as many records as requested, and no page above 20",
    handler: () => (request) => p23.slice(0, Math.min(20, number(request, "limit", 10))),
    request: "/users?limit=10",
    method: "none",
    all: undefined,
    says: /limit=11 gave 11 records: there are more/,
  },
  {
    name: "exactly as many records as requested, no page above 20, and a total that counts only the page",
    handler: () => (request) => {
      const items = p23.slice(0, Math.min(20, number(request, "per_page", 10)));
      return { total: items.length, items };
    },
    request: "/users?per_page=10",
    method: "none",
    all: undefined,
    says: /per_page=11 gave 11 records: there are more/,
  },
  {
    name: "a round number of records without a requested size: the run is suspect",
    handler: () => () => ({ items: people(25) }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /25 is a size that pages often have/,
  },
  {
    name: "a round number of records, and a total that says that these are all",
    handler: () => () => ({ total: 25, items: people(25) }),
    request: "/users",
    method: undefined,
    all: people(25),
    says: /the API says that this is all/,
  },
  {
    name: "fewer records than requested, and no way to the next page: a full page will be suspect",
    handler: () => () => people(7),
    request: "/users?limit=50",
    method: "none",
    all: people(7),
  },
  {
    name: "an empty list for any parameter",
    handler: () => (request) => (request.query === "" ? people(10) : []),
    request: "/users",
    method: "none",
    all: undefined,
  },
  {
    name: "a page number in a header of the request, which nothing suggests",
    handler: () => (request) => {
      const page = Number(request.headers["x-page"] ?? 1);
      return json(p23.slice((page - 1) * 10, page * 10), { headers: { "X-Total-Count": "23" } });
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \(the header X-Total-Count is 23 and 10 came\)/,
  },
  {
    name: "a number in the path after a plural, which may be an id",
    handler: () => (request) => {
      const id = Number(/\/pages\/([0-9]+)\//.exec(request.path)?.[1] ?? 1);
      return p40.slice((id - 1) * 7, id * 7);
    },
    request: "/pages/1/notes",
    method: "none",
    all: undefined,
    says: /if the path counts pages, write \{page\} there/,
  },
  {
    name: "pages without end: similar records for any number",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return Array.from({ length: 10 }, (_, index) => ({ id: page * 10 + index }));
    },
    request: "/numbers",
    method: "none",
    all: undefined,
    says: /so the paging would never end/,
  },
  {
    name: "a map at the root whose keys are nowhere else (Firebase)",
    handler: () => () => Object.fromEntries(people(7).map(({ id, name }) => [`-Nx${id}`, { name }])),
    request: "/users.json",
    method: undefined,
    all: people(7).map(({ id, name }) => ({ name, key: `-Nx${id}` })),
    says: /7 records: the members of the answer, their keys in the column "key"/,
  },
  {
    name: "one record with similar inner objects",
    handler: () => () => ({ home: { street: "a", city: "b" }, work: { street: "c", city: "d" } }),
    request: "/addresses",
    method: undefined,
    all: [{ home: { street: "a", city: "b" }, work: { street: "c", city: "d" } }],
    says: /one record/,
  },
  {
    name: "no paging",
    handler: () => () => people(7),
    request: "/users",
    method: undefined,
    all: people(7),
    says: /no paging was found: the answer has 7 records/,
  },
  {
    name: "no paging, and a clock in each record",
    handler: () => {
      let clock = 0;
      return () => {
        clock += 1;
        return people(7).map((person) => ({ ...person, seen_at: clock + person.id }));
      };
    },
    request: "/users?limit=7",
    method: "none",
    all: undefined,
    ends: "complete",
    says: /limit=8 gave 7 records, fewer than asked for/,
  },
  {
    name: "no paging, and new ids in each answer",
    handler: () => {
      let clock = 0;
      return () => {
        clock += 1;
        return people(7).map(({ id, name }) => ({ id: `${id}-${clock}`, name }));
      };
    },
    request: "/users",
    method: undefined,
    all: undefined,
    ends: "complete",
    says: /holds the same records \(by "name"\)/,
  },
  {
    name: "records in random order",
    handler: () => {
      let turn = 0;
      return () => {
        turn += 1;
        return Array.from({ length: 10 }, (_, index) => ({ id: turn * 1000 + index, name: `${turn}-${index}` }));
      };
    },
    request: "/random",
    method: "none",
    all: undefined,
  },
  {
    name: "an offset that counts pages, which the request does not have",
    handler: () => (request) => {
      const page = number(request, "offset", 0);
      return p40.slice(page * 10, page * 10 + 10);
    },
    request: "/users",
    method: "pagenum",
    all: p40,
  },
  {
    name: "an empty list",
    handler: () => () => ({ items: [], total: 0 }),
    request: "/users",
    method: "none",
    all: [],
    says: /the list is empty/,
  },
  {
    name: "null in place of an empty list",
    handler: () => () => ({ users: null, total: 0 }),
    request: "/users",
    method: "none",
    all: [],
    says: /the list is empty/,
  },
  {
    name: "an empty list that says that there is more: the run is suspect, too",
    handler: () => () => ({ items: [], has_more: true }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \("has_more" is true\), but the list is empty/,
  },
  {
    name: "no content",
    handler: () => () => empty(),
    request: "/users",
    method: "none",
    all: [],
    says: /\(204\) is empty/,
  },
  {
    name: "one record only",
    handler: () => () => ({ id: 1, name: "only", result: null, tags: { a: 1 } }),
    request: "/me",
    method: undefined,
    all: [{ id: 1, name: "only", result: null, tags: { a: 1 } }],
    says: /one record/,
  },
  {
    name: "a list with one record",
    handler: () => () => ({ items: [{ id: 1 }], next: null, total: 1 }),
    request: "/users",
    method: undefined,
    all: [{ id: 1 }],
  },
  {
    name: "HTML instead of data",
    handler: () => () => text("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /HTML, a page for people/,
  },
  {
    name: "a 401 for a request without credentials",
    handler:
      () =>
      ({ headers }) =>
        headers.authorization === "Bearer good" ? people(3) : json({ error: "unauthorized" }, { status: 401 }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /answered 401/,
  },
  {
    name: "a server error",
    handler: () => () => json({ error: "broken" }, { status: 500 }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /500/,
  },
  {
    name: "a rate limit that is used up",
    handler: () => () => json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "3600" } }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /429/,
  },
  {
    name: "a rate limit that exploring uses up",
    handler: () => {
      let count = 0;
      return (request) => {
        count += 1;
        return count > 2 ? json({}, { status: 429 }) : { items: part(p23, request, ["offset", "limit"]).items };
      };
    },
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /answered with 429/,
  },
  {
    name: "an error in an answer of status 200",
    handler: () => () => ({ errors: [{ message: "no such field" }], data: { users: [] } }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /no such field/,
  },
  {
    name: "CSV",
    handler: () => () => text("id,name\n1,Ada\n2,Bo\n", { headers: { "content-type": "text/csv" } }),
    request: "/users.csv",
    method: undefined,
    all: [
      { id: "1", name: "Ada" },
      { id: "2", name: "Bo" },
    ],
    says: /the answer is CSV/,
  },
];
