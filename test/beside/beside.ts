import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

/*
 * Tests the library together with packages that replace Node's requests or their agents: mocks, and a bootstrap for proxies. Each
 * package is installed beside spile in an empty folder, and a program extracts two pages through it.
 *   npm run beside                              all packages; takes a minute, and needs npm's registry
 *   npm run beside -- --folder /tmp/beside      installs into a folder that is kept for the next time
 */
const run = promisify(execFile);
const project = fileURLToPath(new URL("../..", import.meta.url));
const packages = ["nock@14.0.17", "msw@2.15.0", "global-agent@4.1.6"];

/** Milliseconds that a program gets. The run in it must end within a fifth of this time. */
const timeout = 60_000;

const extraction = `
const api = { baseUrl: "http://api.test/", pagination: { method: "offset", limit: 2 } };
const stream = extract({ api, config: { jobs: [{ endpoint: "items" }] } }, { maxTime: "12s" });
stream.pipe(process.stdout);
const { exitCode, failure } = await stream.result;
if (exitCode !== 0) console.error(failure?.message);`;

/** Programs by their names. */
const programs: Readonly<Record<string, string>> = {
  nock: `
import nock from "nock";
import { extract } from "spile";
nock.disableNetConnect();
nock("http://api.test").get("/items").query({ limit: "2", offset: "0" }).reply(200, [{ id: 1 }, { id: 2 }]);
nock("http://api.test").get("/items").query({ limit: "2", offset: "2" }).reply(200, [{ id: 3 }]);
${extraction}`,
  msw: `
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { extract } from "spile";
const server = setupServer(http.get("http://api.test/items", ({ request }) => {
  const offset = Number(new URL(request.url).searchParams.get("offset"));
  return HttpResponse.json([{ id: 1 }, { id: 2 }, { id: 3 }].slice(offset, offset + 2));
}));
server.listen({ onUnhandledRequest: "error" });
${extraction}
server.close();`,
  "global-agent": `
import { bootstrap } from "global-agent";
bootstrap();
const { extract } = await import("spile");
${extraction}`,
};
const expected = '{"id":1}\n{"id":2}\n{"id":3}\n';

const { values } = parseArgs({ options: { folder: { type: "string" } } });
const root = values.folder ?? (await mkdtemp(join(tmpdir(), "spile-beside-")));
/** Answers like a proxy in front of the server. */
const proxy = createServer(({ url = "" }, response) => {
  const { host, searchParams } = new URL(url, "http://nobody.test");
  const offset = Number(searchParams.get("offset"));
  const records = [{ id: 1 }, { id: 2 }, { id: 3 }].slice(offset, offset + 2);
  response.writeHead(host === "api.test" ? 200 : 502, { "Content-Type": "application/json" });
  response.end(JSON.stringify(records));
});
await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
try {
  await prepare();
  for (const [name, program] of Object.entries(programs)) {
    const fault = await faultOf(program);
    console.log(`${name}: ${fault ?? "works"}`);
    if (fault !== undefined) process.exitCode = 1;
  }
} finally {
  proxy.close();
  if (values.folder === undefined) await rm(root, { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  await mkdir(root, { recursive: true });
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", root];
  const { stdout } = await run("npm", pack, { cwd: project });
  const [{ filename }] = JSON.parse(stdout);
  await writeFile(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"];
  await run("npm", ["install", ...options, ...packages, join(root, filename)], { cwd: root, maxBuffer: 2 ** 26 });
}

/** Returns what is wrong with a program's end; undefined if nothing is. */
async function faultOf(program: string): Promise<string | undefined> {
  const file = join(root, "program.mjs");
  await writeFile(file, program);
  const { port } = proxy.address() as AddressInfo;
  const env = { PATH: process.env.PATH, GLOBAL_AGENT_HTTP_PROXY: `http://127.0.0.1:${port}` };
  try {
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: root, env, timeout });
    return stdout === expected ? undefined : `gave ${JSON.stringify(stdout + stderr)}`;
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr ?? error).slice(0, 2000);
  }
}
