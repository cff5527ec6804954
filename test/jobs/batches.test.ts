import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "../config/reading.ts";
import { dataset, type Received, startApi, text } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { extractAll } from "./extraction.ts";

/* Tests of values of several parents in one request (contract C-13.6). */

const requestText = ({ method, target, body, headers }: Received) =>
  [method, target, body, headers["x-ids"]].filter((one) => one !== undefined && one !== "").join(" ");

/** Starts an API that pages users by offset. Other requests are answered with the request itself. */
function startUsers(users: readonly unknown[]) {
  return startApi({ "/users": dataset(users), "*": (request) => [{ asked: requestText(request) }] });
}

const pagination = {
  method: "multiple",
  scrollers: { default: { method: "offset", limit: 3 }, none: { method: "none" } },
};

const usersWith = (child: object) => ({
  endpoint: "users",
  dataField: "items",
  children: [{ endpoint: "orders", scroller: "none", ...child }],
});

async function asked(users: readonly unknown[], child: object, more: object = {}): Promise<readonly string[]> {
  await using api = await startUsers(users);
  const { result } = await extractAll({
    api: { baseUrl: api.url, pagination },
    config: { ...more, jobs: [usersWith(child)] },
  });
  assert.equal(result.failure, undefined);
  return api.log.filter(({ path }) => path !== "/users").map(requestText);
}

const users = [1, 2, 3, 4].map((id) => ({ id }));

test("the values of parents on one page are joined in order, and each page begins a new request", async () => {
  await using api = await startUsers(users);
  const child = { endpoint: "orders?ids={ids}", placeholders: { ids: { path: "id", batch: 2 } } };
  for (const concurrency of [1, 4]) {
    const { lines } = await extractAll(
      { api: { baseUrl: api.url, pagination }, config: { jobs: [usersWith(child)] } },
      { concurrency },
    );
    assert.deepEqual(lines, [
      '{"id":1}',
      '{"id":2}',
      '{"id":3}',
      '{"asked":"GET /orders?ids=1,2"}',
      '{"asked":"GET /orders?ids=3"}',
      '{"id":4}',
      '{"asked":"GET /orders?ids=4"}',
    ]);
  }
});

const ids = { path: "id", batch: 3 };
const reads = { placeholder: "ids" };
const rows: readonly { title: string; users: readonly unknown[]; child: object; asked: readonly string[] }[] = [
  {
    title: "each value is percent-encoded, and the separator is not",
    users: [{ id: "a,b" }, { id: "c d" }, { id: "e/f" }],
    child: { endpoint: "orders?id={ids}", placeholders: { ids: { ...ids, separator: "&id=" } } },
    asked: ["GET /orders?id=a%2Cb&id=c%20d&id=e/f"],
  },
  {
    title: "a batch may be a parameter of a query, at any depth",
    users,
    child: { params: { ids: reads, of: { deep: [reads] } }, placeholders: { ids } },
    asked: ["GET /orders?ids=1%2C2%2C3&of%5Bdeep%5D%5B0%5D=1%2C2%2C3", "GET /orders?ids=4&of%5Bdeep%5D%5B0%5D=4"],
  },
  {
    title: "a batch may be a parameter of a body, also within a function",
    users: [{ id: 1 }, { id: 2.5 }],
    child: {
      method: "POST",
      params: { query: { function: "concat", args: ["id IN (", reads, ")"] } },
      placeholders: { ids },
    },
    asked: ['POST /orders {"query":"id IN (1,2.5)"}'],
  },
  {
    title: "a batch may be a header",
    users: users.slice(0, 2),
    child: { headers: { "X-Ids": reads }, placeholders: { ids: { ...ids, separator: "|" } } },
    asked: ["GET /orders 1|2"],
  },
  {
    title: "parents that a filter leaves out do not count for a batch",
    users: [1, 2, 3].map((id) => ({ id, odd: id % 2 })),
    child: { endpoint: "orders/{ids}", recursionFilter: "odd==1", placeholders: { ids: { path: "id", batch: 2 } } },
    asked: ["GET /orders/1,3"],
  },
  {
    title: "each item of a list is a value, and an empty list has none",
    users: [{ id: [1, 2, 3, 4] }, { id: [] }, { id: 5 }],
    child: { endpoint: "orders/{ids}", placeholders: { ids } },
    asked: ["GET /orders/1,2,3", "GET /orders/4,5"],
  },
  {
    title: "a function is applied to each value",
    users: [{ id: "a" }, { id: "b" }],
    child: {
      endpoint: "orders/{ids}",
      placeholders: { ids: { ...ids, function: "concat", args: ["x%", { placeholder: "value" }] } },
    },
    asked: ["GET /orders/x%a,x%b"],
  },
  {
    title: "a batch may be a list in a body, with unchanged values",
    users: [{ id: 1 }, { id: "b" }, { id: [2.5, true] }],
    child: { method: "POST", params: { of: { ids: reads } }, placeholders: { ids: { ...ids, batch: 9, as: "list" } } },
    asked: ['POST /orders {"of":{"ids":[1,"b",2.5,true]}}'],
  },
  {
    title: "a batch may be a list of objects in a body or a query",
    users: [{ id: 1 }, { id: 2 }],
    child: {
      method: "POST",
      params: { inputs: reads },
      query: { q: reads },
      placeholders: { ids: { ...ids, as: "list", key: "id" } },
    },
    asked: ['POST /orders?q%5B0%5D%5Bid%5D=1&q%5B1%5D%5Bid%5D=2 {"inputs":[{"id":1},{"id":2}]}'],
  },
  {
    title: "a list of one value after a function stays a list",
    users: [{ id: 7 }],
    child: {
      params: { ids: reads },
      placeholders: { ids: { ...ids, as: "list", function: "concat", args: ["u", { placeholder: "value" }] } },
    },
    asked: ["GET /orders?ids%5B0%5D=u7"],
  },
  {
    title: "without a value there is no request",
    users: [{ id: [] }],
    child: { endpoint: "orders/{ids}", placeholders: { ids } },
    asked: [],
  },
  {
    title: "a placeholder without a batch keeps its type in parameters",
    users: [{ id: 7 }, { id: "x" }],
    child: { method: "POST", params: { id: { placeholder: "id" } }, placeholders: { id: "id" } },
    asked: ['POST /orders {"id":7}', 'POST /orders {"id":"x"}'],
  },
];

for (const { title, users: parents, child, asked: expected } of rows) {
  test(title, async () => {
    assert.deepEqual(await asked(parents, child), expected);
  });
}

test("numbers in a batch keep their digits", async () => {
  const items = text('[{"id":12345678901234567890},{"id":1.10}]');
  await using api = await startApi({ "/users": () => items, "*": (request) => [{ asked: requestText(request) }] });
  const child = { endpoint: "o/{ids}", method: "POST", params: { ids: reads }, placeholders: { ids } };
  const list = { ...child, endpoint: "o", placeholders: { ids: { ...ids, as: "list" } } };
  await extractAll({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "users", children: [child, list] }] } });
  assert.equal(
    requestText(api.log[1] as Received),
    'POST /o/12345678901234567890,1.10 {"ids":"12345678901234567890,1.10"}',
  );
  assert.equal(requestText(api.log[2] as Received), 'POST /o {"ids":[12345678901234567890,1.10]}');
});

test("records of a batch have no parent columns, and records below them have columns of all placeholders but the batched one", async () => {
  await using api = await startApi({
    "/accounts": () => [{ account: "a" }],
    "/accounts/a/users": () => [{ id: 1 }, { id: 2 }],
    "*": ({ path }) => (path.startsWith("/of") ? [{ order: 5 }] : [{ line: path }]),
  });
  const line = { endpoint: "lines/{order}/{ids}", placeholders: { order: "order", "3:account": "account" } };
  const order = {
    endpoint: "of/{ids}/{2:account}",
    placeholders: { ids: { path: "id", batch: 9 }, "2:account": "account" },
    userData: { from: "me" },
    children: [line],
  };
  const user = { endpoint: "accounts/{account}/users", placeholders: { account: "account" }, children: [order] };
  const { lines, result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "accounts", children: [user] }] },
  });
  assert.equal(result.failure, undefined);
  assert.deepEqual(lines.slice(-2), [
    '{"order":5,"from":"me"}',
    '{"line":"/lines/5/1,2","parent_account":"a","parent_order":5}',
  ]);
  assert.deepEqual(api.targets().slice(2), ["/of/1,2/a", "/lines/5/1,2"]);
});

test("a parent without a value is an error, and the batches before it are written", async () => {
  await using api = await startUsers([{ id: 1 }, { id: null }, { id: 3 }]);
  const child = { endpoint: "orders/{ids}", placeholders: { ids: { path: "id", batch: 1 } } };
  const { lines, result } = await extractAll({
    api: { baseUrl: api.url, pagination },
    config: { jobs: [usersWith(child)] },
  });
  assert.equal(result.exitCode, 65);
  assert.match(result.failure?.message ?? "", /placeholder "ids": a record of "users" has null at "id"/);
  assert.equal(lines.at(-1), '{"asked":"GET /orders/1"}');
});

test("a value that a header cannot have is a data error, and is not sent", async () => {
  await using api = await startUsers([{ id: "a" }, { id: "b\nc" }]);
  const child = { headers: { "X-Ids": reads }, placeholders: { ids } };
  const { result } = await extractAll({ api: { baseUrl: api.url, pagination }, config: { jobs: [usersWith(child)] } });
  assert.equal(result.exitCode, 65);
  assert.deepEqual(api.targets().slice(1), []);
});

const at = "/config/jobs/0/children/0";
for (const [title, child, ...expected] of [
  [
    "two batches",
    { placeholders: { a: { path: "a", batch: 2 }, b: { path: "b", batch: 2 } } },
    `${at}/placeholders/b/batch: "a" already has a batch, and a job can have only one`,
  ],
  [
    "a plain value beside a batch",
    { placeholders: { a: { path: "a", batch: 2 }, b: "b" } },
    `${at}/placeholders/b: needs the value of a single record, but the batch "a" joins several records`,
  ],
  [
    "a batch of another level",
    { children: [{ endpoint: "y", placeholders: { "2:a": { path: "a", batch: 2 } } }], placeholders: { a: "a" } },
    `${at}/children/0/placeholders/2:a/batch: a batch joins values of the parent's records only, not of records above them`,
  ],
  [
    "a value of records that a batch has joined",
    {
      placeholders: { a: { path: "a", batch: 2 } },
      children: [{ endpoint: "y", placeholders: { "2:b": "b", c: "c" } }],
    },
    `${at}/children/0/placeholders/2:b: needs the value of a single record, but the batch "a" joins several records`,
  ],
  [
    "a separator without a batch",
    { placeholders: { a: { path: "a", separator: ";" } } },
    `${at}/placeholders/a/separator: needs "batch", whose values it separates`,
  ],
  [
    "a list in an address",
    {
      endpoint: "x/{a}",
      placeholders: { a: { path: "a", batch: 2, as: "list" } },
      children: [{ endpoint: "y/{a}" }],
    },
    `${at}/endpoint: {a} is a list ("as": "list"): put it into "params" as {"placeholder": "a"}`,
    `${at}/children/0/endpoint: {a} is a list ("as": "list"): put it into "params" as {"placeholder": "a"}`,
  ],
  [
    "a form without a batch",
    { placeholders: { a: { path: "a", as: "list" }, b: { path: "b", key: "id" } } },
    `${at}/placeholders/a/as: needs "batch": it says how the values of a batch are sent`,
    `${at}/placeholders/b/key: needs "as": "list": each value of the list gets this key`,
  ],
  [
    "a separator of a list",
    { placeholders: { a: { path: "a", batch: 2, as: "list", separator: ";" } } },
    `${at}/placeholders/a/separator: cannot be combined with "as": "list"`,
  ],
  [
    "an invalid size",
    { placeholders: { a: { path: "a", batch: 0 } } },
    `${at}/placeholders/a/batch: must be an integer of at least 1, not 0`,
  ],
  [
    "an unknown placeholder",
    {
      placeholders: { ids: "a" },
      params: { a: [{ placeholder: "idz" }] },
      headers: { "X-A": { placeholder: "other" } },
    },
    `${at}/params/a: there is no placeholder "idz", did you mean "ids"?`,
    `${at}/headers/X-A: there is no placeholder "other"`,
  ],
] as const) {
  test(`${title} is reported before the first request`, () => {
    const configuration = {
      api: { baseUrl: "http://127.0.0.1:9" },
      config: { jobs: [{ endpoint: "users", children: [{ endpoint: "x", ...child }] }] },
    };
    assert.deepEqual(faultsOf(configuration).map(String), expected);
  });
}

test("check describes the batch, and warns that a placeholder in a job without a parent is sent as it is written", async () => {
  const child = { endpoint: "orders", params: { ids: reads }, placeholders: { ids: { path: "id", batch: 50 } } };
  const configuration = {
    api: { baseUrl: "https://api.example.com/" },
    config: { jobs: [{ endpoint: "users", params: { a: { placeholder: "b" } }, children: [child] }] },
  };
  const { code, stdout, stderr } = await spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    "users\tGET users\tno paging\n  orders\tGET orders\tone request for up to 50 values of a page; no paging\n",
  );
  assert.match(stderr, /^warning \/config\/jobs\/0\/params\/a: .*is sent as it is written/m);
});
