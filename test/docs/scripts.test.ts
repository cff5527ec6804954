import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { type Running, shell, start, temporaryFolder } from "../helpers/cli.ts";
import { pages, readExamples } from "./pages.ts";

const { outputs } = await readExamples();
const scripts = pages.map((page) => ({
  ...page,
  marked: page.blocks.filter(({ language, example }) => example !== undefined && /^(ba)?sh$/.test(language)),
}));

describe("scripts of the documents", { skip: process.platform === "win32" && "needs a shell" }, async () => {
  test("each script has an expected output", () => {
    const marked = scripts.flatMap((page) => page.marked);
    const names = marked.flatMap(({ example }) => example ?? []);
    assert.deepEqual(
      marked.filter(({ example = "", output }) => output === undefined && !(example in outputs)),
      [],
    );
    assert.deepEqual(
      Object.keys(outputs).filter((name) => !names.includes(name)),
      [],
    );
  });

  test("docs/singer.md: the command against NULs removes them, and keeps escaped backslashes", async () => {
    const { text = "" } = scripts.flatMap(({ marked }) => marked).find(({ example }) => example === "singer-nul") ?? {};
    const cure = /sed .*(?= >)/.exec(text)?.[0] ?? "";
    const record = (inner: string): string => `{"type":"RECORD","record":{"a":"${inner}"}}\n`;
    const nul = "\\u0000";
    const cases = [
      [`x${nul}y${nul}${nul}`, "xy"],
      [nul, ""],
      [`\\${nul}`, `\\${nul}`],
      [`\\\\${nul}`, "\\\\"],
      ["\\u00001", "1"],
      ["\\u0001", "\\u0001"],
    ] as const;
    const state = `{"type":"STATE","value":{"a":"${nul}"}}\n`;
    const stdin = state + cases.map(([before]) => record(before)).join("");
    const { stdout } = await shell(cure, { stdin });
    assert.equal(stdout, state + cases.map(([, after]) => record(after)).join(""));
  });

  for (const { path, blocks, marked } of scripts.filter((page) => page.marked.length > 0)) {
    test(`${path}: all scripts run in order in one folder`, async (context) => {
      await using folder = await temporaryFolder();
      await using serving = demo();
      const configuration = await serving.until("stdout", /\n}\n$/);
      const port = /127\.0\.0\.1:(\d+)/.exec(configuration)?.[1] ?? "";
      const here = (text: string): string => text.replaceAll("127.0.0.1:4280", `127.0.0.1:${port}`);
      await folder.write("config.json", configuration);
      for (const { example, text } of blocks) if (example?.endsWith(".json")) await folder.write(example, here(text));
      const search = [await shim(folder.path), process.env.PATH].join(delimiter);
      for (const block of marked) {
        await context.test(`${block.example}`, { skip: without(block.text) }, async () => {
          await folder.write("script", here(block.text));
          const env = { PATH: search, DEMO_PASSWORD: "drip-drip-drip" };
          const script = `unset -f spile; ${block.language} script`;
          const { code, stdout, stderr } = await shell(script, { cwd: folder.path, env });
          assert.equal(code, 0, stderr);
          assert.match(squeezed(stdout), pattern(block.output ?? outputs[block.example ?? ""] ?? ""));
        });
      }
    });
  }
});

/** Starts the API of the demo, one for each page: the tests end a process after a minute, and a busy machine needs longer for all pages. */
function demo(): Pick<Running, "until"> & AsyncDisposable {
  const serving = start(["demo", "--serve"]);
  return {
    until: serving.until,
    async [Symbol.asyncDispose]() {
      serving.kill("SIGTERM");
      await serving.finished;
    },
  };
}

/** Creates a folder for the beginning of PATH, in which `spile` is the built command. */
async function shim(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "spile"), '#!/bin/sh\nexec "$NODE" "$SPILE" "$@"\n');
  await chmod(join(bin, "spile"), 0o755);
  return bin;
}

/** Returns the reason why a script cannot run on this machine; false if it can. */
function without(script: string): string | false {
  const missing = ["jq", "curl", "gzip", "bash"].filter(
    (tool) => script.includes(`${tool} `) && spawnSync(tool, ["--version"]).error !== undefined,
  );
  return missing.length > 0 && `there is no ${missing.join(", no ")} here`;
}

/** Returns a text without the padding of `wc` and `uniq -c`, which differs between systems. */
function squeezed(text: string): string {
  return text.replace(/^ +/gm, "").trimEnd();
}

/** Returns the pattern of an output in the documents, in which `...` matches anything. */
function pattern(output: string): RegExp {
  const parts = squeezed(output).split(/ ?\.\.\. ?/);
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")}$`);
}
