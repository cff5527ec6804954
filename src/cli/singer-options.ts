import { path } from "../config/quantities.ts";

const group = "As a Singer tap:";
/** Options that write records elsewhere, or in another form. */
const elsewhere = ["output", "split", "tag"] as const;

/** The options of Singer's messages, and those that a tap is called with: rows of the option table. */
export const singerOptions = {
  singer: {
    group,
    commands: ["run", "demo", "get", "check", "plan"],
    excludes: elsewhere,
    describe: "Write Singer messages, for a Singer target or Meltano; --state is read, and not written",
  },
  config: {
    group,
    commands: ["run"],
    kind: path("file"),
    excludes: elsewhere,
    describe: "The configuration, as for any Singer tap; implies --singer",
  },
  catalog: {
    group,
    commands: ["run"],
    kind: path("file"),
    excludes: ["discover"],
    describe: "Run the jobs whose streams this catalog selects",
  },
  discover: {
    group,
    commands: ["run"],
    excludes: elsewhere,
    describe: "Print the catalog of all jobs; send nothing",
  },
} as const;
