import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { startApi, text } from "../helpers/api.ts";
import { start, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { compareValues } from "../helpers/same-values.ts";
import { install } from "../helpers/virtual-environment.ts";
import type { Row } from "./attempts.ts";

/** A database that runs a recipe of docs/incremental.md, "Merging by key". */
export interface Merger {
  /** The recipe's name in the document. */
  readonly name: string;
  /** Installs what is needed. Returns name and version. Rejects if it is not available. */
  find(root: string): Promise<string>;
  /** Opens a new database in a folder that contains `orders.ndjson` and `merge.sql`. */
  open(folder: TemporaryFolder, root: string): Promise<Database>;
}

interface Database extends AsyncDisposable {
  /** Runs the file `merge.sql` of the folder. */
  merge(): Promise<void>;
  /** Returns the records in the table, one JSON text a line. */
  records(): Promise<string>;
}

const run = promisify(execFile);
const recipes = new URL("../../docs/incremental.md", import.meta.url);
const query = "SELECT record FROM orders ORDER BY id";

/** Returns the recipe for a database from the document. */
async function recipeOf(name: string): Promise<string> {
  const document = await readFile(recipes, "utf8");
  const [, recipe] = new RegExp(`^\\*\\*${name}\\*\\*.*\\n\\n\`\`\`sql\\n([^]*?)\`\`\``, "m").exec(document) ?? [];
  if (recipe === undefined) throw new Error(`docs/incremental.md has no recipe for ${name}`);
  return recipe;
}

const sqlite: Merger = {
  name: "SQLite",
  find: async () => `sqlite3 ${(await run("sqlite3", ["--version"])).stdout.split(" ", 1)[0]}`,
  open: async ({ path }) => ({
    merge: async () => void (await run("sh", ["-c", "sqlite3 -bail orders.db < merge.sql"], { cwd: path })),
    records: async () => (await run("sqlite3", ["orders.db", query], { cwd: path })).stdout,
    [Symbol.asyncDispose]: async () => undefined,
  }),
};

const inDuckdb = `
import duckdb, sys
connection = duckdb.connect("orders.duckdb")
for row in connection.execute(open(sys.argv[1]).read() if sys.argv[1] == "merge.sql" else sys.argv[1]).fetchall(): print(row[0])
`;

const duckdb: Merger = {
  name: "DuckDB",
  async find(root) {
    const bin = await install("duckdb", ["duckdb"], root);
    const { stdout } = await run(join(bin, "python"), ["-c", "import duckdb; print(duckdb.__version__)"]);
    return `DuckDB ${stdout.trim()}`;
  },
  async open({ path }, root) {
    const python = join(await install("duckdb", ["duckdb"], root), "python");
    const execute = async (words: string): Promise<string> =>
      (await run(python, ["-c", inDuckdb, words], { cwd: path })).stdout;
    return {
      merge: async () => void (await execute("merge.sql")),
      records: () => execute(query),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};

/** Returns the words of a command line. If this user is root, which PostgreSQL refuses, another user runs them. */
function unprivileged(words: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...words] : words;
}

const postgres: Merger = {
  name: "PostgreSQL",
  async find() {
    for (const program of ["initdb", "postgres"]) await run(program, ["--version"]);
    return (await run("psql", ["--version"])).stdout.trim().replace("psql (PostgreSQL)", "PostgreSQL");
  },
  async open({ path }) {
    const as = (...words: readonly string[]): Promise<{ stdout: string }> => {
      const [program = "", ...rest] = unprivileged(words);
      return run(program, rest, { cwd: path });
    };
    await chmod(path, 0o777);
    const data = join(path, "data");
    await as("initdb", "--pgdata", data, "--auth", "trust", "--username", "spile", "--encoding", "UTF8", "--no-sync");
    const [program = "", ...rest] = unprivileged(["postgres", "-D", data, "-k", path, "-c", "listen_addresses=", "-F"]);
    const server = spawn(program, rest, { cwd: path, stdio: "ignore" });
    const client = ["psql", "-h", path, "-U", "spile", "-d", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1"] as const;
    for (let tries = 0; ; tries += 1) {
      const found = await as(...client, "-c", "SELECT 1").catch((error: unknown) =>
        tries < 150 ? undefined : Promise.reject(error),
      );
      if (found !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return {
      merge: async () => void (await as(...client, "-f", "merge.sql")),
      records: async () => (await as(...client, "-c", query)).stdout,
      async [Symbol.asyncDispose]() {
        await as("pg_ctl", "--pgdata", data, "stop", "--mode", "immediate").catch(() => undefined);
        await ended(server);
      },
    };
  },
};

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("close", () => resolve());
  });
}

export const mergers: readonly Merger[] = [sqlite, duckdb, postgres];

/** Returns the orders that the API has at a run. `run`: its number, from 0. From run 1 on, a third of them has changed. */
function versionsOf(run: number): string[] {
  return Array.from({ length: 200 }, (_, index) => {
    const isChanged = index % 3 === 0 && run > 0;
    const minute = isChanged ? 30 + run : 0;
    const at = `2024-01-${10 + (index % 9)}T08:${String(minute).padStart(2, "0")}:00${index % 2 === 0 ? "Z" : "+00:00"}`;
    const id = 9_007_199_254_740_993n + BigInt(index);
    return `{"id":${id},"updated_at":"${at}","total":${index}.10,"name":"\\"Krysař\\"\\t\\\\ \\ud83d\\ude00, ж","version":${isChanged ? run : 0}}`;
  });
}

/** Merges the lines of three runs with `incremental` by the recipe, and then merges them again. */
export async function tryMerger(merger: Merger, root: string): Promise<Row[]> {
  await using folder = await temporaryFolder();
  let runs = 0;
  await using api = await startApi(({ params }) => {
    const since = Date.parse(params.get("from") ?? "");
    const all = versionsOf(runs).filter((line) => Date.parse(/"updated_at":"([^"]*)"/.exec(line)?.[1] ?? "") >= since);
    const offset = Number(params.get("offset"));
    return text(`[${all.slice(offset, offset + 50).join(",")}]`);
  });
  const incremental = { path: "updated_at", initial: "2024-01-01T00:00:00Z", lookback: "3 days" };
  const job = { endpoint: "orders", params: { from: { incremental: "from" } }, incremental };
  await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 50 } },
    config: { jobs: [job] },
  });
  const lines: string[] = [];
  for (runs = 0; runs < 3; runs += 1) {
    const { code, stdout, stderr } = await start(["config.json", "-q", "--state", "state.json"], { cwd: folder.path })
      .finished;
    if (code !== 0) throw new Error(`spile ended with ${code}: ${stderr}`);
    lines.push(...stdout.split("\n").slice(0, -1));
  }
  // The newest lines come first, because the order of the lines must not matter.
  await writeFile(join(folder.path, "orders.ndjson"), `${lines.toReversed().join("\n")}\n`);
  await writeFile(join(folder.path, "merge.sql"), await recipeOf(merger.name));
  const expected = newestOf(lines);
  await using database = await merger.open(folder, root);
  const rows: Row[] = [];
  for (const tried of ["merged by key", "merged once more"]) {
    await database.merge();
    const kept = (await database.records()).split("\n").slice(0, -1);
    const { missing, surplus, example } = compareValues(expected, kept);
    const isExact = missing + surplus === 0;
    rows.push({
      tried,
      records: kept.length,
      result: isExact ? "exact" : `FAULT: ${missing} missing, ${surplus} too many; ${example}`,
    });
  }
  return rows;
}

function newestOf(lines: readonly string[]): readonly string[] {
  return [...new Map(lines.map((line) => [/"id":(\d+)/.exec(line)?.[1], line])).values()];
}
