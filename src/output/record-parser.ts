import { Transform, type TransformCallback } from "node:stream";

/**
 * Converts lines of `--tag` to objects `{ dataType, record }`. `parse` gets the text of each record, so that the caller decides how
 * numbers are parsed. A chunk may end within a line.
 */
export class RecordParser extends Transform {
  readonly #parse: (text: string) => unknown;
  #unfinished: Buffer[] = [];

  constructor(parse: (text: string) => unknown) {
    super({ readableObjectMode: true });
    this.#parse = parse;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    let from = 0;
    try {
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        this.#unfinished.push(chunk.subarray(from, end));
        from = end + 1;
        this.push(this.#read(Buffer.concat(this.#unfinished).toString()));
        this.#unfinished = [];
      }
      if (from < chunk.length) this.#unfinished.push(chunk.subarray(from));
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }

  #read(line: string): { readonly dataType: string; readonly record: unknown } {
    const [, name = "", text = ""] = tagged.exec(line) ?? [];
    return { dataType: JSON.parse(name) as string, record: this.#parse(text) };
  }
}

/** Matches a line of `--tag`, in a time proportional to its length. */
const tagged = /^\{"dataType":("(?:[^"\\]|\\.)*"),"record":(.*)\}$/s;
