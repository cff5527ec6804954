import assert from "node:assert/strict";
import { test } from "node:test";
import { text as answerText, json, startApi } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const users = Array.from({ length: 25 }, (_, index) => ({ id: index + 1 }));
const lines = users.map((user) => `${JSON.stringify(user)}\n`).join("");

const paged = () =>
  startApi(({ params }) => {
    const from = Number(params.get("offset") ?? 0);
    return { data: users.slice(from, from + Number(params.get("limit") ?? 10)), next: from < 15 ? "x" : null };
  });

test("each option sets its field of the configuration", async () => {
  const rows: [
    string[],
    { readonly api?: object; readonly config?: object; readonly job?: object; readonly pagination?: object },
  ][] = [
    [["-p", "a=1", "--param", "b=x=y"], { job: { params: { a: "1", b: "x=y" } } }],
    [["--json-param", 'c=[1.10,{"d":null}]'], { job: { params: { c: [1.1, { d: null }] } } }],
    [["-H", "X-A: 1", "--header", "x-b:  2 "], { job: { headers: { "X-A": "1", "x-b": "2" } } }],
    [["-d", '{"q":"x","n":1}'], { job: { method: "POST", params: { q: "x", n: 1 } } }],
    [["-X", "form", "-p", "a=1"], { job: { method: "FORM", params: { a: "1" } } }],
    [["--records", "data.users"], { job: { dataField: "data.users" } }],
    [["--paging", "offset", "--limit", "50"], { pagination: { method: "offset", limit: 50 } }],
    [
      ["--paging", "offset", "--limit", "50", "--limit-param", "count", "--offset-param", "skip"],
      { pagination: { method: "offset", limit: 50, limitParam: "count", offsetParam: "skip" } },
    ],
    [
      ["--paging", "pagenum", "--page-param", "p", "--first-page", "0"],
      { pagination: { method: "pagenum", pageParam: "p", firstPage: 0 } },
    ],
    [
      ["--paging", "offset", "--limit", "unknown", "--page-count", "meta.pages"],
      { pagination: { method: "offset", limit: "unknown", pageCount: "meta.pages" } },
    ],
    [
      ["--paging", "pagenum", "--limit", "9", "--limit-param", "false", "--page-count", "header:X-Pages"],
      { pagination: { method: "pagenum", limit: 9, limitParam: false, pageCount: { header: "X-Pages" } } },
    ],
    [["--paging", "link", "--page-count", "pages"], { pagination: { method: "link", pageCount: "pages" } }],
    [["--format", "csv"], { job: { format: "csv" } }],
    [["--paging", "link"], { pagination: { method: "link" } }],
    [
      ["--paging", "link", "-p", "a=1"],
      { job: { params: { a: "1" } }, pagination: { method: "link", includeParams: true } },
    ],
    [
      ["--paging", "response.param", "--next", "header:X-Next", "--token-param", "header:X-After"],
      {
        pagination: {
          method: "response.param",
          responseParam: { header: "X-Next" },
          queryParam: { header: "X-After" },
        },
      },
    ],
    [
      ["-d", '{"q":"x"}', "--paging", "response.param", "--next", "last:id", "--token-param", "path:page.after"],
      {
        job: { method: "POST", params: { q: "x" } },
        pagination: {
          method: "response.param",
          responseParam: { lastRecord: "id" },
          queryParam: { path: "page.after" },
          includeParams: true,
        },
      },
    ],
    [
      ["-d", '{"q":"x"}', "--paging", "pagenum", "--limit", "5", "--limit-param", "query:n", "--page-param", "query:p"],
      {
        job: { method: "POST", params: { q: "x" } },
        pagination: { method: "pagenum", pageParam: { query: "p" }, limit: 5, limitParam: { query: "n" } },
      },
    ],
    [
      ["--paging", "offset", "--limit", "5", "--limit-param", "path:page.size", "--offset-param", "path:page.skip"],
      {
        pagination: {
          method: "offset",
          limit: 5,
          limitParam: { path: "page.size" },
          offsetParam: { path: "page.skip" },
        },
      },
    ],
    [["--paging", "response.url"], { pagination: { method: "response.url" } }],
    [
      ["--paging", "response.url", "--next", "links.next", "-p", "a=1"],
      {
        job: { params: { a: "1" } },
        pagination: { method: "response.url", urlKey: "links.next", includeParams: true },
      },
    ],
    [
      ["--paging", "response.param", "--next", "meta.next", "--token-param", "cursor"],
      { pagination: { method: "response.param", responseParam: "meta.next", queryParam: "cursor" } },
    ],
    [
      ["--paging", "cursor", "--next", "id", "--token-param", "since_id"],
      { pagination: { method: "cursor", idKey: "id", param: "since_id" } },
    ],
    [
      ["-u", "me:pass:word"],
      {
        api: { authentication: { type: "basic" } },
        config: { username: "me", "#password": { env: "EXAMPLE_PASSWORD" } },
      },
    ],
    [
      ["-H", "Authorization: Bearer abc123"],
      {
        config: { "#token": { env: "EXAMPLE_TOKEN" } },
        job: { headers: { Authorization: { function: "concat", args: ["Bearer ", { attr: "#token" }] } } },
      },
    ],
    [
      ["-H", "X-Api-Key: abc123"],
      { config: { "#apiKey": { env: "EXAMPLE_API_KEY" } }, job: { headers: { "X-Api-Key": { attr: "#apiKey" } } } },
    ],
    [
      ["-p", "access_token=abc123"],
      {
        config: { "#accessToken": { env: "EXAMPLE_ACCESS_TOKEN" } },
        job: { params: { access_token: { attr: "#accessToken" } } },
      },
    ],
  ];
  for (const [words, { api = {}, config = {}, job = {}, pagination }] of rows) {
    const { code, stdout, stderr } = await spileHere([
      "get",
      "https://api.example.com/v1/users",
      ...words,
      "--print-config",
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      JSON.parse(stdout),
      {
        api: { baseUrl: "https://api.example.com/v1/", ...api, ...(pagination === undefined ? {} : { pagination }) },
        config: { ...config, jobs: [{ endpoint: "users", ...job }] },
      },
      words.join(" "),
    );
    assert.doesNotMatch(stdout + stderr, /abc123|pass:word/);
  }
});

test("an address without a command means get, and its query is unchanged", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const { code, stdout } = await spileHere([`${api.url}/users?b=%41&a[]=1&a[]=2`]);
  assert.equal(code, 0);
  assert.equal(stdout, '{"id":1}\n');
  assert.deepEqual(api.targets(), ["/users?b=%41&a[]=1&a[]=2"]);
});

test("--print-config prints a configuration that writes the same bytes as get, with credentials from the environment", async () => {
  await using api = await startApi(({ headers, params, query }) => {
    if (headers.authorization !== "Bearer s3cr3t-1" || params.get("api_key") !== "s3cr3t-2")
      return json({ query }, { status: 401 });
    const from = Number(params.get("offset") ?? 0);
    return { data: users.slice(from, from + 10) };
  });
  await using folder = await temporaryFolder();
  const words = [
    "get",
    `${api.url}/users?api_key=s3cr3t-2&x=1`,
    "-H",
    "Authorization: Bearer s3cr3t-1",
    "--paging",
    "offset",
    "--limit",
    "10",
  ];
  const direct = await spileHere(words);
  assert.equal(direct.code, 0, direct.stderr);
  assert.equal(direct.stdout, lines);
  const printed = await spileHere([...words, "--print-config"]);
  const exported = printed.stderr.matchAll(/^note {2}(\w+) is (.*)\nexport \1='\*\*\*'$/gm);
  assert.deepEqual(
    [...exported].map(([, ...parts]) => parts),
    [
      ["API_TOKEN", "the header Authorization, without Bearer before it"],
      ["API_KEY", "the parameter api_key"],
    ],
  );
  const file = await folder.write("users.json", printed.stdout);
  const again = await spileHere([file], { env: { API_TOKEN: "s3cr3t-1", API_KEY: "s3cr3t-2" } });
  assert.equal(again.stdout, direct.stdout);
  assert.equal(again.code, 0);
  for (const { stdout, stderr } of [direct, printed, again]) assert.doesNotMatch(stdout + stderr, /s3cr3t/);
});

test("messages about a failure mask credentials", async () => {
  await using api = await startApi(({ query, headers }) => json({ query, auth: headers["x-auth"] }, { status: 403 }));
  const { code, stderr } = await spileHere([
    "get",
    `${api.url}/users`,
    "-H",
    "X-Auth: s3cr3t-1",
    "-p",
    "token=s3cr3t-2",
    "-u",
    "me:s3cr3t-3",
  ]);
  assert.equal(code, 69);
  assert.doesNotMatch(stderr, /s3cr3t/);
});

test("options of a run apply to get, and without --paging, a first page that names a next one is suspect", async () => {
  await using api = await paged();
  const limited = await spileHere([
    "get",
    `${api.url}/users`,
    "--paging",
    "offset",
    "--limit",
    "5",
    "--max-records",
    "7",
    "--tag",
  ]);
  assert.equal(limited.stdout.split("\n").length - 1, 7);
  assert.match(limited.stdout, /^{"dataType":"users","record":{"id":1}}/);
  const none = await spileHere(["get", `${api.url}/users`, "--strict"]);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /users suspect: 10 records/);
});

test("without --paging, nothing is guessed, and the last line names the option for the next pages", async () => {
  const rows: [unknown, RegExp][] = [
    [
      { data: [1], links: { next: "https://x/2" } },
      /"links.next" is set.*; --paging response.url --next links.next would follow it/,
    ],
    [
      { data: [1], meta: { next_cursor: "abc" } },
      /--paging response.param --next meta.next_cursor --token-param \.\.\. would follow it/,
    ],
    [
      json([1], { headers: { "X-Next-Cursor": "abc" } }),
      /--paging response.param --next header:X-Next-Cursor --token-param \.\.\. would/,
    ],
    [json([1], { headers: { link: '<https://x/2>; rel="next"' } }), /; --paging link would follow it/],
    [
      { data: [1], "@odata.nextLink": "https://x/2" },
      /"method": "response.url", "urlKey": "@odata.nextLink", "delimiter": "\/"} would follow it/,
    ],
    [{ data: [1], total: 5 }, /"total" is 5 and 1 came\); spile init can find how the API pages/],
    [{ data: [{ id: 1 }], has_more: true, last_id: 1 }, /"has_more" is true\); spile init can find how the API pages/],
    [json([1], { status: 206 }), /206 \(Partial Content\)\); spile init can find how the API pages/],
    [
      { data: [1], total: 5, next: "https://x/2" },
      /"total" is 5 and 1 came and "next" is set\); --paging response.url --next next/,
    ],
  ];
  for (const [answer, pattern] of rows) {
    await using server = await startApi(() => answer);
    const { code, stderr } = await spileHere(["get", `${server.url}/users`, "--strict"]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, pattern);
    assert.equal(server.log.length, 1);
  }
});

test("advice names the option of get if there is one, else the field", async () => {
  const csv = answerText("a,b\n1,2\n", { headers: { "content-type": "text/csv" } });
  const rows: [unknown, string[], RegExp][] = [
    [{ a: [{}], b: [{}] }, [], /2 arrays at its root, "a", "b": --records must say which of them/],
    [5, [], /with --records \. it is read as one record/],
    [{ a: { b: 1 } }, [], /no list of records; --records \. reads the object as one record/],
    [{ a: [{ b: 1 }] }, ["--records", "x"], /--records "x" contains no data.*\n.*--records "x" is not in the response/],
    [{ a: { b: [{ c: 1 }, { c: 2 }] } }, ["--records", "a"], /--records "a" is an object.* objects at "a.b"/],
    [csv, [], /; --format csv would read it/],
    [
      { data: [1, 2], total: 20 },
      ["--paging", "offset", "--limit", "9"],
      /to 2 records, set --limit 2 or use --probe-end/,
    ],
    [
      { data: [1, 2], total: 20 },
      ["--paging", "offset", "--limit", "9", "-p", "limit=8"],
      /to 2 records, set --param limit=2 or use --probe-end/,
    ],
  ];
  for (const [answer, words, pattern] of rows) {
    await using server = await startApi(() => answer);
    const { stderr } = await spileHere(["get", `${server.url}/users`, ...words]);
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /dataField|"format"|"limit"/);
  }
});

test("page numbers and tokens replace the braces in the address", async () => {
  await using api = await startApi(({ path, params }) => {
    const [, list, place = ""] = path.split("/");
    if (list === "tokens") return { items: [{ id: place || "first" }], ...(place === "" ? { next: "a$&/b" } : {}) };
    const page = Number(list?.slice(1));
    return page < 3 ? [{ id: page, size: params.get("limit") }] : [];
  });
  const numbers = [`${api.url}/p{n}/of/{size}`, "--paging", "pagenum", "--limit", "1", "--page-param", "endpoint:n"];
  const placed = await spileHere(["get", ...numbers, "--limit-param", "endpoint:size"]);
  assert.equal(placed.code, 0, placed.stderr);
  assert.deepEqual(api.targets(), ["/p1/of/1", "/p2/of/1", "/p3/of/1"]);
  const printed = await spileHere(["get", ...numbers, "--limit-param", "endpoint:size", "--print-config"]);
  const { config } = JSON.parse(printed.stdout) as { config: { jobs: { endpoint: string }[] } };
  assert.equal(config.jobs[0]?.endpoint, "p{n}/of/{size}");
  const log = api.log.length;
  const tokens = [`${api.url}/tokens/{after}`, "--records", "items", "--paging", "response.param", "--next", "next"];
  const followed = await spileHere(["get", ...tokens, "--token-param", "endpoint:after"]);
  assert.equal(followed.code, 0, followed.stderr);
  assert.deepEqual(api.targets().slice(log), ["/tokens/", "/tokens/a%24%26%2Fb"]);
  const { code, stderr } = await spileHere(["get", api.url, "--paging", "pagenum", "--page-param", "endpoint:n"]);
  assert.equal(code, 78);
  assert.match(stderr, /\{n\}/);
});

test("a mistake is reported in one line, with exit code 64", async () => {
  for (const [words, pattern] of [
    [["get"], /URL is missing: see spile help get/],
    [["get", "users.json"], /"users.json" is not an http or https address/],
    [["get", "https://me:s3cr3t@/"], /is not an http or https address/],
    [["get", "https://x/", "--limit", "5"], /option --limit configures paging, so it needs --paging offset or pagenum/],
    [["get", "https://x/", "--paging", "offset"], /--paging offset needs --limit/],
    [
      ["get", "https://x/", "--paging", "offset", "--limit", "5", "--next", "a"],
      /--next does not belong to --paging offset, which takes --limit, --limit-param, --offset-param, --page-count/,
    ],
    [["get", "https://x/", "--paging", "response.param", "--next", "a"], /needs --token-param/],
    [["get", "https://x/", "--paging", "offset", "--limit", "many"], /--limit/],
    [["get", "https://x/", "--paging", "none", "--page-count", "a"], /--page-count does not belong to --paging none/],
    [["get", "https://x/", "-H", "nonsense s3cr3t"], /option --header: the given text is not of the form/],
    [["get", "https://x/", "-u", "s3cr3t"], /option --user: the given text is not of the form/],
    [["get", "https://x/", "-p", "s3cr3t"], /option --param: the given text is not a setting/],
    [["get", "https://x/", "-d", "[1]"], /JSON, but not an object/],
    [["get", "https://x/", "-d", "{"], /option --data: the given text is not JSON/],
    [["get", "https://x/", "-X", "GET", "-d", "{}"], /--data is the body of a POST/],
    [["get", "https://x/", "--json-param", "a=b"], /value of "a" is not JSON/],
    [["get", "https://x/", "-X", "PUT"], /option --method: "PUT" is not one of GET, POST, FORM/],
    [["config.json", "--paging", "offset"], /option --paging belongs to spile get/],
  ] as const) {
    const { code, stderr, stdout } = await spileHere([...words]);
    assert.equal(code, 64, words.join(" "));
    assert.match(stderr, pattern);
    assert.equal(stderr.split("\n").length, 2, stderr);
    assert.equal(stdout, "");
    assert.doesNotMatch(stderr, /s3cr3t/);
  }
});

test("--next selects an element of a list by one of its values", async () => {
  const { stdout } = await spileHere([
    ...[
      "get",
      "http://127.0.0.1:1/users",
      "--paging",
      "response.url",
      "--next",
      "links[rel=next].href",
      "--print-config",
    ],
  ]);
  const { api } = JSON.parse(stdout);
  const urlKey = { path: "links", where: { rel: "next" }, value: "href" };
  assert.deepEqual(api.pagination, { method: "response.url", urlKey });
});

test("messages mask a plain word at the place of a credential; recorded answers keep it, so that a replay has all records", async () => {
  await using api = await startApi(() => json({ items: [{ id: 1, kind: "items" }] }));
  await using folder = await temporaryFolder();
  const archive = `${folder.path}/run.har`;
  const words = ["get", `${api.url}/list`, "-p", "key=items"];
  const first = await spileHere([...words, "--record", archive, "--debug"]);
  assert.equal(first.stdout, '{"id":1,"kind":"items"}\n');
  assert.ok(first.stderr.includes("/list?key=***"), first.stderr);
  assert.ok(!first.stderr.includes("key=items"), first.stderr);
  const again = await spileHere([...words, "--replay", archive]);
  assert.equal(again.stdout, first.stdout);
  assert.equal(api.targets().length, 1);
});
