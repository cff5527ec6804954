import { SpileError } from "../core/errors.ts";
import { probeFile, replaceFile } from "../core/pending-file.ts";
import { readWhole } from "../core/read-whole.ts";
import { reasonOf } from "../core/reason.ts";
import type { Secrets } from "../core/redact.ts";
import type { RememberedSettings } from "../core/run.ts";
import { isObject, parseValue, scalarText, type ValueObject } from "../core/value.ts";
import { lockFile } from "./lock.ts";

/** The credentials that logins have changed, kept in a file that only its owner may read (contract C-20.2). */
export interface CredentialsFile extends RememberedSettings {
  /** Gives up the file. */
  close(): void;
}

/** Only the owner may read it. */
const mode = 0o600;

/**
 * Opens the file and locks it, before any login: no token is spent that could not be kept. One that is not there holds
 * nothing yet. Rejects with SpileError `temporary` where another run uses it, `configuration` where it does not hold an
 * object of texts, `output` where it cannot be written.
 */
export async function openCredentials(path: string, secrets: Secrets, signal?: AbortSignal): Promise<CredentialsFile> {
  const close = lockFile(path, "these credentials");
  try {
    const document = await read(path, signal);
    await probeFile(path);
    const settings = new Map<string, string>();
    for (const [name, value] of Object.entries(document)) {
      const text = scalarText(value);
      if (text === undefined) throw wrong(path, `${JSON.stringify(name)} must be a text`);
      secrets.add(text);
      settings.set(name, text);
    }
    return {
      settings,
      close,
      async remember(values) {
        for (const [name, text] of values) settings.set(name, text);
        const text = `${JSON.stringify(Object.fromEntries(settings), undefined, 2)}\n`;
        await replaceFile(path, text, { tag: "next", mode });
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function read(path: string, signal: AbortSignal | undefined): Promise<ValueObject> {
  let text: string;
  try {
    text = (await readWhole(path, signal)).toString();
  } catch (error) {
    signal?.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw wrong(path, `cannot be read: ${reasonOf(error)}; --credentials takes a file, which the first login makes`);
  }
  if (text.trim() === "") return {};
  try {
    const document = parseValue(text);
    if (isObject(document)) return document;
  } catch {
    // The parser's own words would quote the file.
  }
  throw wrong(path, "must hold a JSON object of settings");
}

function wrong(path: string, what: string): SpileError {
  return new SpileError("configuration", `the credentials file ${path} ${what}`);
}
