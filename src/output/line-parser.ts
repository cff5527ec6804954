import { Transform, type TransformCallback } from "node:stream";

/** Bytes of whole lines in, cut anywhere; what `parse` makes of each line out. */
export class LineParser extends Transform {
  readonly #parse: (line: string) => unknown;
  #unfinished: Buffer[] = [];

  constructor(parse: (line: string) => unknown) {
    super({ readableObjectMode: true });
    this.#parse = parse;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    let from = 0;
    try {
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        this.#unfinished.push(chunk.subarray(from, end));
        from = end + 1;
        this.push(this.#parse(Buffer.concat(this.#unfinished).toString()));
        this.#unfinished = [];
      }
      if (from < chunk.length) this.#unfinished.push(chunk.subarray(from));
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }
}
