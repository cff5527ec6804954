import { percentEncode } from "../text/percent-encoding.ts";
import { printable } from "../text/printable.ts";
import { type Base64Run, base64Runs, decodeBase64 } from "./base64-runs.ts";
import { type Cuts, cutsOf } from "./cuts.ts";
import { decode, type Units, unitsOf } from "./decoding.ts";
import { Needles, shortestNeedle } from "./needles.ts";

/** The text that replaces a secret. */
export const secretMark = "***";

/**
 * Secrets that are passing, such as signatures of requests and tokens of logins, are kept in generations. A generation is full with
 * `most` secrets, or with `least` secrets that have at least `characters` characters together. Only the two latest generations are
 * kept: otherwise their number would grow without a limit.
 */
const generation = { most: 2048, least: 64, characters: 2 ** 18 };

/** Maximum number of units decoded from base64 for each unit of a text: enough for base64 in base64 in base64. */
const decodedPerUnit = 16;

/** Minimum length, in characters, of a part of a secret that is also searched for. */
const shortestPart = 6;

/** The range of a secret in a text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Holds the secrets of a run and masks them in everything that is printed: settings whose names begin with `#`, values from the
 * environment, values of a login's answer, and results of functions over these. A secret is found in any encoding: raw, percent-,
 * form-, JSON- and HTML-encoded in any dialect, base64 as part of a longer text, and any chain of these. If a message cuts a secret
 * off with "...", its beginning is masked. A secret of less than 4 characters is masked only if it is the whole value of a
 * parameter or a string (`pin=7`, `"pin":"7"`): masked everywhere, it would blank out half of every message.
 */
export class Secrets {
  readonly #kept = new Forms();
  readonly #passing = new Generations();
  readonly #carried = new Generations();

  /**
   * Registers a secret. White space alone is ignored. A `passing` secret of a request or a login is forgotten after many others,
   * and must be registered again with each use.
   */
  add(text: string, passing = false): void {
    if (text.trim() === "" || this.#kept.has(text)) return;
    if (passing) this.#passing.add(text);
    else this.#kept.add(text);
  }

  /**
   * Registers a passing secret from an address that the API gave, such as the signature of a download. The secret is sent only to
   * that address.
   */
  addCarried(text: string): void {
    if (text.trim() !== "" && !this.#kept.has(text)) this.#carried.add(text);
  }

  /** Replaces every secret in `text` by `***`, even the beginning of a secret that is cut off. `isCut`: the end of the text is missing. */
  mask(text: string, { isCut = false } = {}): string {
    let masked = "";
    let from = 0;
    for (const span of this.#find(text, { beginnings: true, isCut })) {
      masked += text.slice(from, span.from) + secretMark;
      from = span.to;
    }
    return masked + text.slice(from);
  }

  /** Returns whether `text` holds a secret in any form. */
  holds(text: string): boolean {
    return this.spans(text).length > 0;
  }

  /**
   * Returns the ranges of secrets in `text`, in order. Overlapping ranges are joined. `carried`: true to include the secrets of
   * `addCarried`.
   */
  spans(text: string, { carried = true } = {}): readonly Span[] {
    return this.#find(text, { beginnings: false, isCut: false }, carried);
  }

  #find(
    text: string,
    cutting: { readonly beginnings: boolean; readonly isCut: boolean },
    carried = true,
  ): readonly Span[] {
    const passing = [...this.#passing.forms, ...(carried ? this.#carried.forms : [])];
    const forms = [this.#kept, ...passing].filter(({ size }) => size > 0);
    if (forms.length === 0 || text === "") return [];
    return new Search(forms, text.length, cutting.beginnings).spansIn(text, cutting.isCut);
  }
}

/** The latest passing secrets. */
class Generations {
  #latest = new Forms();
  #earlier = new Forms();

  get forms(): readonly Forms[] {
    return [this.#latest, this.#earlier];
  }

  add(text: string): void {
    if (this.#latest.has(text)) return;
    if (this.#latest.isFull) {
      this.#earlier = this.#latest;
      this.#latest = new Forms();
    }
    this.#latest.add(text);
  }
}

/** The forms of secrets, which are searched for all at once. */
class Forms {
  readonly long = new Needles();
  readonly short = new Set<string>();
  readonly #values = new Set<string>();
  #characters = 0;

  get size(): number {
    return this.#values.size;
  }

  get isFull(): boolean {
    const { most, least, characters } = generation;
    return this.size >= most || (this.size >= least && this.#characters >= characters);
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  add(value: string): void {
    this.#values.add(value);
    this.#characters += value.length;
    for (const form of new Set(formsOf(value))) {
      if (form.length >= shortestNeedle) this.long.add(unitsOf(form).codes);
      else if (form !== "") this.short.add(form);
    }
  }
}

/**
 * Yields the forms of a secret that are searched for: unchanged, decoded, and without characters at its ends that the text around
 * it may change.
 */
function* formsOf(value: string): Generator<string> {
  yield value;
  for (const text of [value, value.trim(), printable(value), inAddress(value)]) {
    const decoded = decodedText(text);
    yield decoded;
    // Decoding a secret that consists mostly of escapes may leave a text that is too short to search.
    if (decoded.length < shortestNeedle) yield* [percentEncode(text), escapeJson(text), escapeJson(escapeJson(text))];
    // A `%4` at the end of a secret may form an escape with the text after it, and the secret's first characters may complete an
    // escape before it. So the secret is also searched for without these characters, and without a fragment, because an address
    // drops its fragment.
    const parts = [decoded.replace(/%[\da-f]?$|&#?\w*$/i, ""), ...withoutFirstCharacters(text).map(decodedText)];
    for (const part of [...parts, ...beforeFragments(decoded)]) {
      if (part.length >= shortestPart) yield part;
    }
  }
}

/** Returns a text as it is sent if it is put into an address unencoded: without tabs, line breaks and empty parameters. */
function inAddress(text: string): string {
  return text.replace(/[\t\r\n]/g, "").replace(/&&+/g, "&");
}

/** Returns the parts of a text before each of its first 8 `#`: an address would end there. */
function beforeFragments(text: string): string[] {
  return Array.from(text.matchAll(/#/g), ({ index }) => text.slice(0, index)).slice(0, 8);
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the texts that remain if the first characters of a text belong to an escape in front of it. */
function withoutFirstCharacters(text: string): string[] {
  const swallowed = /^[\da-f]{1,4}|^[nrtuvx]/i.exec(text)?.[0] ?? "";
  return Array.from(swallowed, (_, index) => text.slice(index + 1));
}

function decodedText(text: string): string {
  const units = decode(unitsOf(text));
  return units === undefined ? text : textOf(units.codes);
}

/** One search through a text and everything that it decodes to. */
class Search {
  readonly #forms: readonly Forms[];
  readonly #beginnings: boolean;
  /** Number of bytes of the shortest form. A run of base64 that decodes to fewer bytes contains no form. */
  readonly #least: number;
  readonly #spans: Span[] = [];
  #unitsLeft: number;

  constructor(forms: readonly Forms[], length: number, beginnings: boolean) {
    this.#forms = forms;
    this.#beginnings = beginnings;
    this.#least = Math.min(...forms.map(({ long }) => long.least));
    this.#unitsLeft = decodedPerUnit * (length + 256);
  }

  spansIn(text: string, isCut: boolean): readonly Span[] {
    const raw = unitsOf(text);
    const decoded = decode(raw);
    for (const units of decoded === undefined ? [raw] : [raw, decoded]) {
      this.#searchUnits(units, isCut, 0);
      for (const { short } of this.#forms) if (short.size > 0) this.#searchShort(units, short);
    }
    return mergeSpans(this.#spans);
  }

  /** Searches units, and the bytes to which base64 among them decodes. */
  #searchUnits(units: Units, isCut: boolean, loose: number): void {
    const cuts = this.#beginnings ? cutsOf(units.codes, isCut, loose) : undefined;
    for (const { long } of this.#forms) long.search(units.codes, this.#collect(units, cuts), cuts?.before);
    if (cuts === undefined && units.codes.length < this.#least) return;
    for (const run of base64Runs(units, cuts === undefined ? this.#least : shortestNeedle)) {
      this.#searchBase64(units, run, cuts?.has(run.to) === true);
    }
  }

  #searchBase64(units: Units, run: Base64Run, isCut: boolean): void {
    for (let skipped = 0; skipped < 4; skipped += 1) {
      const bytes = decodeBase64(units, run, skipped);
      this.#unitsLeft -= bytes.codes.length;
      if (this.#unitsLeft < 0) {
        // No real text is base64 so many times over. The run is not decoded any further, but masked as a whole.
        this.#spans.push({ from: units.start(run.from), to: units.end(run.to - 1) });
        return;
      }
      // If the run is cut off, its end may be the rest of an escape.
      this.#searchUnits(decode(bytes) ?? bytes, isCut, 3);
    }
  }

  #collect(units: Units, cuts: Cuts | undefined): (from: number, to: number) => void {
    let last = { from: 0, to: 0 };
    let end = 0;
    return (from, to) => {
      // If a cut-off secret ends here, the rest of its last escape is masked, too.
      const until = cuts?.reach(to) ?? to;
      if (until <= end) return;
      if (from >= end) {
        last = { from: units.start(from), to: 0 };
        this.#spans.push(last);
      }
      end = until;
      last.to = units.end(until - 1);
    };
  }

  #searchShort(units: Units, short: ReadonlySet<string>): void {
    for (const { index, 0: value } of textOf(units.codes).matchAll(wholeValues)) {
      if (short.has(value)) this.#spans.push({ from: units.start(index), to: units.end(index + value.length - 1) });
    }
  }
}

/** Texts of 1 to 3 characters that are whole values of parameters or strings. */
const wholeValues = /(?<==)[^&"'\s]{1,3}(?=[&"'\s]|$)|(?<=[:=] ?")[^"]{1,3}(?=")/g;

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

function textOf(codes: Uint16Array): string {
  const parts: string[] = [];
  for (let index = 0; index < codes.length; index += 4096)
    parts.push(String.fromCharCode(...codes.subarray(index, index + 4096)));
  return parts.join("");
}
