import { count, path } from "../config/quantities.ts";

export const commandHeading = "For this command only:";

/** Rows of the option table for dividing a configuration among shards. */
export const shardOptions = {
  shards: {
    group: commandHeading,
    commands: ["check"],
    kind: count(1, 10_000),
    describe: "Show how each job would be divided among this number of shards",
  },
  count: { group: commandHeading, commands: ["shard"], kind: count(1, 10_000), describe: "plan: number of shards" },
  index: {
    group: commandHeading,
    commands: ["shard"],
    kind: count(0, 9_999),
    describe: "run: index of the shard, from 0 (the scheduler's variable)",
  },
  to: {
    group: commandHeading,
    commands: ["shard"],
    kind: path("folder"),
    describe: "run: write the part and its manifest into this folder",
  },
  clean: {
    group: commandHeading,
    commands: ["shard"],
    describe: "merge: remove the files of dead attempts",
  },
} as const;
