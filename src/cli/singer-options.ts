import { path } from "../config/quantities.ts";

const group = "As a Singer tap:";
/** Options that write records to another place or in another form. */
const otherOutputs = ["output", "split", "tag"] as const;

/** Rows of the option table for Singer messages, and for the options with which a tap is called. */
export const singerOptions = {
  singer: {
    group,
    commands: ["run", "demo", "get", "check", "plan"],
    excludes: otherOutputs,
    describe: "Write Singer messages, for a Singer target or Meltano; --state is read, and not written",
  },
  config: {
    group,
    commands: ["run"],
    kind: path("file"),
    excludes: otherOutputs,
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
    excludes: otherOutputs,
    describe: "Print the catalog of all jobs; send nothing",
  },
} as const;
