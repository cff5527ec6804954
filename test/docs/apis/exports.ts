import { gzipSync } from "node:zlib";
import { json, text } from "../../helpers/api.ts";
import { bodyOf, type FakeApi, many, origin, refused, tooMany, withHeaders } from "./fake-api.ts";

const products = many(5, (number) => ({ id: `gid://shopify/Product/${number}`, title: `tree ${number}` }));
const accounts = many(4, (number) => ({ account_code: `a${number}`, state: "active" }));

/** APIs that create files first. */
export const exports: Readonly<Record<string, FakeApi>> = {
  "Shopify, bulk operations": {
    env: { SHOPIFY_TOKEN: "shpat_secret" },
    records: products,
    requests: 4,
    answer: bulkOperation(),
    limited: [
      { answer: () => json({ errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }] }), seconds: 0 },
    ],
    failures: {
      "an operation that has failed": {
        answer: () => json({ data: { node: { status: "FAILED", errorCode: "ACCESS_DENIED", url: null } } }),
        code: 69,
        says: /step "poll": POST \S+: answered 200: ACCESS_DENIED/,
      },
    },
  },
  "Recurly, automated exports": {
    env: { RECURLY_API_KEY: "key-secret" },
    records: accounts,
    // Two requests for the list, and one for each of two files.
    requests: 4,
    answer: nightlyFiles(),
    limited: [tooMany({ error: { type: "rate_limited" } })],
    failures: {
      "a file without an address": {
        answer: () => json({ object: "export_files", files: [{ name: "accounts-1.csv.gz" }] }),
        code: 65,
        says: /the answer to step "files" has nothing at "files\.\*\.href", in element 1 of 1/,
      },
    },
  },
};

function bulkOperation(): FakeApi["answer"] {
  const asked = new Map<string, number>();
  return (request) => {
    if (request.path === "/files/products.jsonl") {
      return text(products.map((product) => `${JSON.stringify(product)}\n`).join(""));
    }
    return withHeaders({ "x-shopify-access-token": "shpat_secret" }, () => {
      const { query, variables } = bodyOf(request);
      if (typeof query !== "string") return refused("query");
      const id = `${variables?.id ?? `gid://shopify/BulkOperation/${asked.size + 1}`}`;
      const count = (asked.get(id) ?? -1) + 1;
      asked.set(id, count);
      if (query.startsWith("mutation")) {
        return { data: { bulkOperationRunQuery: { bulkOperation: { id, status: "CREATED" }, userErrors: [] } } };
      }
      const isDone = count > 1;
      const url = isDone ? `${origin(request)}/files/products.jsonl` : null;
      return { data: { node: { status: isDone ? "COMPLETED" : "RUNNING", errorCode: null, url } } };
    })(request);
  };
}

function nightlyFiles(): FakeApi["answer"] {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const basic = `Basic ${Buffer.from("key-secret:").toString("base64")}`;
  const names = ["accounts-1.csv.gz", "accounts-2.csv.gz"];
  const seen = new Set<string>();
  return (request) => {
    const index = names.indexOf(request.path.slice(1));
    if (index >= 0) {
      const rows = accounts.slice(2 * index, 2 * index + 2).map((account) => `${Object.values(account).join(",")}\n`);
      return text(gzipSync(`account_code,state\n${rows.join("")}`), {
        headers: { "Content-Type": "binary/octet-stream" },
      });
    }
    return withHeaders({ authorization: basic, accept: "application/vnd.recurly.v2021-02-25" }, ({ path }) => {
      if (path !== `/export_dates/${yesterday}/export_files`) return refused("path");
      // Each test has an API with its own address.
      if (!seen.has(origin(request))) {
        seen.add(origin(request));
        return json({ error: { type: "not_found", message: "Couldn't find the export files" } }, { status: 404 });
      }
      return { object: "export_files", files: names.map((name) => ({ name, href: `${origin(request)}/${name}` })) };
    })(request);
  };
}
