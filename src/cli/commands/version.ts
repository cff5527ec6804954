import { version } from "../../version.ts";
import type { CommandEnvironment } from "../command.ts";
import { print } from "../output.ts";

/** `spile --version`. */
export async function versionCommand({ stdout }: CommandEnvironment): Promise<number> {
  await print(`${version}\n`, stdout);
  return 0;
}
