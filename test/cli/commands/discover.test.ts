import assert from "node:assert/strict";
import { test } from "node:test";
import { type Handler, startApi } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";
import { readSinger } from "../../helpers/singer.ts";

const child = { endpoint: "users/{n}/orders", placeholders: { n: "id" }, dataType: "orders", key: "id" };
const table = { type: "table", destination: "tags", tableMapping: { ".": "tag" } };
const config = {
  "#token": "s3cr3t",
  mappings: { items: { id: { mapping: { destination: "id", primaryKey: true } }, tags: table } },
  jobs: [{ endpoint: "users", key: "id", children: [child] }, { endpoint: "items" }, { endpoint: "logs?t=s3cr3t" }],
};
const handler: Handler = ({ path }) => (path === "/items" ? [{ id: 1, tags: ["x"] }] : [{ id: 1 }, { id: 2 }]);

async function asTap() {
  const api = await startApi(handler);
  const folder = await temporaryFolder();
  const path = await folder.write("config.json", { api: { baseUrl: api.url }, config });
  const run = (...words: readonly string[]) => spileHere(["--config", path, ...words]);
  const withCatalog = async (streams: readonly object[], ...words: readonly string[]) => {
    const catalog = await folder.write("catalog.json", { streams });
    return run("--catalog", catalog, ...words);
  };
  return {
    api,
    folder,
    run,
    withCatalog,
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await api.close();
    },
  };
}

const streamsOf = (output: string): string[] => [...new Set(readSinger(output).records.map(({ stream }) => stream))];
/** Unix seconds: `previousStart` of the last state. */
const movedTo = (output: string): number =>
  (readSinger(output).states.at(-1)?.value as { time: { previousStart: number } } | undefined)?.time.previousStart ??
  -1;
const selecting = (...names: readonly string[]): object[] =>
  names.map((name) => ({ tap_stream_id: name, stream: name, selected: true }));

test("--discover lists every dataset without a request and without a secret", async () => {
  await using tap = await asTap();
  const { code, stdout, stderr } = await tap.run("--discover");
  assert.equal(code, 0, stderr);
  const { streams } = JSON.parse(stdout) as { streams: { tap_stream_id: string; key_properties: string[] }[] };
  assert.deepEqual(
    streams.map(({ tap_stream_id, key_properties }) => [tap_stream_id, key_properties]),
    [
      ["users", ["id"]],
      ["orders", ["id"]],
      ["items", []],
      ["tags", []],
      ["logs?t=***", []],
    ],
  );
  assert.deepEqual(tap.api.targets(), []);
});

test("a tap writes every stream if it has no catalog, or has the catalog that --discover printed", async () => {
  await using tap = await asTap();
  const all = await tap.run();
  const catalog = await tap.folder.write("all.json", (await tap.run("--discover")).stdout);
  const { code, stdout, stderr } = await tap.run("--catalog", catalog);
  assert.equal(code, 0, stderr);
  assert.deepEqual(streamsOf(stdout), ["users", "orders", "items", "tags", "logs?t=***"]);
  assert.deepEqual(streamsOf(all.stdout), streamsOf(stdout));
  assert.ok(movedTo(stdout) > 0, "every stream is selected, so the time moves");
});

test("jobs without a selected stream below them send nothing, and an unselected parent writes no records", async () => {
  await using tap = await asTap();
  const { code, stdout, stderr } = await tap.withCatalog(selecting("orders", "tags"));
  assert.equal(code, 0, stderr);
  assert.deepEqual(streamsOf(stdout), ["orders", "tags"]);
  assert.deepEqual(tap.api.targets(), ["/users", "/users/1/orders", "/users/2/orders", "/items"]);
  assert.equal(movedTo(stdout), 0, "unselected streams may be wanted later, so the time stays");
  const parents = await tap.withCatalog(selecting("users"));
  assert.deepEqual(streamsOf(parents.stdout), ["users"]);
  assert.equal(tap.api.targets().at(-1), "/users");
});

test("different pages of a parent that is not selected are not taken for repeated ones", async () => {
  let pages = 0;
  await using api = await startApi(({ path }) => {
    if (path !== "/users") return [{ id: 7 }];
    pages += 1;
    return pages < 3 ? [{ id: pages }] : [];
  });
  await using folder = await temporaryFolder();
  const pagination = { method: "offset", limit: 1 };
  const catalog = await folder.write("catalog.json", { streams: selecting("orders") });
  const path = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "multiple", scrollers: { paged: pagination } } },
    config: { jobs: [{ endpoint: "users", scroller: "paged", children: [child] }] },
  });
  const { code, stdout, stderr } = await spileHere(["--config", path, "--catalog", catalog]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /suspect/);
  assert.equal(readSinger(stdout).records.length, 2);
});

test("a catalog with an unknown stream is an error, and one that selects nothing ends without a request", async () => {
  await using tap = await asTap();
  const unknown = await tap.withCatalog(selecting("users", "gone"));
  assert.equal(unknown.code, 78);
  assert.match(unknown.stderr, /the catalog selects the stream "gone", which no job has; there are "users", "orders"/);
  const nothing = await tap.withCatalog([{ tap_stream_id: "gone", selected: false }]);
  assert.equal(nothing.code, 0);
  assert.match(nothing.stderr, /the catalog selects no stream/);
  assert.deepEqual(tap.api.targets(), []);
  assert.equal((await tap.run("--catalog", `${tap.folder.path}/missing.json`)).code, 78);
});

test("options that contradict those of a tap are refused", async () => {
  const errorOf = async (...words: readonly string[]): Promise<string> => {
    const { code, stderr } = await spileHere(words);
    return `${code} ${stderr}`;
  };
  assert.match(
    await errorOf("--config", "a.json", "b.json"),
    /^64 .*unexpected argument "b\.json": --config already names/,
  );
  assert.match(await errorOf("-", "--catalog", "c.json"), /^64 .*--catalog needs --singer/);
  for (const other of [["-o", "f"], ["--split", "d"], ["--tag"]]) {
    assert.match(await errorOf("--config", "a.json", ...other), /^64 .*exclude each other/);
    assert.match(await errorOf("-", "--discover", ...other), /^64 .*exclude each other/);
  }
  assert.match(await errorOf("check", "-", "--discover"), /^64 .*--discover belongs to spile run/);
});
