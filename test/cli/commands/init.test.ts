import assert from "node:assert/strict";
import { test } from "node:test";
import { json, startApi } from "../../helpers/api.ts";
import { shell, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const users = Array.from({ length: 25 }, (_, index) => ({ id: index + 1 }));
const lines = users.map((user) => `${JSON.stringify(user)}\n`).join("");

const api = () =>
  startApi(({ headers, params }) => {
    if (headers.authorization !== "Bearer s3cr3t") return json({ error: "who are you?" }, { status: 401 });
    const from = Number(params.get("offset") ?? 0);
    return { total: 25, data: users.slice(from, from + Math.min(10, Number(params.get("limit") ?? 10))) };
  });

test("put before a curl command, it writes a configuration that gives all the records", async () => {
  await using server = await api();
  await using folder = await temporaryFolder();
  const script = `spile init curl -sS '${server.url}/users?limit=100' -H "Authorization: Bearer $TOKEN" > users.json && spile users.json --strict`;
  const { code, stdout, stderr } = await shell(script, {
    cwd: folder.path,
    env: { TOKEN: "s3cr3t", API_TOKEN: "s3cr3t" },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, lines);
  assert.match(stderr, /^found 10 records: the list at "data"$/m);
  assert.match(
    stderr,
    /^note {2}the request asks for 100 a page by "limit", and the API gives 10: so many are asked for$/m,
  );
  assert.match(stderr, /^export API_TOKEN='\*\*\*' {2}# the header Authorization, what stands behind "Bearer "$/m);
  assert.doesNotMatch(stderr + (await folder.read("users.json")), /s3cr3t/);
});

test("a command on stdin keeps the names of its variables", async () => {
  await using server = await api();
  const stdin = `curl '${server.url}/users' \\\n  -H "Authorization: Bearer $MY_KEY" \\\n  --compressed | jq .`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin, env: { MY_KEY: "s3cr3t" } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"#token": { "env": "MY_KEY" }/);
  assert.match(stderr, /note {2}what stands behind the command is left out: \| jq/);
});

test("an address, and options of spile before it; -o takes the configuration", async () => {
  await using server = await startApi(() => users);
  await using folder = await temporaryFolder();
  const file = `${folder.path}/users.json`;
  const { code, stdout } = await spileHere(["init", "--probes", "1", "-q", "-o", file, `${server.url}/users`]);
  assert.equal(code, 0);
  assert.equal(stdout, "");
  assert.ok(server.log.length <= 2);
  assert.equal((await spileHere([file])).stdout, lines);
});

test("credentials in an address are in nothing that is written, comments included", async () => {
  await using server = await startApi(({ params }) => {
    if (params.get("api_key") !== "s3cr3t/1") return json({ error: `no ${params.get("api_key")}` }, { status: 403 });
    const page = Number(params.get("page") ?? 1);
    return users.slice((page - 1) * 10, page * 10);
  });
  const { code, stdout, stderr } = await spileHere(["init", `${server.url}/users?api_key=s3cr3t%2F1`]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\/\/ Page numbers by "page": GET \/users\?.*page=2/);
  assert.match(stdout, /"query": { "api_key": { "attr": "#apiKey" } }/);
  assert.doesNotMatch(stdout + stderr, /s3cr3t/);
});

test("--offline sends nothing, and the comment says what is missing", async () => {
  await using server = await api();
  const { code, stdout, stderr } = await spileHere(["init", "--offline", "curl", `${server.url}/users`]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\/\/ Nothing was sent \(--offline\)/);
  assert.match(stdout, /"pagination": { "method": "none", "fullPage": 1 }/);
  assert.deepEqual(server.targets(), []);
});

test("where the API refuses, what is known is written, and the exit code says why", async () => {
  await using server = await api();
  const { code, stdout, stderr } = await spileHere(["init", "curl", `${server.url}/users`]);
  assert.equal(code, 77);
  assert.match(stderr, /answered 401/);
  assert.match(stdout, /"endpoint": "users"/);
});

test("what cannot be taken is one line and exit code 64", async () => {
  for (const [words, stdin, pattern] of [
    [["init"], "", /nothing to begin with: put spile init before a curl command/],
    [["init", "-"], "wget https://x/", /must begin with curl or https/],
    [["init", "-"], "curl 'https://x/", /quote ' that is not closed/],
    [["init", "curl"], "", /has no address/],
    [["init", "curl", "-F", "a=b", "https://x/"], "", /curl's option -F cannot be taken/],
    [["init", "curl", "--offline", "https://x/"], "", /curl's option --offline is not known here/],
    [["init", "users.json"], "", /is not an http or https address/],
    [
      ["init", "--offline", "curl", "https://x/", "-H", "content-type: application/json", "-d", '{"a":{"attr":"b"}}'],
      "",
      /cannot be said by a configuration: .*attr/,
    ],
    [["get", "https://x/", "--offline"], "", /--offline belongs to spile init/],
  ] as const) {
    const { code, stderr, stdout } = await spileHere([...words], { stdin });
    assert.equal(code, 64, `${words.join(" ")}: ${stderr}`);
    assert.match(stderr, pattern);
    assert.equal(stdout, "");
  }
});

test("--log-format json: findings and exports are a line of JSON each", async () => {
  await using server = await api();
  const words = ["init", "--log-format", "json", "curl", `${server.url}/users`, "-H", "Authorization: Bearer s3cr3t"];
  const { code, stderr } = await spileHere(words);
  assert.equal(code, 0, stderr);
  const events = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [first] = events;
  assert.deepEqual([first.level, first.event, first.kind], ["info", "finding", "found"]);
  assert.match(first.message, /^10 records: the list at "data"$/);
  assert.match(events.at(-1).message, /^export API_TOKEN='\*\*\*'/);
  assert.deepEqual(new Set(events.map(({ event }) => event)), new Set(["finding", "export"]));
});
