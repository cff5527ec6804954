import { Transform, type TransformCallback } from "node:stream";

/** Bytes of whole lines `{"dataType":...,"record":...}` in, cut anywhere; `{ dataType, record }` out, the record parsed. */
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

  /** The record's text is handed on as it stands: which parser reads its numbers is the caller's choice. */
  #read(line: string): { readonly dataType: string; readonly record: unknown } {
    const [, name = "", text = ""] = tagged.exec(line) ?? [];
    return { dataType: JSON.parse(name) as string, record: this.#parse(text) };
  }
}

/** The form that `--tag` writes. No step of the pattern can backtrack over what another has matched. */
const tagged = /^\{"dataType":("(?:[^"\\]|\\.)*"),"record":(.*)\}$/s;
