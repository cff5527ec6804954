import { SpileError } from "../core/errors.ts";
import { readWhole } from "../core/files/read-whole.ts";
import { reasonOf } from "../core/text/reason.ts";

/**
 * Reads a file that the command line names. `what`: the file's name in messages. Rejects with SpileError `configuration` if the
 * file cannot be read, and with the signal's reason if an abort ends the read of a pipe or a device.
 */
export async function readGiven(path: string, what: string, signal?: AbortSignal): Promise<Buffer> {
  try {
    return await readWhole(path, signal);
  } catch (error) {
    if (error === signal?.reason) throw error;
    throw new SpileError("configuration", `cannot read ${what}: ${reasonOf(error)}`, { cause: error });
  }
}
