import { jsonParser, type Token } from "stream-json/core/parser.js";
import { type Evidence, type Watched, watchKey } from "../core/page.ts";
import { DataFault } from "./fault.ts";
import { type Interest, interestIn } from "./interest.ts";

/**
 * The response around the records, as stream-json tells it: where in the document we are, and what stands at the
 * places of interest. It is fed text up to each structural byte, so that what it knows is what has been read.
 */
export interface Envelope {
  readonly watched: Map<string, Watched>;
  /** By `watchKey` of the path. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** Evidence that was read by other means. */
  tell(evidence: Evidence): void;
  /** Containers open. */
  readonly depth: number;
  /** Is the innermost of them an array? */
  readonly inArray: boolean;
  /** What the value that comes next is wanted for. */
  next(): Interest | undefined;
  /** Names of the place of the value that comes next. */
  path(): string[];
  /** Reads text that ends with a structural byte. Throws on broken JSON. */
  read(text: string): void;
  /** The value that comes next was read by other means: `value` is what counts as watched there. */
  pass(value: Watched | undefined): void;
  /** The innermost array holds `count` elements that were read by other means. */
  passElements(count: number): void;
  /** The data field has been found: no key on the way to it may come again. */
  found(): void;
}

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

/** What the parser must have said when the text ends with such a byte. */
const lastToken: Readonly<Record<string, Token["name"]>> = {
  "{": "startObject",
  "[": "startArray",
  "}": "endObject",
  "]": "endArray",
  ":": "keyValue",
};

export function createEnvelope(root: Interest): Envelope {
  const parse = jsonParser({ streamValues: false });
  const watched = new Map<string, Watched>();
  const evidence = new Map<string, Evidence>();
  const levels: Level[] = [];
  let dataFound = false;
  /** Has a value ended since the last comma or bracket? */
  let complete = false;

  function next(): Interest | undefined {
    const level = levels.at(-1);
    return level === undefined ? root : interestIn(level.interest, level.array ? String(level.count) : level.name);
  }

  function path(): string[] {
    return levels.map((level) => (level.array ? String(level.count) : level.name));
  }

  function record(value: Watched): void {
    const interest = next();
    if (interest?.watch !== undefined) watched.set(interest.watch, value);
    if (interest?.evidence !== undefined && value.type !== "array" && value.type !== "object") {
      tell({ path: path(), meaning: interest.evidence, value });
    }
  }

  function tell(one: Evidence): void {
    evidence.set(watchKey(one.path), one);
  }

  /** A value has ended; undefined: one that nobody watches. */
  function ended(value: Watched | undefined): void {
    if (value !== undefined) record(value);
    complete = true;
    const level = levels.at(-1);
    if (level !== undefined) level.count += 1;
  }

  function open(array: boolean): void {
    levels.push({ array, interest: next(), name: "", count: 0, seen: undefined });
    complete = false;
  }

  function close(): void {
    const level = levels.pop();
    if (level !== undefined) ended({ type: level.array ? "array" : "object", text: "", empty: level.count === 0 });
  }

  function key(name: string): void {
    const level = levels.at(-1);
    if (level === undefined) return;
    level.name = name;
    const interest = interestIn(level.interest, name);
    if (interest === undefined) return;
    level.seen ??= new Set();
    if (level.seen.has(name)) repeated(interest);
    level.seen.add(name);
  }

  /** Of a duplicate key the last counts; but records that have been written cannot be taken back. */
  function repeated(interest: Interest): void {
    if (interest.data || (interest.leads && dataFound)) {
      throw new DataFault(
        `the response has the key ${JSON.stringify(path().join("."))} twice: the records cannot be told`,
      );
    }
    forget(interest);
    const here = path();
    for (const [key, one] of evidence) if (here.every((name, depth) => one.path[depth] === name)) evidence.delete(key);
  }

  function forget(interest: Interest): void {
    if (interest.watch !== undefined) watched.delete(interest.watch);
    for (const inner of interest.inner?.values() ?? []) forget(inner);
  }

  function apply(token: Token): void {
    const { name } = token;
    if (name === "keyValue") key(token.value);
    else if (name === "startObject" || name === "startArray") open(name === "startArray");
    else if (name === "endObject" || name === "endArray") close();
    else if (name === "stringValue") ended({ type: "string", text: token.value, empty: token.value === "" });
    else if (name === "numberValue") ended({ type: "number", text: token.value, empty: false });
    else if (name === "nullValue") ended({ type: "null", text: "null", empty: false });
    else if (name === "trueValue" || name === "falseValue") {
      ended({ type: "boolean", text: String(token.value), empty: false });
    }
  }

  function tokens(text: string): readonly Token[] {
    const answer = parse(text);
    return typeof answer === "symbol" ? [] : answer.values;
  }

  return {
    watched,
    evidence,
    tell,
    next,
    path,
    get depth() {
      return levels.length;
    },
    get inArray() {
      return levels.at(-1)?.array === true;
    },
    read(text) {
      const told = tokens(text);
      for (const token of told) apply(token);
      const last = text.charAt(text.length - 1);
      // The parser may wait for more before it complains: then it has not said what it ought to.
      if (last === "," ? !complete : told.at(-1)?.name !== lastToken[last]) throw new SyntaxError(`unexpected ${last}`);
      if (last === "," || last === ":") complete = false;
    },
    pass(value) {
      // The parser gets a stand-in for what it need not see.
      tokens('""');
      ended(value);
    },
    passElements(count) {
      const level = levels.at(-1);
      if (level !== undefined) level.count = count;
    },
    found() {
      dataFound = true;
    },
  };
}
