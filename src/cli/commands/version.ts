import { version } from "../../version.ts";
import type { PrintingEnvironment } from "../command.ts";
import { print } from "../output.ts";

/** Runs `spile --version`. */
export async function versionCommand({ stdout }: PrintingEnvironment): Promise<number> {
  await print(`${version}\n`, stdout);
  return 0;
}
