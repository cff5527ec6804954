import { SpileError } from "../core/errors.ts";
import { replaceFile } from "../core/files/pending-file.ts";
import { readWhole } from "../core/files/read-whole.ts";
import { type ReservedFile, removeReserved, reserveFile } from "../core/files/reserved-file.ts";
import type { RememberedSettings } from "../core/runs/run.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { reasonOf } from "../core/text/reason.ts";
import { isObject, parseValue, scalarText, type ValueObject } from "../core/values/value.ts";
import { lockFile } from "./lock.ts";

/** Credentials that logins have changed, kept in a file that only its owner may read (contract C-20.2). */
export interface CredentialsFile extends RememberedSettings {
  /** Releases the lock of the file. */
  close(): void;
}

const mode = 0o600;

/** Number of bytes on the disk that are reserved for new values before a login is sent. */
const reservedBytes = 256 * 1024;

const tagOf = (index: number): string => (index === 0 ? "next" : `next-${index + 1}`);

/**
 * Locks and opens the file. Must be called before any login: a login may use up a token, and its new token must be kept. A
 * missing file counts as empty. Rejects with SpileError `temporary` if another run uses the file, `configuration` if it cannot be
 * read or does not contain an object of texts, `output` if it cannot be written.
 */
export async function openCredentials(path: string, secrets: Secrets, signal?: AbortSignal): Promise<CredentialsFile> {
  const close = lockFile(path, "these credentials");
  try {
    const document = await read(path, signal);
    const settings = new Map<string, string>();
    for (const [name, value] of Object.entries(document)) {
      const text = scalarText(value);
      if (text === undefined) throw wrong(path, `${JSON.stringify(name)} must be a text`);
      secrets.add(text);
      settings.set(name, text);
    }
    /** Reserved files. The last one is used first, so that the index of a file can be part of its name. */
    const reservedFiles: (ReservedFile | undefined)[] = [];
    /** Logins that were sent, or soon will be, and whose new values are not stored yet. */
    const pending = new Set<string>();
    let last: Promise<void> = Promise.resolve();
    /** Runs pieces of work one after the other, since several logins may begin or end at the same time. */
    const inTurn = (work: () => Promise<void>): Promise<void> => {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    };
    const addReserved = async (): Promise<void> => {
      reservedFiles.push(await reserveFile(path, { bytes: reservedBytes, tag: tagOf(reservedFiles.length), mode }));
    };
    await removeReserved(path, tagOf);
    await addReserved();
    return {
      settings,
      reserve: (login) =>
        inTurn(async () => {
          pending.add(login);
          while (reservedFiles.length < pending.size) await addReserved();
        }),
      close() {
        for (const reservedFile of reservedFiles) reservedFile?.discard();
        close();
      },
      remember(login, values) {
        for (const [name, text] of values) settings.set(name, text);
        return inTurn(async () => {
          const text = `${JSON.stringify(Object.fromEntries(settings), undefined, 2)}\n`;
          pending.delete(login);
          const reservedFile = reservedFiles.pop();
          await (reservedFile === undefined
            ? replaceFile(path, text, { tag: "next", mode })
            : reservedFile.replace(text));
        });
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
    if (error === signal?.reason) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw wrong(path, `cannot be read: ${reasonOf(error)}; --credentials takes a file, which the first login creates`);
  }
  if (text.trim() === "") return {};
  try {
    const document = parseValue(text);
    if (isObject(document)) return document;
  } catch {
    // The parser's own message would quote the file.
  }
  throw wrong(path, "must hold a JSON object of settings");
}

function wrong(path: string, what: string): SpileError {
  return new SpileError("configuration", `the credentials file ${path} ${what}`);
}
