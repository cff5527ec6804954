import { isJson } from "../../core/values/value.ts";
import { openBrace } from "../json-bytes.ts";

/** Maximum number of bytes of a body that is kept to see whether it is a single JSON object. */
const maxBytes = 65_536;

/** Keeps a short body that begins as a JSON object, since it may be an error message of the API instead of a table. */
export class LoneDocument {
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;
  #hasBegun = false;

  add(chunk: Buffer): void {
    if (this.#pieces === undefined) return;
    const first = this.#hasBegun ? openBrace : chunk.find((byte) => byte > 0x20);
    this.#hasBegun = first !== undefined;
    this.#bytes += chunk.length;
    if (this.#bytes > maxBytes || (first ?? openBrace) !== openBrace) this.#pieces = undefined;
    else this.#pieces.push(Buffer.from(chunk));
  }

  /** True if the bytes so far may be the beginning of such an object. */
  get isOpen(): boolean {
    return this.#pieces !== undefined;
  }

  /** The body, if it is a single JSON object. */
  get text(): string | undefined {
    if (this.#pieces === undefined || !this.#hasBegun) return undefined;
    const text = Buffer.concat(this.#pieces).toString();
    return isJson(text) ? text : undefined;
  }
}
