import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { readVariables } from "../../src/cli/command-line.ts";
import { startApi } from "../helpers/api.ts";
import { spile, temporaryFolder } from "../helpers/cli.ts";

test("a missing file of --env is a configuration error", async () => {
  await assert.rejects(readVariables("/nowhere/x.env", {}), {
    exitCode: 78,
    message: "cannot read --env /nowhere/x.env: there is no such file",
  });
});

test("the file of --env is read as dotenv, and sets no variable of the process", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("x.env", '\ufeffA_FIRST=1\r\nexport A_TEXT="two words"\n# A_NOT=1\nPATH=/none\n');
  const variables = await readVariables(file, { PATH: "/bin" });
  assert.deepEqual([variables.A_FIRST, variables.A_TEXT, variables.A_NOT], ["1", "two words", undefined]);
  assert.equal(variables.PATH, "/bin");
  assert.equal(process.env.A_FIRST, undefined);
});

test("variables of the environment take precedence over those of --env, and NODE_OPTIONS in its file has no effect", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(({ headers }) => [{ token: headers["x-token"], other: headers["x-other"] }]);
  const loaded = await folder.write("loaded.cjs", 'console.error("loaded by NODE_OPTIONS");');
  const lines = `TOKEN="from file"\nOTHER=file\nNODE_OPTIONS=--require=${loaded}\n`;
  const variables = await folder.write("secrets.env", lines);
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url, http: { headers: { "X-Token": { attr: "#token" }, "X-Other": { attr: "#other" } } } },
    config: { "#token": { env: "TOKEN" }, "#other": { env: "OTHER" }, jobs: [{ endpoint: "x" }] },
  });
  const result = await spile([file, "--env", variables], { env: { OTHER: "environment" } });
  assert.deepEqual([result.code, result.stdout], [0, '{"token":"from file","other":"environment"}\n'], result.stderr);
  assert.doesNotMatch(result.stderr, /loaded by NODE_OPTIONS/);
  const missing = await spile([file, "--env", "/nowhere/x.env"]);
  assert.deepEqual([missing.code, missing.stdout], [78, ""]);
  assert.equal(missing.stderr, "error cannot read --env /nowhere/x.env: there is no such file\n");
});

test("a proxy may be in the file of --env", async () => {
  await using folder = await temporaryFolder();
  const asked: string[] = [];
  const proxy = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.end('[{"by":"proxy"}]');
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  assert.ok(typeof address === "object" && address !== null);
  try {
    const variables = await folder.write("proxy.env", `http_proxy=http://127.0.0.1:${address.port}\n`);
    const configuration = { api: { baseUrl: "http://a.test/" }, config: { jobs: [{ endpoint: "x" }] } };
    const result = await spile(["-", "--env", variables], { stdin: JSON.stringify(configuration) });
    assert.deepEqual([result.code, result.stdout], [0, '{"by":"proxy"}\n'], result.stderr);
    assert.deepEqual(asked, ["http://a.test/x"]);
  } finally {
    proxy.close();
  }
});
