import { jsonParser, type Token } from "stream-json/core/parser.js";
import { type Evidence, type Watched, watchKey } from "../core/page.ts";
import { DataFault } from "./fault.ts";
import { type Interest, interestIn } from "./interest.ts";

interface Level {
  readonly array: boolean;
  readonly interest: Interest | undefined;
  /** The key read last. */
  name: string;
  /** Values so far, which have ended. */
  count: number;
  /** Keys of interest so far. */
  seen: Set<string> | undefined;
}

/** Fields that are kept as evidence: an answer may hold any number of names that speak of paging. */
const mostEvidence = 500;

/** What the parser must have said when the text ends with such a byte. */
const lastToken: Readonly<Record<string, Token["name"]>> = {
  "{": "startObject",
  "[": "startArray",
  "}": "endObject",
  "]": "endArray",
  ":": "keyValue",
};

/**
 * The response around the records, as stream-json tells it: where in the document we are, and what stands at the
 * places of interest. It is fed text up to each structural byte, so that what it knows is what has been read.
 */
export class Envelope {
  readonly watched = new Map<string, Watched>();
  /** By `watchKey` of the path. */
  readonly evidence = new Map<string, Evidence>();
  readonly #parse = jsonParser({ streamValues: false });
  readonly #root: Interest;
  readonly #levels: Level[] = [];
  #dataFound = false;
  /** Has a value ended since the last comma or bracket? */
  #complete = false;

  /** `root`: what is wanted at the root, and below it. */
  constructor(root: Interest) {
    this.#root = root;
  }

  /** Containers open. */
  get depth(): number {
    return this.#levels.length;
  }

  /** Is the innermost of them an array? */
  get inArray(): boolean {
    return this.#levels.at(-1)?.array === true;
  }

  /** What the value that comes next is wanted for. */
  next(): Interest | undefined {
    const level = this.#levels.at(-1);
    if (level === undefined) return this.#root;
    return interestIn(level.interest, level.array ? String(level.count) : level.name);
  }

  /** Names of the place of the value that comes next. */
  path(): string[] {
    return this.#levels.map((level) => (level.array ? String(level.count) : level.name));
  }

  /** Reads text that ends with a structural byte. Throws on broken JSON. */
  read(text: string): void {
    const told = this.#tokens(text);
    for (const token of told) this.#apply(token);
    const last = text.charAt(text.length - 1);
    // The parser may wait for more before it complains: then it has not said what it ought to.
    const isAsItShould = last === "," ? this.#complete : told.at(-1)?.name === lastToken[last];
    if (!isAsItShould) throw new SyntaxError(`unexpected ${last}`);
    if (last === "," || last === ":") this.#complete = false;
  }

  /** The value that comes next was read by other means: `value` is what counts as watched there. */
  pass(value: Watched | undefined): void {
    // The parser gets a stand-in for what it need not see.
    this.#tokens('""');
    this.#ended(value);
  }

  /** The innermost array holds `count` elements that were read by other means. */
  passElements(count: number): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.count = count;
  }

  /** The data field has been found: no key on the way to it may come again. */
  found(): void {
    this.#dataFound = true;
  }

  /** Keeps evidence, of this or of other means of reading. */
  tell(one: Evidence): void {
    if (this.evidence.size < mostEvidence) this.evidence.set(watchKey(one.path), one);
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
    this.#levels.push({ array, interest: this.next(), name: "", count: 0, seen: undefined });
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
    level.seen ??= new Set();
    if (level.seen.has(name)) this.#repeated(interest);
    level.seen.add(name);
  }

  /** A value has ended; undefined: one that nobody watches. */
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
      this.tell({ path: this.path(), value });
    }
  }

  /** Of a duplicate key the last counts; but records that have been written cannot be taken back. */
  #repeated(interest: Interest): void {
    const here = this.path();
    if (interest.data || (interest.leads && this.#dataFound)) {
      throw new DataFault(
        `the response has the key ${JSON.stringify(here.join("."))} twice: the records cannot be told`,
      );
    }
    this.#forget(interest);
    for (const [key, one] of this.evidence) {
      if (here.every((name, depth) => one.path[depth] === name)) this.evidence.delete(key);
    }
  }

  #forget(interest: Interest): void {
    if (interest.watch !== undefined) this.watched.delete(interest.watch);
    for (const inner of interest.inner?.values() ?? []) this.#forget(inner);
  }
}
