import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { draftConfiguration, withQueryAsParams } from "../../../src/authoring/configuration-draft.ts";
import { readRequestText } from "../../../src/authoring/sources.ts";
import { type Received, startApi } from "../../helpers/api.ts";
import { startCommand } from "../../helpers/cli.ts";
import { runHere } from "../../helpers/run.ts";

const body = '{"a": [1, {"b": "c d"}]}';
const json = "-H 'Content-Type: application/json'";

/** Options of curl, and the query of the address. */
const commands: readonly (readonly [options: string, query?: string])[] = [
  ["-sS"],
  ["-s --compressed -H 'X-A: b c' -H 'X-Empty;' -H 'Accept: text/plain'", "?x=1&y=a%20b"],
  ["-s -A me/1 -e https://a.example/ -b 'a=1; b=2'"],
  ["-s -u me:s3cret"],
  ["-s --oauth2-bearer abc"],
  ["-s -G -d q=1 -d 'r=a+b' --data-urlencode 's=a b&c' --data-urlencode '=é'", "?z=0"],
  ["-s --url-query a=1 --url-query 'b=x y&z' --url-query '+c=%20d' --url-query =e", "?z=0"],
  ["-s -d a=1 -d b=2"],
  ["-s -d 'a=1&b=x+y%21&a=2&c[]=3&c[]=4'"],
  ["-s --data-urlencode 'a=x y&z' --data-urlencode b=é"],
  ["-s -X POST -d a="],
  [`-s ${json} -d '${body}'`],
  [`-s --json '${body}'`],
  [`-s --json '{"a": ' --json '1}'`],
  [`-s -XPOST ${json} --data-raw '${body}'`, "?x=1&x=2"],
  ["-s -g", "?filter[name]=a&ids={1,2}"],
  ["-s --no-compressed --no-progress-meter --tlsv1.2 --http1.1"],
];

/** Returns the parts of a request that must be equal: a query and a form as pairs, JSON as a value. */
function essence({ method, path, query, headers, body: text }: Received) {
  const type = headers["content-type"] ?? "";
  const kept = ["authorization", "accept", "cookie", "referer", "user-agent", "x-a", "x-empty"].flatMap((name) => {
    const value = headers[name];
    // Each client has its own name and its own default for Accept.
    return value === undefined || value === "*/*" || /^(curl|spile)\//.test(value) || value === "application/json"
      ? []
      : [[name, value]];
  });
  const pairs = (form: string): string[] => [...new URLSearchParams(form)].map((pair) => JSON.stringify(pair)).sort();
  const content = text === "" ? "" : type.includes("json") ? JSON.parse(text) : pairs(text);
  return { method, path, query: pairs(query), headers: kept, type: text === "" ? "" : type.split(";")[0], content };
}

const installed = spawnSync("curl", ["--help", "all"], { encoding: "utf8" }).stdout ?? "";

test("spile sends the requests that curl sends", { skip: !installed.includes("--url-query") }, async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  for (const [options, query = ""] of commands) {
    const command = `curl ${options} '${api.url}/users${query}'`;
    const { code, stderr } = await startCommand("sh", ["-c", command]).finished;
    assert.equal(code, 0, `${command}: ${stderr}`);
    const { description } = readRequestText(command, {}, () => "");
    const { configuration, credentials } = draftConfiguration(withQueryAsParams(description), {});
    const variables = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
    await runHere(configuration, { variables });
    const [wanted, sent] = api.log.slice(-2);
    assert.ok(wanted !== undefined && sent !== undefined);
    assert.deepEqual(essence(sent), essence(wanted), command);
  }
  assert.equal(api.log.length, commands.length * 2);
});
