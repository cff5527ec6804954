/** Longest body, in bytes, that is kept to see whether it is a single JSON document. */
const most = 65_536;

const openBrace = 0x7b;

/** Keeps a short body that begins as a JSON object: instead of a table it may be an error message of the API. */
export class LoneDocument {
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;
  #begun = false;

  add(chunk: Buffer): void {
    if (this.#pieces === undefined) return;
    const first = this.#begun ? openBrace : chunk.find((byte) => byte > 0x20);
    this.#begun = first !== undefined;
    this.#bytes += chunk.length;
    if (this.#bytes > most || (first ?? openBrace) !== openBrace) this.#pieces = undefined;
    else this.#pieces.push(Buffer.from(chunk));
  }

  /** Whether the bytes so far may be the beginning of such an object. */
  get isOpen(): boolean {
    return this.#pieces !== undefined;
  }

  /** The document, if the whole body is one. */
  get text(): string | undefined {
    if (this.#pieces === undefined || !this.#begun) return undefined;
    const text = Buffer.concat(this.#pieces).toString();
    try {
      JSON.parse(text);
      return text;
    } catch {
      return undefined;
    }
  }
}
