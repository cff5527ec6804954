import assert from "node:assert/strict";
import { test } from "node:test";
import { json, startApi } from "../../helpers/api.ts";
import { spileHere } from "../../helpers/command.ts";

const preview = (configuration: object, ...words: string[]) =>
  spileHere(["preview", "-", ...words], { stdin: JSON.stringify(configuration) });

test("preview shows a page of each job with its paging and total, and runs a child for the first accepted parent", async () => {
  const users = Array.from({ length: 30 }, (_, id) => ({ id, name: `user ${id}`, active: id > 1 }));
  await using api = await startApi({
    "/users": () => ({ total: 95, data: users }),
    "/users/2/posts": () => ({ total: 7, data: [{ title: "first" }, { title: "second" }] }),
    "/teams": () => ({ total: 1, data: [{ team: "red" }] }),
  });
  const child = {
    endpoint: "users/{id}/posts",
    dataType: "users",
    placeholders: { id: "id" },
    recursionFilter: "id>1",
    dataField: "data",
  };
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 30 } },
    config: {
      jobs: [
        { endpoint: "users", dataType: "users", dataField: "data", children: [child] },
        { endpoint: "teams", dataType: "users", dataField: "data" },
      ],
    },
    iterations: [{ x: 1 }, { x: 2 }],
  };
  const { code, stdout, stderr } = await preview(configuration);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(
    api.log.map(({ path }) => path),
    ["/users", "/users/2/posts", "/teams"],
  );
  const [which, first = "", second = "", third = ""] = stdout.split("\n\n");
  assert.equal(which, "iteration 1 of 2");
  assert.match(
    first,
    /^users {3}GET users {3}offset paging, 30 a page \(limit, offset\)[^\n]*\n30 records on the first page, of 95 that the API reports, the first 20 shown\nid +name +active\n0 +user 0 +false\n/,
  );
  assert.equal(first.split("\n").length, 23);
  assert.match(
    second,
    /^users {3}GET users\/\{id\}\/posts [^\n]*\n2 records on the first page, of 7 that[^\n]*\ntitle +parent_id\nfirst +2\nsecond +2$/,
  );
  assert.match(third, /^users {3}GET teams [^\n]*\n1 record on the first page, of 1 that[^\n]*\nteam\nred\n$/);
});

test("--job selects jobs, --columns selects columns, secrets are masked, and a suspect end is reported", async () => {
  await using api = await startApi(() => ({
    data: [{ id: 1, at: { city: "hunter2hunter2" } }],
    next_page_token: "abc",
  }));
  const configuration = {
    api: { baseUrl: api.url },
    config: {
      "#key": "hunter2hunter2",
      jobs: [
        { endpoint: "a", dataField: "data" },
        { endpoint: "b", dataField: "data" },
      ],
    },
  };
  const { code, stdout, stderr } = await preview(configuration, "--job", "b", "--columns", "at.city,id");
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    api.log.map(({ path }) => path),
    ["/b"],
  );
  assert.match(
    stdout,
    /^b {3}GET b [^\n]*\n1 record on the first page\n[^\n]*next_page_token[^\n]*\nat\.city +id\n\*\*\* +1\n$/,
  );
});

test("mapped records have a table for each dataset, and a refused job ends preview with 69, as it ends a run", async () => {
  await using api = await startApi({
    "/users": () => [{ id: 1, tags: [{ name: "red" }] }],
    "/locked": () => json({}, { status: 403 }),
  });
  const tags = { type: "table", destination: "tags", tableMapping: { name: "tag" } };
  const configuration = {
    api: { baseUrl: api.url },
    config: {
      jobs: [{ endpoint: "users", dataType: "users" }, { endpoint: "locked" }],
      mappings: { users: { id: "id", tags } },
    },
  };
  const { code, stdout, stderr } = await preview(configuration);
  assert.equal(code, 69);
  assert.match(stderr, /answered 403/);
  assert.match(stdout, /^users {3}GET users [^\n]*\n2 records [^\n]*\n\nlocked {3}GET locked [^\n]*\nnot requested/);
  assert.match(stdout, /\n\nusers\nid +tags\n1 /);
  assert.match(stdout, /\n\ntags\ntag/);
});

test("--iteration shows another iteration, and a missing iteration is an error", async () => {
  await using api = await startApi(({ path }) => [{ from: path }]);
  const configuration = {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "teams", params: { team: { attr: "team" } } }] },
    iterations: [{ team: "red" }, { team: "blue" }],
  };
  const options = { stdin: JSON.stringify(configuration) };
  const { stdout, stderr } = await spileHere(["preview", "-", "--iteration", "2"], options);
  assert.equal(stderr, "");
  assert.match(stdout, /^iteration 2 of 2\n\nteams {3}GET /);
  assert.deepEqual(api.targets(), ["/teams?team=blue"]);
  const wrong = await spileHere(["preview", "-", "--iteration", "3"], options);
  assert.equal(wrong.code, 64);
  assert.match(wrong.stderr, /--iteration: there is no iteration 3; the configuration has 2/);
});
