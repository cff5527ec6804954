import { spawn } from "node:child_process";
import { join } from "node:path";
import { startApi } from "../helpers/api.ts";
import { command as spile, temporaryFolder } from "../helpers/cli.ts";
import { ended, type Row } from "./attempts.ts";
import { answerWith, configurationOf, heldRecords } from "./records.ts";

/** Checks every message and record against the specification and its schema. */
export const checker = { name: "singer-check-tap", packages: ["singer-tools==0.4.1"] };

/** Checks the messages of a whole run, and those of a run from its last state. */
export async function checkTap(bin: string, count: number): Promise<readonly Row[]> {
  const held = heldRecords(count);
  await using api = await startApi(answerWith(held, () => undefined));
  await using folder = await temporaryFolder();
  const configuration = await folder.write("config.json", configurationOf(api.url));
  const records = Object.values(held).reduce((sum, texts) => sum + texts.length, 0);
  const state: string[] = [];
  const rows: Row[] = [];
  for (const tried of ["a whole run", "one from its last STATE"]) {
    const tap = await ended(spawn(process.execPath, [spile, "--config", configuration, "-q", ...state]));
    const check = spawn(join(bin, "singer-check-tap"), { cwd: folder.path });
    check.stdin.end(tap.stdout);
    const { code, stdout, stderr } = await ended(check);
    const counted = Number(/(\d+) record messages/.exec(stdout)?.[1]);
    const isValid = code === 0 && tap.code === 0 && counted === records;
    const said = `${tap.stderr}${stdout}${stderr}`.slice(-400);
    rows.push({ tried, records, result: isValid ? "valid" : `FAULT: ended with ${tap.code} and ${code}: ${said}` });
    const last = JSON.parse(tap.stdout.split("\n").at(-2) ?? "") as { value: unknown };
    state.push("--state", await folder.write("state.json", last.value));
  }
  return rows;
}
