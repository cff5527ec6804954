import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import {
  isShellVariable,
  type ShellPart,
  shellExport,
  shellQuoted,
  shellRemark,
  shellWord,
} from "../../../src/core/text/shell.ts";

/** Shells without their users' files; bash and zsh also interactively. */
const shells: readonly (readonly [name: string, ...flags: string[]])[] = [
  ["bash", "--norc", "--noprofile"],
  ["bash", "--norc", "--noprofile", "-i"],
  ["dash"],
  ["zsh", "-f"],
  ["zsh", "-f", "-i"],
  ["fish", "--no-config", "-c"],
];

/** Every character up to U+00FF alone, at both ends and twice; texts of several bytes or units; and texts that could run as code. */
const texts: readonly string[] = [
  "",
  ...Array.from({ length: 255 }, (_, index) => String.fromCodePoint(index + 1)).flatMap((character) => [
    character,
    `a${character}${character}b`,
    `${character}7 ${character}`,
  ]),
  Array.from({ length: 255 }, (_, index) => String.fromCodePoint(index + 1)).join(""),
  ...["\u2028", "\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\u0301", "😀", "\ue000x\ue001", "日本"],
  "'; touch PWNED; '",
  "\\'; touch PWNED; \\'",
  "'\\''; touch PWNED; '",
  "$(touch PWNED)`touch PWNED`",
  "\n touch PWNED\n",
  "\u001b[201~\ntouch PWNED\n",
  "!! !x ^a^b ~ =ls #x %1 -n --",
  "a\\\\b\\",
  "\u001b\n\n",
  "(touch PWNED) $HOME \u0007 (touch PWNED) $HOME",
  "\\n\\t\\x41\\101",
];

/** Lets a shell print each word followed by NUL. Returns undefined if the shell is not installed. */
function readBack(words: readonly string[], [shell, ...flags]: readonly string[]): string[] | undefined {
  // The printf of env is the same program for all shells, and gets the words as they arrive.
  const script = words.map((word) => `env printf '%s\\0' ${word}\n`).join("");
  const env = {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    HOME: "/nonexistent",
    TERM: "dumb",
    HISTFILE: "",
  };
  // fish does not read a script from a socket, which stdin is here.
  const [arguments_, input] = flags.at(-1) === "-c" ? [[...flags, script], ""] : [flags, script];
  const done = spawnSync(shell ?? "", arguments_, { input, env, timeout: 60_000, maxBuffer: 1 << 26 });
  if (done.error !== undefined && "code" in done.error && done.error.code === "ENOENT") return undefined;
  assert.notEqual(done.stdout.length, 0, `${shell}: ${done.error ?? done.stderr.toString("utf8").slice(0, 300)}`);
  return done.stdout.toString("utf8").split("\0").slice(0, -1);
}

async function inEachShell(context: TestContext, words: readonly string[], expected: readonly string[]): Promise<void> {
  for (const shell of shells) {
    await context.test(shell.join(" "), (inner) => {
      const found = readBack(words, shell);
      if (found === undefined) return inner.skip(`${shell[0]} is not installed`);
      for (const [index, text] of expected.entries())
        assert.equal(JSON.stringify(found[index]), JSON.stringify(text), `${shell.join(" ")} reads ${words[index]}`);
      assert.equal(found.length, expected.length);
    });
  }
}

test("every shell reads a quoted text unchanged", async (context) => {
  await inEachShell(context, texts.map(shellQuoted), texts);
});

test("a command may have variables between texts, and a text that looks like a variable stays text", async (context) => {
  const home: ShellPart = { variable: "HOME" };
  const rows: readonly (readonly [parts: readonly ShellPart[], value: string])[] = [
    [["Bearer ", home], "Bearer /nonexistent"],
    [[home], "/nonexistent"],
    [["", home, ""], "/nonexistent"],
    [["a", home, "b"], "a/nonexistentb"],
    [[home, "[1]:h"], "/nonexistent[1]:h"],
    [["$HOME ", home], "$HOME /nonexistent"],
    [["it's ", home], "it's /nonexistent"],
    [["a!b", home, home], "a!b/nonexistent/nonexistent"],
    [["\ue000HOME\ue001"], "\ue000HOME\ue001"],
    [["\u0007$HOME (x)", home, "$HOME (x)", home], "\u0007$HOME (x)/nonexistent$HOME (x)/nonexistent"],
    [[], ""],
  ];
  assert.equal(shellWord(["Bearer ", home]), '"Bearer $HOME"');
  await inEachShell(
    context,
    rows.map(([parts]) => shellWord(parts)),
    rows.map(([, value]) => value),
  );
});

test("a quoted text has no character that a line editor interprets", () => {
  for (const text of texts) assert.doesNotMatch(shellQuoted(text).replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
  assert.equal(shellExport("A_B", "it's"), "export A_B='it'\\''s'");
});

test("a remark for a shell has only letters, digits and harmless signs, and a name with other signs is no variable", () => {
  assert.equal(shellRemark('the parameter "token$(touch PWNED)"'), "the parameter tokentouch PWNED");
  for (const text of texts) assert.match(shellRemark(text), /^[\p{L}\p{N} _.,:/@%+-]*$/u);
  for (const name of ["", "2FA", "a b", "(touch PWNED)", "A-B", "a\n"]) assert.ok(!isShellVariable(name), name);
  for (const name of ["A", "_2FA", "api_key"]) assert.ok(isShellVariable(name), name);
});
