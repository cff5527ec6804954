import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, test } from "node:test";
import { commands } from "../../src/cli/command-table.ts";
import { options } from "../../src/cli/option-table.ts";
import { exitCodes } from "../../src/core/errors.ts";
import { functions } from "../../src/expression/functions.ts";
import {
  evidenceFields,
  evidenceHeaders,
  evidencePlaces,
  failureFields,
  spellings,
} from "../knowledge/earlier-names.ts";
import { anchorsOf, builtPart, sectionOf } from "./markdown.ts";
import { pages, root } from "./pages.ts";

/** Options of commands other than spile that the documents show in backquotes. */
const foreign: ReadonlySet<string> = new Set([
  "silent",
  "max",
  "scale",
  "only",
  "minutes",
  "no-opt",
  "cpu-prof",
  "check",
  "rivals",
  "folder",
]);

const everything = pages.map(({ text }) => text).join("\n");

describe("statements of the documents about the command", () => {
  test("the documents use every option", () => {
    const missing = options.flatMap(({ name, alias }) => [
      ...(new RegExp(`\`[^\`]*--${name}\\b|^.*\\bspile .*--${name}\\b`, "m").test(everything) ? [] : [`--${name}`]),
      ...(!alias || new RegExp(`\`-${alias}\\b`).test(everything) ? [] : [`-${alias}`]),
    ]);
    assert.deepEqual(missing, [], `no page of docs/ shows these options in use: ${missing.join(", ")}`);
  });

  test("the documents use every command", () => {
    const named = commands.filter(({ name }) => name !== "run").map(({ name }) => `spile ${name}`);
    const missing = named.filter((command) => !new RegExp(`\\b${command}\\b`).test(everything));
    assert.deepEqual(missing, [], `no page of docs/ names these commands: ${missing.join(", ")}`);
  });

  test("the documents use no unknown option", () => {
    const known = new Set(options.map(({ name }) => name));
    const commandLines = pages.flatMap(({ path, text }) =>
      [...builtPart(text).matchAll(/`(?:spile )?(--[^`]+)`|\bspile ([^|`\n>#]*)/g)].map(([, quoted, line]) => ({
        path,
        words: quoted ?? line ?? "",
      })),
    );
    const unknown = commandLines.flatMap(({ path, words }) =>
      [...words.matchAll(/(?<![\w-])--([a-z][a-z-]*[a-z])/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !known.has(name) && !foreign.has(name))
        .map((name) => `${path}: --${name}`),
    );
    assert.ok(commandLines.length > 50);
    assert.deepEqual(unknown, []);
  });

  test("the table of docs/adding.md names only files that exist", () => {
    const table = sectionOf(readFileSync(join(root, "docs/adding.md"), "utf8"), "Where a change goes");
    const named = [...table.matchAll(/`((?:src|schemas|scripts|test|docs)\/[^`*]+)`/g)].map(([, path = ""]) => path);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  test("the steps of docs/adding.md name only files that exist", () => {
    const steps = readFileSync(join(root, "docs/adding.md"), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
    const named = [...steps.matchAll(/`((?:src|schemas|test|docs)\/[^`*]+)`/g)].map(([, path = ""]) => path);
    // The diffs of the page create these files. The repository does not contain them.
    const lasting = named.filter((path) => !/\/(choices|signature)\./.test(path));
    assert.ok(lasting.length > 50);
    assert.deepEqual(
      lasting.filter((path) => !existsSync(join(root, path))),
      [],
    );
  });

  test("docs/running.md lists every exit code", () => {
    const running = pages.find(({ path }) => path === "docs/running.md");
    const codes = new Set(
      [...sectionOf(running?.text ?? "", "Exit codes").matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code)),
    );
    for (const code of Object.values(exitCodes)) assert.ok(codes.has(code), `${code}`);
  });

  test("docs/paging.md lists every field, place and header that is evidence of more records or of a failure", () => {
    const section = sectionOf(pages.find(({ path }) => path === "docs/paging.md")?.text ?? "", "Evidence of more");
    const fields = evidenceFields.filter(([, meaning]) => meaning !== "beside").map(([name]) => name);
    const names = [...fields, ...evidencePlaces, ...failureFields].map((name) => spellings(name)[0] ?? name);
    for (const name of [...names, ...evidenceHeaders.map(([header]) => header)]) {
      assert.ok(section.includes(`\`${name}\``), name);
    }
  });

  test("docs/configuration.md lists every function of expressions", () => {
    const configuration = pages.find(({ path }) => path === "docs/configuration.md");
    const section = sectionOf(configuration?.text ?? "", "Expressions");
    const named = [...section.matchAll(/`(\w+)\([^`]*\)`/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(named)].sort(), Object.keys(functions).sort());
  });
});

test("the glossary explains each word once, among them the words of jobs, shards and Singer", () => {
  const section = sectionOf(pages.find(({ path }) => path === "docs/architecture.md")?.text ?? "", "Glossary");
  const words = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = ""]) => word);
  assert.equal(
    new Set(words).size,
    words.length,
    words.filter((word, index) => words.indexOf(word) < index).join(", "),
  );
  for (const word of [
    "window",
    "step",
    "increment",
    "watermark",
    "bookmark",
    "batch",
    "endpoint list",
    "Singer",
    "shard",
  ]) {
    assert.ok(words.includes(word), word);
  }
});

test("the table of architecture.md lists every folder of src/", () => {
  const section = sectionOf(pages.find(({ path }) => path === "docs/architecture.md")?.text ?? "", "Rooms");
  const listedRooms = [...section.matchAll(/^\| `src\/([a-z]+)\/`/gm)].map(([, room]) => room);
  const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(listedRooms.sort(), rooms.map(({ name }) => name).sort());
});

describe("links of the documents", () => {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));

  for (const { path, text } of pages) {
    test(`${path}: every link leads to a file and a heading`, () => {
      const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
      const targets = [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)];
      const broken = targets.filter(([, file = "", anchor]) => {
        const place = file === "" ? path : posix.join(posix.dirname(path), file);
        if (!existsSync(join(root, place))) return true;
        return anchor !== undefined && anchors.get(place)?.has(anchor) === false;
      });
      assert.deepEqual(
        broken.map(([link]) => link),
        [],
      );
    });
  }

  test("the README links to every page directly in docs/", () => {
    const readme = pages[0]?.text ?? "";
    const missing = pages.slice(1).filter(({ path }) => !path.slice(5).includes("/") && !readme.includes(`(${path})`));
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
    );
  });
});
