import type { Stats } from "node:fs";
import type { Script as VmScript } from "node:vm";

// An `import` would read every export of these modules, and so load parts that Node loads only when they are used.
const fs = process.getBuiltinModule("node:fs");
const { tmpdir } = process.getBuiltinModule("node:os");
const { join } = process.getBuiltinModule("node:path");
const { Script } = process.getBuiltinModule("node:vm");
const { crc32 } = process.getBuiltinModule("node:zlib");

/**
 * Milliseconds after which a process no longer writes its code to the cache: by then V8 has dropped the functions that were
 * called only at the start.
 */
const maxRunMs = 10_000;

/** Milliseconds after its last write at which a cache file is removed. If it is still needed, the next process writes it again. */
const maxAgeMs = 30 * 24 * 3600 * 1000;

interface KeptCode {
  /** Checksum of the script's text. */
  readonly checksum: number;
  readonly code: Uint8Array;
}

/**
 * Compiles scripts with the code that an earlier process kept, and keeps their code for the next one. Node's own compile cache has
 * only the functions that V8 compiles while a file is loaded. This cache is written at the end of a process, so it also has the
 * functions that were called later.
 *
 * A cache file that is missing or damaged, or lacks a script or has an older form of it, is written again. A cache file that
 * another user can write to is not read. Errors of the file system are ignored, because everything works without a cache, too.
 */
export class CodeCache {
  readonly #folder = join(tmpdir(), `spile-code-${process.geteuid?.() ?? "user"}`);
  readonly #file: string;
  /** The kept code of each script, by the path of its file. */
  readonly #codes: ReadonlyMap<string, KeptCode>;
  readonly #scripts = new Map<string, { readonly script: VmScript; readonly checksum: number }>();
  /** False if the cache file lacks code that this process can add. */
  #isComplete = true;
  /** True if V8 has accepted kept code. */
  #hasAccepted = false;

  /** `subject`: texts that identify the scripts and the command that they serve. */
  constructor(...subject: readonly string[]) {
    const { version, arch, execArgv, env } = process;
    const name = crc32([arch, ...execArgv, env.NODE_OPTIONS, ...subject].join("\n")).toString(16);
    this.#file = join(this.#folder, `${version}-${name}`);
    const isEnabled = env.NODE_DISABLE_COMPILE_CACHE === undefined;
    this.#codes = (isEnabled ? this.#read() : undefined) ?? new Map();
    if (isEnabled) process.once("exit", (exitCode) => this.#write(exitCode));
  }

  /** Compiles the script in a file, which must be ASCII. */
  compile(filename: string): VmScript {
    const text = fs.readFileSync(filename);
    const checksum = crc32(text);
    const keptCode = this.#codes.get(filename);
    const cachedData = keptCode?.checksum === checksum ? keptCode.code : undefined;
    const script = new Script(text.toString("latin1"), { filename, ...(cachedData && { cachedData }) });
    if (script.cachedDataRejected === false) this.#hasAccepted = true;
    // V8 rejects cached code if the flags of the process have changed since the code was made. If V8 has accepted some scripts
    // and rejects this one, the run has changed its flags in the meantime (see src/cli/young-generation.ts). Code with the new
    // flags would be rejected by the next process, so it is not written.
    else if (cachedData === undefined || !this.#hasAccepted) this.#isComplete = false;
    this.#scripts.set(filename, { script, checksum });
    return script;
  }

  #read(): ReadonlyMap<string, KeptCode> | undefined {
    try {
      if (!isOurs(fs.lstatSync(this.#folder))) return undefined;
      const descriptor = fs.openSync(this.#file, "r");
      try {
        if (!isOurs(fs.fstatSync(descriptor))) return undefined;
        const bytes = fs.readFileSync(descriptor);
        const content = bytes.subarray(4);
        if (bytes.readUInt32LE() !== crc32(content)) return undefined;
        return process.getBuiltinModule("node:v8").deserialize(content);
      } finally {
        fs.closeSync(descriptor);
      }
    } catch {
      return undefined;
    }
  }

  #write(exitCode: number): void {
    if (this.#isComplete || exitCode !== 0 || performance.now() > maxRunMs) return;
    const temporary = `${this.#file}.${process.pid}`;
    try {
      if (!fs.existsSync(this.#folder)) fs.mkdirSync(this.#folder, { mode: 0o700 });
      if (!isOurs(fs.lstatSync(this.#folder))) return;
      removeOldFiles(this.#folder);
      try {
        fs.writeFileSync(temporary, this.#content(), { mode: 0o600, flush: true });
        fs.renameSync(temporary, this.#file);
      } finally {
        fs.rmSync(temporary, { force: true });
      }
    } catch {
      // The next process tries again.
    }
  }

  #content(): Buffer {
    // The code of scripts that this process did not load is kept, because runs of the same command load different scripts.
    const codes = new Map([...this.#codes].filter(([filename]) => fs.existsSync(filename)));
    for (const [filename, { script, checksum }] of this.#scripts)
      codes.set(filename, { checksum, code: script.createCachedData() });
    const content = process.getBuiltinModule("node:v8").serialize(codes);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(content));
    return Buffer.concat([checksum, content]);
  }
}

/** Returns whether only this user can write to a file or a folder. On Windows the folder for temporary files is the user's own. */
function isOurs({ uid, mode }: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

function removeOldFiles(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (fs.statSync(path).mtimeMs < Date.now() - maxAgeMs) fs.rmSync(path, { force: true });
  }
}
