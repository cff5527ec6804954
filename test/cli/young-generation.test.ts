import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { spile, temporaryFolder } from "../helpers/cli.ts";

const tellSize = `data:text/javascript,${encodeURIComponent(
  'import v8 from "node:v8"; process.on("exit", () => { const { space_size } = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space"); process.stderr.write("young " + space_size); });',
)}`;

for (const [given, least, most] of [
  ["", 1, 8],
  ["--max-semi-space-size=8", 16, 16],
] as const) {
  test(`the young generation has at most ${most} MiB for a large configuration${given && ` with ${given}`}`, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await temporaryFolder();
    const jobs = Array.from({ length: 5000 }, (_, index) => ({ endpoint: `items/${index}` }));
    const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs } });
    const env = { NODE_OPTIONS: `--import ${tellSize} ${given}` };
    const { code, stderr } = await spile([file, "--job", "items/4999"], { env });
    assert.equal(code, 0, stderr);
    const size = Number(/young (\d+)/.exec(stderr)?.[1]) / 2 ** 20;
    assert.ok(size >= least && size <= most, `${size} MiB`);
  });
}
