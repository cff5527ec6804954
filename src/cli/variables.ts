import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { SpileError } from "../core/errors.ts";
import { reasonOf } from "../core/reason.ts";

/**
 * The variables that a run sees: those of the process, and below them those of a dotenv file. No variable of the process is
 * set: nothing but spile is to read them. Throws exit 78 where the file cannot be read.
 */
export function readVariables(file: string | undefined, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (file === undefined) return env;
  try {
    return { ...parseEnv(readFileSync(file, "utf8").replace(/^\uFEFF/, "")), ...env };
  } catch (error) {
    throw new SpileError("configuration", `cannot read --env ${file}: ${reasonOf(error)}`, { cause: error });
  }
}
