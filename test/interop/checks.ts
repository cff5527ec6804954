import { spawn } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { ended, type Row } from "./attempts.ts";
import { answerWith, configurationOf, heldRecords } from "./records.ts";
import { bin as spile } from "./spile.ts";

/** singer-check-tap: runs the tap, holds every message and record against its schema, then runs it from its state. */
export const checker = { name: "singer-check-tap", packages: ["singer-tools==0.4.1"] };

export async function checkTap(bin: string, count: number): Promise<Row> {
  const held = heldRecords(count);
  await using api = await startApi(answerWith(held, () => undefined));
  await using folder = await temporaryFolder();
  const configuration = await folder.write("config.json", configurationOf(api.url));
  const tap = await folder.write("tap", `#!/bin/sh\nexec '${process.execPath}' '${spile}' "$@"\n`);
  await chmod(tap, 0o755);
  const check = spawn(join(bin, "singer-check-tap"), ["--tap", tap, "--config", configuration], { cwd: folder.path });
  const { code, stdout, stderr } = await ended(check);
  const records = Object.values(held).reduce((sum, texts) => sum + texts.length, 0);
  const counts = [...stdout.matchAll(/(\d+) record messages/g)].map(([, number]) => Number(number));
  const isValid = code === 0 && counts.length === 2 && counts.every((number) => number === records);
  const result = isValid ? "valid" : `FAULT: ended with ${code}: ${(stdout + stderr).slice(-400)}`;
  return { tried: "--config, and again with its own --state", records, result };
}
