import { json } from "../helpers/answers.ts";
import { type Api, type Received, startApi } from "../helpers/api.ts";
import type { Random } from "../helpers/random.ts";

/** One expected line, and whether a page of a top-level job begins with it. */
export interface Expected {
  readonly dataset: string;
  readonly line: string;
  readonly beginsPage: boolean;
}

/** An API of one or two accounts: orders with lines (a child job, by offset), and users (by the address of the next page). */
export interface Shop {
  readonly configuration: unknown;
  /** All expected lines of a run, in order. */
  readonly expected: readonly Expected[];
  readonly api: Api;
}

const pageSize = 3;

export async function startShop(random: Random): Promise<Shop> {
  const accounts = random.pick([["a"], ["a", "b"]]);
  const login = random.oneIn(2);
  const count = { orders: random.between(0, 14), users: random.between(1, 12) };
  const linesOf = new Map(accounts.map((name) => [name, Array.from({ length: 20 }, () => random.below(5))]));
  // Some records are wide, so that a full pipe cuts pages in the middle of a line.
  const padding = random.pick([0, 10, 30_000]);
  const record = (account: string, kind: string, id: number) => ({ account, kind, id, text: "x".repeat(padding) });

  const tokens = new Set<string>();
  const page = (all: readonly unknown[], { params }: Received): unknown => {
    const offset = Number(params.get("offset"));
    return { items: all.slice(offset, offset + pageSize) };
  };
  const records = (account: string, kind: string, length: number) =>
    Array.from({ length }, (_, id) => record(account, kind, id));
  const api = await startApi(async (request) => {
    const { path, params, headers } = request;
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (path === "/login") {
      tokens.add(`token-${tokens.size}-of-the-shop`);
      return { token: [...tokens].at(-1) };
    }
    if (login && !tokens.has(headers.authorization ?? "")) return json({ error: "who are you?" }, { status: 401 });
    const account = params.get("account") ?? "";
    if (path === "/orders") return page(records(account, "order", count.orders), request);
    if (path === "/users") {
      const from = Number(params.get("from"));
      const next = from + 2 < count.users ? `/users?account=${account}&from=${from + 2}` : null;
      return { items: records(account, "user", count.users).slice(from, from + 2), next };
    }
    const order = Number(/^\/orders\/(\d+)\/lines$/.exec(path)?.[1]);
    return page(records(account, `line of ${order}`, linesOf.get(account)?.[order] ?? 0), request);
  });

  const expected = accounts.flatMap((account) => [
    ...records(account, "order", count.orders).flatMap((_, first, orders): Expected[] => {
      if (first % pageSize > 0) return [];
      const own = orders.slice(first, first + pageSize);
      const lines = own.flatMap(({ id }) =>
        records(account, `line of ${id}`, linesOf.get(account)?.[id] ?? 0).map((line) => ({ ...line, parent_id: id })),
      );
      return [
        ...own.map((order, index) => ({ dataset: "orders", line: text(order), beginsPage: index === 0 })),
        ...lines.map((line) => ({ dataset: "lines", line: text(line), beginsPage: false })),
      ];
    }),
    ...records(account, "user", count.users).map((user, index) => {
      return { dataset: "users", line: text(user), beginsPage: index % 2 === 0 };
    }),
  ]);
  const params = { account: { attr: "account" } };
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: { headers: { Authorization: "token" } },
  };
  const configuration = {
    api: {
      baseUrl: api.url,
      ...(login ? { authentication } : {}),
      pagination: {
        method: "multiple",
        scrollers: {
          default: { method: "offset", limit: pageSize },
          links: { method: "response.url", urlKey: "next" },
        },
      },
    },
    config: {
      account: "a",
      jobs: [
        {
          endpoint: "orders",
          dataType: "orders",
          dataField: "items",
          params,
          children: [
            {
              endpoint: "orders/{id}/lines",
              dataType: "lines",
              dataField: "items",
              placeholders: { id: "id" },
              params,
            },
          ],
        },
        { endpoint: "users", dataType: "users", dataField: "items", scroller: "links", params },
      ],
    },
    ...(accounts.length > 1 ? { iterations: accounts.map((account) => ({ account })) } : {}),
  };
  return { configuration, expected, api };
}

function text(record: unknown): string {
  return `${JSON.stringify(record)}\n`;
}
