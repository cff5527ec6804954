import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../..", import.meta.url));

test("the single executable runs commands without an installed node", async () => {
  await using folder = await temporaryFolder();
  const executable = join(folder.path, "spile");
  await run(process.execPath, ["--import", "tsx", "scripts/package.ts", executable], { cwd: project });
  const env = { PATH: "/nowhere", HOME: folder.path };
  const spile = async (...words: string[]): Promise<string> => (await run(executable, words, { env })).stdout;
  await using api = await startApi({
    "/json": () => [{ id: 13911860366432393n.toString() }, [1.5]],
    "/csv": () => ({
      send: (socket: { write(text: string): void }) =>
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na\n007\n"),
    }),
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "json" }, { endpoint: "csv", format: "csv" }] },
  });
  assert.equal(await spile(config, "-q"), '{"id":"13911860366432393"}\n[1.5]\n{"a":"007"}\n');
  assert.match(await spile("--help"), /^usage: spile|spile \[options\]/m);
  assert.match(await spile("check", config), /^json\tGET json/);
  assert.match(await spile("explain", "api.baseUrl"), /baseUrl/);
  assert.match(await spile("preview", config), /13911860366432393/);
  assert.match(await spile("init", "--offline", `${api.url}/json`), /"baseUrl"/);
  await assert.rejects(run(executable, ["none.json"], { env }), { code: 78 });
});
