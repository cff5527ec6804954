import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { asSinger, readSinger } from "../helpers/singer.ts";
import { atHome, configurationOf, pages, readExamples } from "./pages.ts";
import { runExample } from "./run-example.ts";

const { examples } = await readExamples();
const configurations = pages.flatMap(({ blocks }) => blocks).filter(({ language }) => /^jsonc?$/.test(language));

describe("the examples of the documents as Singer messages", () => {
  for (const [name, { answers, args = [], env = {}, lines }] of Object.entries(examples)) {
    // The expected lines of this example are not plain records.
    if (args.includes("--tag")) continue;
    test(`${name}: the messages follow the specification and have the same records`, async () => {
      await using api = await startApi(answers);
      await using folder = await temporaryFolder();
      const text = configurations.find((one) => one.example === name)?.text ?? "{}";
      const here = args.map((one) => (one.endsWith(".json") ? join(folder.path, one) : one));
      const { code, stdout, stderr } = await runExample(
        atHome(configurationOf(text), api.port),
        [...here, "--singer"],
        env,
      );
      assert.equal(code, 0, stderr);
      const { records, states } = readSinger(stdout);
      assert.deepEqual(
        records.map(({ raw }) => raw),
        asSinger(lines),
      );
      assert.equal(states.at(-1)?.before, records.length);
    });
  }
});
