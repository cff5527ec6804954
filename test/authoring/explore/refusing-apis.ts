import { json } from "../../helpers/api.ts";
import { type FakeApi, p23, part, people } from "./fake-api.ts";

/** Answers as `handler` does, except for the n-th request. */
const butFor = (n: number, refusal: unknown, handler: (request: Parameters<typeof part>[1]) => unknown) => () => {
  let count = 0;
  return (request: Parameters<typeof part>[1]) => {
    count += 1;
    return count === n ? refusal : handler(request);
  };
};

const tooMany = (after: string | undefined) =>
  json({ error: "slow down" }, { status: 429, headers: after === undefined ? {} : { "Retry-After": after } });

/** APIs that refuse further requests. */
export const refusingApis: readonly FakeApi[] = [
  {
    name: "a 429 with a short wait: exploring waits and continues",
    handler: butFor(2, tooMany("0.3"), (request) => part(p23, request, ["offset", "limit"]).items),
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "a 429 with a long wait: exploring stops, and a list of any length is suspect",
    handler: butFor(2, tooMany("3600"), () => people(7)),
    request: "/users",
    method: "none",
    all: undefined,
    requests: 2,
    says: /not every way was tried, because GET \/users was answered with 429 and a wait of 3600 s/,
  },
  {
    name: "a 429 without a wait",
    handler: butFor(3, tooMany(undefined), () => people(7)),
    request: "/users",
    method: "none",
    all: undefined,
    requests: 3,
    says: /not tried, because GET \/users was answered with 429: /,
  },
  {
    name: "a 403 for parameters that the command does not have",
    handler: () => (request) => (request.query === "" ? people(7) : json({ error: "forbidden" }, { status: 403 })),
    request: "/users",
    method: "none",
    all: undefined,
    requests: 2,
    says: /not every way was tried, because GET \/users was answered with 403/,
  },
  {
    name: "a 401 while a confirmed paging is followed to its end",
    handler: butFor(3, json({ error: "expired" }, { status: 401 }), (request) => {
      const { from, items } = part(p23, request, ["cursor", "limit"]);
      return { items, ...(from + 10 < 23 ? { next_cursor: from + 10 } : {}) };
    }),
    request: "/users",
    method: "response.param",
    all: p23,
    requests: 3,
    says: /the last page was not reached \(GET \/users\?cursor=20 was answered with 401\): a run continues/,
  },
];
