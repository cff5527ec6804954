import { path, text } from "../config/quantities.ts";

const group = "Reports:";
const commands = ["run", "demo", "get", "shard"] as const;

/** Rows of the option table for the report and the metrics of a run. */
export const reportOptions = {
  report: {
    group,
    commands,
    kind: path("file"),
    describe: "Write a page of HTML to this file: how each job ended, and where the time went",
  },
  metrics: {
    group,
    commands,
    kind: path("file"),
    describe: "Write the figures of the run to this file, as Prometheus' textfile collector reads them",
  },
  "metrics-name": {
    group,
    commands,
    kind: text("NAME"),
    describe: "Value of the label config in these metrics (the configuration's file name)",
  },
} as const;
