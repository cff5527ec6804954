import { parseEnv } from "node:util";

/**
 * Returns the variables that a run sees: those of the process, and below them those of a dotenv file. No variable of the process
 * is set, since nothing but spile is to read them. Rejects with exit 78 if the file cannot be read.
 */
export async function readVariables(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<NodeJS.ProcessEnv> {
  if (file === undefined) return env;
  const { readGiven } = await import("./read-given.ts");
  const text = (await readGiven(file, `--env ${file}`, signal)).toString().replace(/^\uFEFF/, "");
  return { ...parseEnv(text), ...env };
}
