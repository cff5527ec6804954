import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SpileError } from "../core/errors.ts";
import { linkTarget, suspectEnding, suspectPath } from "../core/files/pending-file.ts";
import type { Options } from "./option-table.ts";

/** A file or folder that the command line names, and its role in the run. */
export interface NamedFile {
  /** Words for messages: "option --summary", "the configuration". */
  readonly role: string;
  readonly path: string | undefined;
  /** True for a file that is written. */
  readonly isWritten: boolean;
}

const splitRole = "option --split";
const datasetEnding = ".ndjson";
const datasetEndings = [datasetEnding, datasetEnding + suspectEnding];

/** The options that name a file or folder, each with true if the run writes there. */
const fileOptions = {
  env: false,
  replay: false,
  har: false,
  openapi: false,
  airbyte: false,
  postman: false,
  catalog: false,
  output: true,
  split: true,
  summary: true,
  report: true,
  metrics: true,
  state: true,
  "state-out": true,
  credentials: true,
  record: true,
} as const satisfies Partial<Record<keyof Options, boolean>>;

type FileOption = keyof typeof fileOptions;

/** Lists the files that a command line reads or writes: its operands, those of its options, the suspect file and the state log. */
export function filesOf(operands: readonly string[], options: Options): readonly NamedFile[] {
  const names = Object.keys(fileOptions) as FileOption[];
  return [
    ...operands.map((path) => ({
      role: operands.length > 1 ? `the operand ${path}` : "the configuration",
      path,
      isWritten: false,
    })),
    ...names.map((name) => ({ role: `option --${name}`, path: options[name], isWritten: fileOptions[name] })),
    { role: "the suspect file of option --output", path: suspectFileOf(options.output), isWritten: true },
    { role: "the log of option --state", path: logOf(options["state-out"] ?? options.state), isWritten: true },
  ];
}

function suspectFileOf(output: string | undefined): string | undefined {
  return output === undefined || output === "-" ? undefined : suspectPath(output);
}

function logOf(state: string | undefined): string | undefined {
  return state === undefined || state === "-" ? undefined : `${state}.log`;
}

/**
 * Throws a usage error (64) if two of the files are the same file, even under different names, and one of the two is written.
 * Devices and pipes may be named twice, and `-` is not a file. The files of `--split` have no names yet, so no other file in its
 * folder may have their ending.
 */
export async function requireDistinct(files: readonly NamedFile[]): Promise<void> {
  const filesByIdentity = new Map<string, NamedFile>();
  for (const file of files) {
    const identity = file.path === undefined || file.path === "-" ? undefined : await identityOf(file.path);
    if (identity === undefined) continue;
    const other = filesByIdentity.get(identity);
    if (other !== undefined && (file.isWritten || other.isWritten)) {
      throw new SpileError("usage", `${other.role} and ${file.role} are the same file, ${file.path}`);
    }
    filesByIdentity.set(identity, file);
  }
  const folder = files.find(({ role }) => role === splitRole)?.path;
  if (folder !== undefined) await requireOutside(folder, files);
}

async function requireOutside(folder: string, files: readonly NamedFile[]): Promise<void> {
  const identity = await identityOf(folder);
  for (const { role, path } of files) {
    if (role === splitRole || path === undefined) continue;
    if (!datasetEndings.some((ending) => path.endsWith(ending))) continue;
    if ((await identityOf(dirname(path))) !== identity) continue;
    const advice = `give it another folder, or a name that does not end in ${datasetEnding}`;
    throw new SpileError("usage", `${role} is ${path}, where ${splitRole} writes its datasets: ${advice}`);
  }
}

/** Returns a text that identifies a file or a folder; undefined for a device or a pipe. */
async function identityOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  if (stats !== undefined) return stats.isFile() || stats.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
  const absolute = resolve(await linkTarget(path).catch(() => path));
  return join(await realpath(dirname(absolute)).catch(() => dirname(absolute)), basename(absolute));
}
