import { version } from "../../version.ts";
import { print } from "../output.ts";

/** `spile --version`. */
export async function versionCommand(): Promise<number> {
  await print(`${version}\n`);
  return 0;
}
