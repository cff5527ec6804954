import { jsonParser, type Token } from "stream-json/core/parser.js";
import { type Evidence, type Watched, watchKey } from "../core/runs/page.ts";
import { DataFault } from "./fault.ts";
import { type Interest, interestIn } from "./interest.ts";

interface Level {
  readonly array: boolean;
  readonly interest: Interest | undefined;
  /** The key that was read last. */
  name: string;
  /** Number of values that have ended. */
  count: number;
  /** Keys of interest that have appeared. */
  keysOfInterest: Set<string> | undefined;
}

/** Maximum number of fields kept as evidence. A hostile response may contain any number of fields with names of paging. */
const maxEvidence = 500;

/** The last token that the parser reports for text that ends with this byte. */
const lastToken: Readonly<Record<string, Token["name"]>> = {
  "{": "startObject",
  "[": "startArray",
  "}": "endObject",
  "]": "endArray",
  ":": "keyValue",
};

/**
 * Parses the response around the records with stream-json. It knows the current place in the document, and keeps the values at
 * places of interest. It gets the text in pieces that end with a structural byte, so that it knows exactly what has been read.
 */
export class Envelope {
  readonly watched = new Map<string, Watched>();
  /** Evidence by the `watchKey` of its path. */
  readonly evidence = new Map<string, Evidence>();
  readonly #parse = jsonParser({ streamValues: false });
  readonly #root: Interest;
  readonly #levels: Level[] = [];
  #dataFound = false;
  /** True if a value has ended since the last comma or bracket. */
  #complete = false;

  constructor(root: Interest) {
    this.#root = root;
  }

  /** Number of open containers. */
  get depth(): number {
    return this.#levels.length;
  }

  get isInArray(): boolean {
    return this.#levels.at(-1)?.array === true;
  }

  /** Returns the interest in the next value. */
  next(): Interest | undefined {
    const level = this.#levels.at(-1);
    if (level === undefined) return this.#root;
    return interestIn(level.interest, level.array ? String(level.count) : level.name);
  }

  /** Returns the path of the next value. */
  path(): string[] {
    return this.#levels.map((level) => (level.array ? String(level.count) : level.name));
  }

  /** Reads text that ends with a structural byte. Throws on broken JSON. */
  read(text: string): void {
    const tokens = this.#tokens(text);
    for (const token of tokens) this.#apply(token);
    const last = text.charAt(text.length - 1);
    // The parser may wait for more text before it reports a fault. Then the token that should be last is missing.
    const isExpected = last === "," ? this.#complete : tokens.at(-1)?.name === lastToken[last];
    if (!isExpected) throw new SyntaxError(`unexpected ${last}`);
    if (last === "," || last === ":") this.#complete = false;
  }

  /** Takes note that the scanner has read the next value. `value`: undefined if nobody watches it. */
  pass(value: Watched | undefined): void {
    // The parser gets a placeholder instead of the value, which it does not need to see.
    this.#tokens('""');
    this.#ended(value);
  }

  /** Takes note that the scanner has read `count` elements or members of the innermost container. */
  passElements(count: number): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.count = count;
  }

  /** Takes note that the data field was found. After this, a duplicate key on its path is a fault. */
  found(): void {
    this.#dataFound = true;
  }

  /** Keeps evidence, unless there are `maxEvidence` fields already. */
  addEvidence(one: Evidence): void {
    if (this.evidence.size < maxEvidence) this.evidence.set(watchKey(one.path), one);
  }

  #tokens(text: string): readonly Token[] {
    const answer = this.#parse(text);
    return typeof answer === "symbol" ? [] : answer.values;
  }

  #apply(token: Token): void {
    const { name } = token;
    if (name === "keyValue") this.#key(token.value);
    else if (name === "startObject" || name === "startArray") this.#open(name === "startArray");
    else if (name === "endObject" || name === "endArray") this.#close();
    else if (name === "stringValue") this.#ended({ type: "string", text: token.value, empty: token.value === "" });
    else if (name === "numberValue") this.#ended({ type: "number", text: token.value, empty: false });
    else if (name === "nullValue") this.#ended({ type: "null", text: "null", empty: false });
    else if (name === "trueValue" || name === "falseValue") {
      this.#ended({ type: "boolean", text: String(token.value), empty: false });
    }
  }

  #open(array: boolean): void {
    this.#levels.push({ array, interest: this.next(), name: "", count: 0, keysOfInterest: undefined });
    this.#complete = false;
  }

  #close(): void {
    const level = this.#levels.pop();
    if (level !== undefined) {
      this.#ended({ type: level.array ? "array" : "object", text: "", empty: level.count === 0 });
    }
  }

  #key(name: string): void {
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    level.name = name;
    const interest = interestIn(level.interest, name);
    if (interest === undefined) return;
    level.keysOfInterest ??= new Set();
    if (level.keysOfInterest.has(name)) this.#repeated(interest);
    level.keysOfInterest.add(name);
  }

  /** Ends a value. `value` is undefined if nobody watches it. */
  #ended(value: Watched | undefined): void {
    if (value !== undefined) this.#record(value);
    this.#complete = true;
    const level = this.#levels.at(-1);
    if (level !== undefined) level.count += 1;
  }

  #record(value: Watched): void {
    const interest = this.next();
    if (interest?.watch !== undefined) this.watched.set(interest.watch, value);
    if (interest?.evidence !== undefined && value.type !== "array" && value.type !== "object") {
      this.addEvidence({ path: this.path(), value });
    }
  }

  /**
   * Forgets the values under the first of two equal keys, since the last one counts. Throws DataFault if records may be under it:
   * those that were written cannot be taken back.
   */
  #repeated(interest: Interest): void {
    const currentPath = this.path();
    if (interest.data || (interest.leads && this.#dataFound)) {
      throw new DataFault(
        `the response has the key ${JSON.stringify(currentPath.join("."))} twice: it is unclear which records are meant`,
      );
    }
    this.#forget(interest);
    for (const [key, one] of this.evidence) {
      if (currentPath.every((name, depth) => one.path[depth] === name)) this.evidence.delete(key);
    }
  }

  #forget(interest: Interest): void {
    if (interest.watch !== undefined) this.watched.delete(interest.watch);
    for (const inner of interest.inner?.values() ?? []) this.#forget(inner);
  }
}
