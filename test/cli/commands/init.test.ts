import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { chunked, json, startApi, text } from "../../helpers/api.ts";
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

test("spile init before a curl command writes a configuration that fetches all records", async () => {
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
    /^note {2}the request asks for 100 a page by "limit", but the API gives 10: the configuration asks for 10$/m,
  );
  assert.match(
    stderr,
    /^note {2}API_TOKEN is the header Authorization, without Bearer before it\nexport API_TOKEN='\*\*\*'$/m,
  );
  assert.doesNotMatch(stderr + (await folder.read("users.json")), /s3cr3t/);
});

test("a command on stdin keeps the names of its variables", async () => {
  await using server = await api();
  const stdin = `curl '${server.url}/users' \\\n  -H "Authorization: Bearer $MY_KEY" \\\n  --compressed | jq .`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin, env: { MY_KEY: "s3cr3t" } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"#token": { "env": "MY_KEY" }/);
  assert.match(stderr, /note {2}the text after the command is left out: \| jq/);
});

test("options may precede the address, and -o names the file for the configuration", async () => {
  await using server = await startApi(() => users);
  await using folder = await temporaryFolder();
  const file = `${folder.path}/users.json`;
  const { code, stdout } = await spileHere(["init", "--probes", "1", "-q", "-o", file, `${server.url}/users`]);
  assert.equal(code, 0);
  assert.equal(stdout, "");
  assert.ok(server.log.length <= 2);
  assert.equal((await spileHere([file])).stdout, lines);
});

test("the configuration and its comments contain no credentials of the address", async () => {
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

test("--offline sends nothing, and a comment says what is missing", async () => {
  await using server = await api();
  const { code, stdout, stderr } = await spileHere(["init", "--offline", "curl", `${server.url}/users`]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\/\/ Nothing was sent \(--offline\)/);
  assert.match(stdout, /"pagination": { "method": "none", "fullPage": 1 }/);
  assert.deepEqual(server.targets(), []);
});

test("if the API refuses the request, the known part is written, and the exit code is that of the refusal", async () => {
  await using server = await api();
  const { code, stdout, stderr } = await spileHere(["init", "curl", `${server.url}/users`]);
  assert.equal(code, 77);
  assert.match(stderr, /answered 401/);
  assert.match(stdout, /"endpoint": "users"/);
});

test("input that spile cannot convert ends with 64, and the error says why", async () => {
  for (const [words, stdin, pattern] of [
    [["init"], "", /no request was given: put spile init before a curl command/],
    [["init", "-"], "wget https://x/", /must begin with curl or https/],
    [["init", "-"], "curl 'https://x/", /quote ' that is not closed/],
    [["init", "curl"], "", /has no address/],
    [["init", "curl", "-F", "a=b", "https://x/"], "", /curl's option -F is not supported/],
    [["init", "curl", "--offline", "https://x/"], "", /curl's option --offline is unknown to spile/],
    [["init", "users.json"], "", /is not an http or https address/],
    [
      ["init", "--offline", "curl", "https://x/", "-H", "content-type: application/json", "-d", '{"a":{"attr":"b"}}'],
      "",
      /the body holds an object with "attr", .* would read as an expression/,
    ],
    [["get", "https://x/", "--offline"], "", /--offline belongs to spile init/],
  ] as const) {
    const { code, stderr, stdout } = await spileHere([...words], { stdin });
    assert.equal(code, 64, `${words.join(" ")}: ${stderr}`);
    assert.match(stderr, pattern);
    assert.equal(stdout, "");
  }
});

test("--log-format json prints each finding and each export as a line of JSON", async () => {
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
  assert.equal(events.at(-1).message, "export API_TOKEN='***'");
  assert.deepEqual(new Set(events.map(({ event }) => event)), new Set(["finding", "export"]));
});

test("export lines on stderr run no code from the command when a shell reads them", async () => {
  await using folder = await temporaryFolder();
  const evil = "'; touch PWNED; '$(touch PWNED)`touch PWNED`";
  const key = await folder.write("it's $(touch PWNED).pem", "x");
  const rows: readonly (readonly string[])[] = [
    ["-x", `http://127.0.0.1:1/${evil}`],
    ["-x", `http://127.0.0.1:1/\n touch PWNED\n`],
    ["-H", "token`touch`&$x'|: abc"],
    ["-d", `token$(touch PWNED)=abc`],
    ["-E", key],
  ];
  for (const words of rows) {
    const { code, stderr } = await spileHere(["init", "--offline", "curl", ...words, "https://api.example.com/x"], {
      cwd: folder.path,
    });
    assert.ok(code === 0 || /names a proxy/.test(stderr), stderr);
    if (code !== 0) continue;
    const lines = stderr
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("note"));
    assert.ok(lines.length > 0 && lines.every((line) => line.startsWith("export ")), stderr);
    for (const remark of stderr.match(/^note {2}\w+ is .*$/gm) ?? [])
      assert.match(remark, /^[\p{L}\p{N} _.,:/@%+-]*$/u);
    const ran = await shell(`${lines.join("\n")}\nls`, { cwd: folder.path });
    assert.equal(ran.code, 0, ran.stderr);
    assert.doesNotMatch(ran.stdout, /^PWNED/m);
  }
});

test("a command with missing or wrong quotes does not reveal its secrets", async () => {
  const rows: readonly (readonly [words: readonly string[], stdin: string, pattern: RegExp])[] = [
    [["-"], "curl http://x.test/a -H Authorization: Bearer s3cr3t", /several addresses \(http:\/\/x.test\/a, \.\.\.\)/],
    [["-"], "curl https://x.test/a?x=1&access_token=s3cr3t&y=2", /an & outside quotes/],
    [["-"], "curl “https://x.test/a?token=s3cr3t” -H “Authorization: Bearer s3cr3t”", /has “, as word processors/],
    [["-"], "curl ‘https://x.test/a?token=s3cr3t’", /has ‘, as word/],
    [["-"], "curl –H 'Authorization: s3cr3t' https://x.test/", /has –, as word processors write it: put - or --/],
    [["-"], "'curl https://x.test/ -H \"Authorization: s3cr3t\"'", /whole curl command is in quotes/],
    [["curl https://x.test/ -H 'Authorization: s3cr3t'"], "", /whole curl command is in quotes/],
    [
      ["curl", "https://x.test/", "--oauth2-barer=s3cr3t"],
      "",
      /--oauth2-barer=... is unknown to spile, did you mean --oauth2-bearer/,
    ],
    [["curl", "https://x.test/", "-b", "s3cr3t"], "", /-b names a file/],
    [["curl", "https://x.test/", "-X", "s3cr3t"], "", /-X \.\.\. is not supported/],
    [["s3cr3t"], "", /the given text is not an http/],
    [["ftp://me:s3cr3t@x.test/?t=s3cr3t"], "", /"ftp:\/\/\*\*\*@x.test\/" is not/],
    [["http://me:s3/c@r3t@x.test:99999/"], "", /"http:\/\/\*\*\*@x.test:99999\/" is not/],
    [["curl", "http://me:s3/c@r3t@x.test:99999/"], "", /is not an http/],
    [
      ["--offline", "curl", "-x", "http://me:s3%2Fcr3t@x.test/a@b", "http://x.test/"],
      "",
      /-x names a proxy that is not an http address/,
    ],
  ];
  for (const [words, stdin, pattern] of rows) {
    const { stdout, stderr } = await spileHere(["init", ...words], { stdin });
    assert.match(stderr, pattern);
    assert.doesNotMatch(stdout + stderr, /s3cr3t|s3\/|r3t@|s3%2F/, words.join(" "));
  }
});

test("control characters in names from the API are escaped on stdout", async () => {
  const name = "a\u009b2J\u0085\u007f\u202e\u061c\u200f";
  await using server = await startApi(() => ({ [name]: { [`${name}.b`]: users } }));
  const { code, stdout, stderr } = await spileHere(["init", `${server.url}/x?${encodeURIComponent(name)}=1`]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch((stdout + stderr).replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
  assert.match(stdout, /"path": "a\\u009b2J\\u0085\\u007f\\u202e\\u061c\\u200f|\\u009b2J/);
  assert.equal((await spileHere(["-"], { stdin: stdout })).stdout, lines);
  const planned = await spileHere(["plan", "-"], { stdin: stdout });
  assert.doesNotMatch(planned.stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
});

test("a plus in the query is sent as in the command, and escaped brackets are sent without backslashes", async () => {
  await using server = await startApi(() => users);
  const target = "/users?since=2024-05-01T00:00:00+01:00&filter[kind]=oak";
  const stdin = `curl '${server.url}${target.replace("[", "\\[").replace("]", "\\]")}'`;
  const { code, stdout, stderr } = await spileHere(["init", "--probes", "0", "-"], { stdin });
  assert.equal(code, 0, stderr);
  await spileHere(["-"], { stdin: stdout });
  for (const sent of server.targets()) assert.match(sent, /since=2024-05-01T00:00:00\+01:00/);
  assert.ok(
    server.targets().every((sent) => /filter(\[|%5B)kind(\]|%5D)=oak/.test(sent)),
    server.targets().join(" "),
  );
});

test("all 20,000 parameters of a query are written", async () => {
  const pairs = Array.from({ length: 20_000 }, (_, index) => `p${index}=${index}`).join("&");
  const { code, stdout } = await spileHere(["init", "--offline", "-"], {
    stdin: `curl 'http://127.0.0.1:1/x?${pairs}'`,
  });
  assert.equal(code, 0);
  assert.match(stdout, /"p19999": 19999/);
});

test("a password without a user name is an API key, and is sent as curl sends it", async () => {
  const sent: (string | undefined)[] = [];
  await using server = await startApi(({ headers }) => {
    sent.push(headers.authorization);
    return users;
  });
  const { code, stdout, stderr } = await spileHere(["init", "curl", "-u", ":s3cr3t", `${server.url}/users`]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /s3cr3t/);
  assert.equal(
    (await spileHere(["-"], { stdin: stdout, env: { API_API_KEY: "s3cr3t", API_KEY: "s3cr3t" } })).stdout,
    lines,
  );
  assert.deepEqual([...new Set(sent)], [`Basic ${Buffer.from(":s3cr3t").toString("base64")}`]);
});

test("notes report headers that contain the name of a variable instead of a value, and headers that are left out", async () => {
  await using server = await startApi(() => users.slice(0, 3));
  const command = `curl '${server.url}/users?q=pa$XYZZY' -H 'Authorization: Bearer $API_TOKEN' -H 'X-Key: {{key}}' -H 'Host: x' -H 'Pragma: no-cache' -u 'me:pa$XYZZY'`;
  const { code, stderr } = await spileHere(["init", "-"], { stdin: command });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /note {2}the header Authorization holds the name of a variable \(.*\) in place of a value$/m);
  assert.match(stderr, /note {2}the header X-Key holds a variable of Postman in place of a value/);
  assert.match(stderr, /note {2}the header Host is left out: it comes from the address/);
  assert.match(stderr, /note {2}headers that browsers add for themselves are left out: Pragma/);
  assert.doesNotMatch(stderr, /XYZZY/);
});

test("a query is sent byte for byte, or a note names the part that differs", async () => {
  await using server = await startApi(() => users.slice(0, 3));
  const query = `fields=a,b&at=2024-01-01T00:00:00+01:00&q=it's&filter[name]=x&e=%c3%a9&page[size]=10`;
  const { code, stdout, stderr } = await spileHere([
    "init",
    "--probes",
    "0",
    "curl",
    "-g",
    `${server.url}/users?${query}`,
  ]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /note {2}sent with another percent-encoding: "q" of the query, "page\[size\]" of the query$/m);
  assert.match(stdout, /"params": \{ "q": "it's", "page\[size\]": 10 \}/);
  await using folder = await temporaryFolder();
  await spileHere([await folder.write("c.json", stdout)]);
  const kept = query.replace(/&q=.*?(?=&)/, "").replace(/&page.*/, "&q=it%27s&page%5Bsize%5D=10");
  assert.equal(server.targets().at(-1), `/users?${kept}`);
});

test("a note names each credential of the query that is sent in another spelling", async () => {
  await using server = await startApi(() => users.slice(0, 3));
  const query = "a%5Fkey=1&api%5Fkey=x&token=ab/cd==&to=http://b/?sig=c=d&pwd=e&pwd=f:g&secret=plain";
  const { code, stderr } = await spileHere(["init", "--probes", "0", "curl", `${server.url}/users?${query}`]);
  assert.equal(code, 0, stderr);
  const names = ["api_key", "token", "to", "pwd"].map((name) => `"${name}" of the query`);
  assert.ok(stderr.includes(`note  sent with another percent-encoding: ${names.join(", ")}\n`), stderr);
});

test("a note names the lists of an answer that are not chosen, or a position that is inside the text of a query", async () => {
  await using server = await startApi(({ params }) =>
    params.has("query")
      ? { results: { bindings: users.slice(0, 10) } }
      : { ids: ["a", "b"], documents: ["x", "y"], metadatas: [{ n: 1 }, { n: 2 }], distances: [] },
  );
  const columns = await spileHere(["init", `${server.url}/get`]);
  assert.match(columns.stderr, /note {2}other lists in the answer: (ids, documents|documents, ids)$/m);
  const sparql = encodeURIComponent("SELECT * WHERE { ?s ?p ?o } LIMIT 10 OFFSET 20");
  const { stderr, stdout } = await spileHere(["init", `${server.url}/sparql?query=${sparql}`]);
  assert.match(stderr, /the position is inside the text of "query" \(LIMIT 10\), where no paging can change it/);
  assert.match(stdout.replace(/\s*\n\s*\/\/ /g, " "), /The position is inside the text of "query"/);
});

test("an endless or very long answer ends init with 65, even if it is compressed", async () => {
  const plain = Buffer.from('{"id":1},'.repeat(100_000));
  function* endless(beginning: Buffer, chunk: Buffer): Generator<Buffer> {
    yield beginning;
    for (;;) yield chunk;
  }
  const deep = Buffer.alloc(1_000_000, "[");
  const headers = { "content-encoding": "gzip" };
  // Unlike the others, this answer ends, and only its decoded form is too long.
  const bomb = gzipSync(Buffer.alloc(2 ** 26 + 1, "["));
  await using server = await startApi(({ path }) => {
    if (path === "/plain") return chunked(endless(Buffer.from("["), plain));
    if (path === "/bomb") return text(bomb, { headers });
    return path === "/deep"
      ? chunked(endless(gzipSync(deep), gzipSync(deep)), { headers })
      : chunked(endless(gzipSync("["), gzipSync(plain)), { headers });
  });
  for (const path of ["plain", "deep", "records", "bomb"]) {
    const { code, stderr } = await spileHere(["init", `${server.url}/${path}`]);
    assert.equal(code, 65, `${path}: ${stderr}`);
    assert.match(stderr, /the answer is longer than 64 MiB, the most that is read to find its records and paging/);
  }
});
