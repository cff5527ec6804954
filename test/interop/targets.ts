import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Another program that reads Singer messages, and the way to read what it stores. */
export interface Target {
  readonly name: string;
  /** Pinned packages for pip. */
  readonly packages: readonly string[];
  /**
   * Returns the command line that starts the target. `bin`: folder of its commands. `config`: file of its
   * configuration.
   */
  command(bin: string, config: string): readonly string[];
  /** Returns the configuration of the target, which stores records in `folder`. */
  configure(folder: string): object;
  /** Returns the stored records of a stream, as JSON texts. */
  kept(stream: string, folder: string, bin: string): Promise<readonly string[]>;
  /** Returns the form in which the target stores the JSON text of a record, if that is not the same value. */
  readonly makes?: (record: string) => string;
  /** Streams that it can store. Default: all. */
  readonly streams?: readonly string[];
  /** True if it identifies records by their keys, so that a later record replaces an earlier one. */
  readonly merges?: boolean;
}

const run = promisify(execFile);

/** Runs a Python script that prints one record a line. */
async function printed(bin: string, script: string, ...words: readonly string[]): Promise<string[]> {
  const { stdout } = await run(join(bin, "python"), ["-c", script, ...words], { maxBuffer: 2 ** 28 });
  return stdout.split("\n").slice(0, -1);
}

const readCsv = `
import csv, glob, json, sys
for name in sorted(glob.glob(sys.argv[1])):
    for row in csv.DictReader(open(name, newline="", encoding="utf-8")):
        print(json.dumps(row))
`;

/** Returns a record with every value as text. */
function cells(record: string, number: (text: string) => string): string {
  const members = [...record.matchAll(/"(\w+)":("(?:[^"\\]|\\.)*"|[^,}]+)/g)];
  const cell = (text: string): string => {
    if (text.startsWith('"')) return JSON.parse(text) as string;
    return text === "null" ? "" : number(text);
  };
  return JSON.stringify(Object.fromEntries(members.map(([, name = "", text = ""]) => [name, cell(text)])));
}

/** Formats a float as Python prints it. */
function float(text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  const number = Number(text);
  return Number.isInteger(number) ? `${number}.0` : `${number}`;
}

export const targets: readonly Target[] = [
  {
    name: "target-jsonl",
    packages: ["target-jsonl==0.1.4"],
    command: (bin, config) => [join(bin, "target-jsonl"), "--config", config],
    configure: (folder) => ({ destination_path: folder, do_timestamp_file: false }),
    kept: async (stream, folder) =>
      (await readFile(join(folder, `${stream}.jsonl`), "utf8").catch(() => "")).split("\n").slice(0, -1),
  },
  {
    name: "target-csv",
    packages: ["target-csv==0.3.0"],
    // Python 3.10 removed a name that the target still uses.
    command: (bin, config) => [
      join(bin, "python"),
      "-c",
      "import collections, collections.abc as abc; collections.MutableMapping = abc.MutableMapping; import target_csv; target_csv.main()",
      "--config",
      config,
    ],
    configure: (folder) => ({ destination_path: folder }),
    kept: (stream, folder, bin) => printed(bin, readCsv, join(folder, `${stream}-*.csv`)),
    // Its decimals are floats: 1.10 is 1.1.
    makes: (record) => cells(record, float),
    // The target distributes lists and objects over columns.
    streams: ["accounts"],
  },
  {
    name: "target-csv of the SDK",
    packages: ["meltanolabs-target-csv==0.5.0"],
    command: (bin, config) => [join(bin, "target-csv"), "--config", config],
    configure: (folder) => ({
      output_path: folder,
      file_naming_scheme: "{stream_name}.csv",
      overwrite_behavior: "append_records",
    }),
    kept: (stream, folder, bin) => printed(bin, readCsv, join(folder, `${stream}*.csv`)),
    makes: (record) => cells(record, (text) => text),
    streams: ["accounts"],
  },
  {
    name: "target-duckdb",
    packages: ["target-duckdb==0.8.0"],
    command: (bin, config) => [join(bin, "target-duckdb"), "--config", config],
    configure: (folder) => ({ filepath: join(folder, "kept.duckdb"), default_target_schema: "main" }),
    kept: async (stream, folder, bin) => {
      if (!(await readdir(folder)).includes("kept.duckdb")) return [];
      return printed(bin, readDuckdb, join(folder, "kept.duckdb"), stream);
    },
    // The target loads nulls through CSV.
    makes: (record) => record.replaceAll('""', "null"),
    merges: true,
  },
];

const readDuckdb = `
import duckdb, json, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
found = connection.execute("select * from main." + sys.argv[2])
names = [column[0] for column in found.description]
for row in found.fetchall():
    record = dict(zip(names, row))
    if "deep" in record: record["deep"] = json.loads(record["deep"])
    print(json.dumps(record))
`;
