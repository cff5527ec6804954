import assert from "node:assert/strict";
import { test } from "node:test";
import { json, startApi } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const users = Array.from({ length: 5 }, (_, index) => ({ id: index + 1 }));

const collection = (base: string) => ({
  info: { name: "Shop", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  variable: [
    { key: "base", value: base },
    { key: "status", value: "open" },
    { key: "token", value: "s3cr3t" },
  ],
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] },
  item: [
    {
      name: "Users",
      item: [
        {
          name: "List users",
          event: [{ listen: "test", script: { exec: ["pm.test('ok')"] } }],
          request: {
            method: "GET",
            url: {
              raw: "{{base}}/users?limit=2&offset=0&status={{status}}",
              query: [
                { key: "limit", value: "2" },
                { key: "offset", value: "0" },
                { key: "status", value: "{{status}}" },
                { key: "debug", value: "1", disabled: true },
              ],
            },
          },
          response: [{ code: 200, body: JSON.stringify({ data: [{ id: 1 }], meta: {} }) }],
        },
        { name: "Get user", request: { method: "GET", url: "{{base}}/users/:id" } },
        { name: "Orders of user", request: { method: "GET", url: "{{base}}/users/{id}/orders" } },
        { name: "Delete user", request: { method: "DELETE", url: "{{base}}/users/1" } },
      ],
    },
    {
      name: "Search",
      request: {
        method: "POST",
        url: "{{base}}/search?kind=a",
        auth: {
          type: "apikey",
          apikey: [
            { key: "key", value: "X-Key" },
            { key: "value", value: "pl4in" },
          ],
        },
        header: [{ key: "X-Trace", value: "on" }],
        body: { mode: "raw", raw: '{"status": "{{status}}", "size": {{size}}, "nested": {"password": "hidden"}}' },
      },
    },
  ],
});

test("--postman: requests for lists become jobs, with variables and the nearest authentication", async () => {
  await using api = await startApi(({ method, path, params, headers, body }) => {
    if (method === "POST") return [{ got: JSON.parse(body), kind: params.get("kind"), key: headers["x-key"] }];
    if (path !== "/users" || headers.authorization !== "Bearer s3cr3t") return json({}, { status: 401 });
    const from = Number(params.get("offset"));
    return { data: users.slice(from, from + 2), meta: { status: params.get("status") } };
  });
  await using folder = await temporaryFolder();
  const file = await folder.write("shop.json", collection(api.url));
  const { code, stdout, stderr } = await spileHere(["init", "--postman", file]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /s3cr3t|pl4in|hidden/);
  assert.match(stderr, /^note {2}Get user is left out: it requests a single object, not a list$/m);
  assert.match(stderr, /^note {2}Delete user is left out: its method is DELETE: spile sends GET and POST$/m);
  assert.match(stderr, /^note {2}Orders of user is left out: its path needs a value for \{id\}$/m);
  assert.match(stderr, /^note {2}Search: a run sends this POST: keep the job only if the request changes nothing$/m);
  assert.match(stderr, /^note {2}List users: its scripts are not run$/m);
  const configuration = await folder.write("jobs.json", stdout);
  const variables = [...stderr.matchAll(/^export (\w+)=/gm)].map(([, name = ""]) => name);
  const values: Record<string, string> = { TOKEN: "s3cr3t", SIZE: "3", VALUE: "k", PASSWORD: "p" };
  const env = Object.fromEntries(
    variables.map((name) => [name, values[Object.keys(values).find((end) => name.endsWith(end)) ?? ""] ?? "?"]),
  );
  const run = await spileHere([configuration, "--strict"], { env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(
    run.stdout,
    [
      ...users.map((user) => JSON.stringify(user)),
      '{"got":{"status":"open","size":"3","nested":{"password":"p"}},"kind":"a","key":"k"}',
      "",
    ].join("\n"),
  );
});

test("--only takes names, folders and paths, and an unknown one is an error that lists the known ones", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("shop.json", collection("http://127.0.0.1:1"));
  for (const only of ["Users", "Users/List*", "/users", "List users"]) {
    const { code, stdout } = await spileHere(["init", file, "--only", only]);
    assert.equal(code, 0, only);
    assert.match(stdout, /"dataType": "List users"/);
    assert.doesNotMatch(stdout, /Search/);
  }
  const { code, stderr } = await spileHere(["init", "--postman", file, "--only", "Orders"]);
  assert.equal(code, 64);
  assert.match(stderr, /has no request Orders; it has Users\/List users, Users\/Get user/);
  const none = await spileHere(["init", "--postman", file, "--only", "Delete user"]);
  assert.equal(none.code, 78);
  assert.equal(none.stdout, "");
});

test("a collection without requests is an error that says so", async () => {
  const { code, stderr } = await spileHere(["init", "--postman", "-"], { stdin: '{"info":{},"item":[]}' });
  assert.equal(code, 64);
  assert.match(stderr, /the collection has no requests$/m);
});

test("a request with a random value of Postman is left out, and braces that contain no name are text", async () => {
  const item = (name: string, q: string) => ({
    name,
    request: { url: { raw: `http://127.0.0.1:1/a?q=${q}`, query: [{ key: "q", value: q }] } },
  });
  const text = JSON.stringify({
    info: { schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [item("random", "{{$guid}}"), item("text", "{{ }}-{{ {a} }}"), item("variable", "{{  size\t}}")],
  });
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^note {2}random is left out: it sends the random value \$guid$/m);
  assert.match(stdout, /"q": "\{\{ \}\}-\{\{ \{a\} \}\}"/);
  assert.match(stdout, /"q": \{ "attr": "size" \}/);
});
