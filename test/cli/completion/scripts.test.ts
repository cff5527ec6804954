import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type TemporaryFolder, temporaryFolder } from "../../helpers/cli.ts";

const command = fileURLToPath(new URL("../../../dist/bin.js", import.meta.url));

/** The name of a job, which would run a command if a shell read it as code. */
const evil = "it's $(touch PWNED)`touch PWNED`";

/** The line before the cursor, and words that TAB offers there (without the slash of a folder). */
const rows: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["spile co", ["completion", "config.json"]],
  ["spile check co", ["config.json"]],
  ["spile plan 'my co", ["my config.json"]],
  ["spile config.json --log-format ", ["json", "text"]],
  ["spile config.json --log-format=j", ["json"]],
  ["spile config.json --job us", ["users"]],
  ["spile 'my config.json' --job ", ["a b", "users", evil]],
  ["spile config.json --job=us", ["users"]],
  ["spile config.json --split d", ["data"]],
  ["spile config.json --output=co", ["config.json"]],
  ["spile config.json --max-re", ["--max-records", "--max-record-bytes", "--max-response-bytes"]],
  ["spile config.json ", []],
  ["spile completion z", ["zsh"]],
  ["spile explain api.pagination.limitP", ["api.pagination.limitParam"]],
];

async function prepare(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  const jobs = [{ endpoint: "users" }, { endpoint: "a b" }, { endpoint: evil }];
  const configuration = { api: { baseUrl: "http://x/" }, config: { jobs } };
  await folder.write("config.json", configuration);
  await folder.write("my config.json", configuration);
  await mkdir(join(folder.path, "data"));
  await mkdir(join(folder.path, "bin"));
  const file = await folder.write("bin/spile", `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  await chmod(file, 0o755);
  return folder;
}

/** Runs a script in a shell with `spile` on its path; undefined if the shell is not installed. */
function runIn(shell: string, script: string, folder: TemporaryFolder, context: TestContext): string | undefined {
  const path = `${join(folder.path, "bin")}:${process.env.PATH}`;
  const flags = shell === "zsh" ? ["-f"] : shell === "bash" ? ["--norc", "--noprofile"] : ["--no-config"];
  const env = { PATH: path, HOME: folder.path, TERM: "xterm", LANG: "C.UTF-8", XDG_CONFIG_HOME: folder.path };
  const done = spawnSync(shell, [...flags, "-c", script], { cwd: folder.path, env, encoding: "utf8", timeout: 60_000 });
  if (done.error !== undefined && "code" in done.error && done.error.code === "ENOENT") {
    context.skip(`${shell} is not installed`);
    return undefined;
  }
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

/** Reads the output of a shell: the number of each row, then its answers, one word in each line. */
function answers(output: string): string[][] {
  const found: string[][] = rows.map(() => []);
  let row = -1;
  for (const line of output.split("\n")) {
    const [, number] = /^row (\d+)$/.exec(line) ?? [];
    if (number !== undefined) row = Number(number);
    else if (line !== "") found[row]?.push(line);
  }
  return found;
}

function assertOffered(output: string, shell: string): void {
  const plain = (word: string): string =>
    word
      .replace(/\/$/, "")
      .replaceAll("\\", "")
      .replace(/^--[a-z-]+=/, "");
  for (const [index, words] of answers(output).entries()) {
    const [line, expected] = rows[index] ?? ["", []];
    assert.deepEqual([...new Set(words.map(plain))].sort(), [...expected].sort(), `${shell}: ${line}`);
  }
}

test("in bash, the completion script offers the words that fit", async (context) => {
  await using folder = await prepare();
  // `try` does what readline does: it gets the words of a line, and calls the function.
  const script = `
    eval "$(spile completion bash)"
    try() {
      COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=("\${@:2}"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=()
      _spile spile "\${COMP_WORDS[COMP_CWORD]}" "" 2>/dev/null
      printf '%s\\n' "\${COMPREPLY[@]}"
    }
    ${rows.map(([line], index) => `echo row ${index}; try ${quoted(line)} ${readlineWords(line).map(quoted).join(" ")}`).join("\n")}
    {
      for quote in "'" '"'; do
        try "spile config.json --job $quote" spile config.json --job "$quote" > /dev/null
        for offered in "\${COMPREPLY[@]}"; do eval "printf '%s\n' $quote$offered$quote"; done
      done
      try 'spile config.json --job it' spile config.json --job it > /dev/null
      for offered in "\${COMPREPLY[@]}"; do eval "printf '%s\n' $offered"; done
    } > run
  `;
  const output = runIn("bash", script, folder, context);
  if (output === undefined) return;
  assertOffered(output, "bash");
  // The shell reads an offered word as the job's name. A job whose name it would read differently is not offered.
  const words = (await folder.read("run"))
    .trimEnd()
    .split("\n")
    .filter((word) => !["users", "a b"].includes(word));
  assert.deepEqual([...new Set(words)], [evil]);
  assert.ok(!(await readdir(folder.path)).includes("PWNED"));
});

/** Returns words as readline gives them to a function: also split at =, with quotes left in. */
function readlineWords(line: string): string[] {
  const words = line.match(/=|'[^']*'?|[^\s=']+/g) ?? [];
  return line.endsWith(" ") ? [...words, ""] : [...words];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

test("in fish, the completion script offers the words that fit", async (context) => {
  await using folder = await prepare();
  const script = `
    spile completion fish | source
    ${rows.map(([line], index) => `echo row ${index}; complete -C ${quoted(line).replaceAll("'\\''", "\\'")} | string replace -r '\\t.*' ''`).join("\n")}
    true
  `;
  const output = runIn("fish", script, folder, context);
  if (output !== undefined) assertOffered(output, "fish");
});

test("in zsh, the completion script offers the words that fit", async (context) => {
  await using folder = await prepare();
  // A shell in a terminal of its own. The function that adds candidates prints them.
  const inner = `
    autoload -U compinit; compinit -u -D; eval "$(spile completion zsh)"
    PS1=; unsetopt zle_bracketed_paste; zstyle ':completion:*' insert-tab false; LISTMAX=1000000; setopt no_beep
    compadd() {
      local -a found; builtin compadd -A found "$@"; print -rl -- "\${(@)found}" >> offered
      builtin compadd "$@"
    }
  `;
  await folder.write("inner.zsh", inner);
  const script = `
    zmodload zsh/zpty
    for row in {1..${rows.length}}; do
      zpty terminal 'zsh -f -i'
      zpty -w terminal 'source ./inner.zsh; complete-word() { zle .complete-word }; finish() { touch done.$row; exit }; true'
      zpty -w terminal "finish() { print -r -- end >> offered; exit }; zle -N finish; bindkey '^X' finish; echo ready"
      zpty -r terminal seen '*ready*ready*'
      print -r -- "row $((row - 1))" >> offered
      case $row in
        ${rows.map(([line], index) => `${index + 1}) zpty -w -n terminal ${quoted(line)}$'\\t\\x18' ;;`).join("\n        ")}
      esac
      until [[ "$(tail -n 1 offered)" == end ]]; do sleep 0.02; done
      zpty -d terminal
    done
    grep -v '^end$' offered
  `;
  const output = runIn("zsh", script, folder, context);
  if (output !== undefined) assertOffered(output, "zsh");
});
