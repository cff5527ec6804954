import { hash } from "node:crypto";
import type { RecordKey } from "../core/runs/page.ts";
import { recordsOf, textAt } from "./records.ts";

/** Number of records at the beginning of a page, and at its end, whose keys are always kept. */
const maxKeys = 4096;
const names = ["id", "_id", "@id", "uuid", "guid", "self", "href"];

/** Keeps the keys that identify the records of a page, to find out whether the next page begins with one of them. */
export class RecordKeys {
  #keys: RecordKey[] = [];

  /** Takes the next whole lines. The buffer is not kept. */
  take(lines: Buffer): void {
    for (const record of recordsOf(lines)) {
      const id = names.map((name) => textAt(record, [name])).find((text) => text !== undefined);
      this.#keys.push({ id, line: hash("sha256", record, "base64url").slice(0, 16) });
    }
    if (this.#keys.length > 3 * maxKeys) this.#keys = [...this.#keys.slice(0, maxKeys), ...this.#keys.slice(-maxKeys)];
  }

  get keys(): readonly RecordKey[] {
    return this.#keys;
  }
}
