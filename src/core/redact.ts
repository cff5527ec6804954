import { printable } from "./printable.ts";

const mark = "***";

/** Stands behind a text that was cut for a message: the beginning of a secret before it is masked too. */
const cut = "...";

/** Shorter ones would blank out half of every message: they count only as the whole value of a parameter or header. */
const shortest = 4;

/**
 * So many of the latest passing secrets are remembered, at least: a signature a request, a token a login must not add up.
 * Of long ones fewer, from so many characters on.
 */
const generation = { most: 2048, least: 64, characters: 2 ** 18 };

/**
 * Every secret of a run, masked by value in whatever is printed (contract P7): settings whose names begin with
 * `#`, values from the environment, what the login answered, results of functions over these. A secret is found raw
 * and in its percent-, form-, JSON- and base64-encoded forms, with its control characters escaped, and where a message
 * cuts it off with "...".
 */
export class Secrets {
  readonly #kept = new Forms();
  #latest = new Forms();
  #earlier = new Forms();

  /**
   * Registers a secret; empty text is none. A `passing` one (of a request, of a login) is forgotten after many others, and is
   * to be registered again with each use.
   */
  add(text: string, passing = false): void {
    if (text === "" || this.#kept.has(text)) return;
    if (!passing) {
      this.#kept.add(text);
    } else if (!this.#latest.has(text)) {
      if (this.#latest.isFull) {
        this.#earlier = this.#latest;
        this.#latest = new Forms();
      }
      this.#latest.add(text);
    }
  }

  /** `text` with every secret replaced by `***`. */
  mask(text: string): string {
    return this.#replace(text, true);
  }

  /** Does `text` hold a secret in any form? */
  holds(text: string): boolean {
    return this.#replace(text, false) !== text;
  }

  #replace(text: string, beginnings: boolean): string {
    const all = [this.#kept, this.#latest, this.#earlier].filter(({ size }) => size > 0);
    if (all.length === 0) return text;
    let masked = "";
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      let length = 0;
      for (const forms of all) length = Math.max(length, forms.lengthAt(text, at, beginnings));
      if (length === 0) continue;
      masked += text.slice(from, at) + mark;
      from = at + length;
      at = from - 1;
    }
    return masked + text.slice(from);
  }
}

/** The forms of secrets by their first characters: finding one costs the same however many there are. */
class Forms {
  readonly #values = new Set<string>();
  #characters = 0;
  /** By their first `shortest` characters, the longest first. */
  readonly #long = new Map<string, string[]>();
  readonly #short = new Set<string>();
  /** Do long forms begin with a character whose code ends in this byte? Most places of a text are passed over by it. */
  readonly #begins = new Uint8Array(256);

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
      if (form.length < shortest) {
        this.#short.add(form);
        continue;
      }
      const head = form.slice(0, shortest);
      this.#begins[form.charCodeAt(0) & 0xff] = 1;
      const forms = this.#long.get(head) ?? [];
      if (!forms.includes(form))
        this.#long.set(
          head,
          [...forms, form].sort((a, b) => b.length - a.length),
        );
    }
  }

  /** The length of the longest form that stands at `at`, or with `beginnings` the beginning of one that is cut off; 0 for none. */
  lengthAt(text: string, at: number, beginnings: boolean): number {
    const begins = this.#begins[text.charCodeAt(at) & 0xff] === 1;
    const forms = begins ? this.#long.get(text.slice(at, at + shortest)) : undefined;
    const whole = forms?.find((form) => text.startsWith(form, at))?.length ?? 0;
    const long = whole > 0 || !beginnings ? whole : beginningAt(text, at, forms ?? []);
    if (long > 0 || this.#short.size === 0 || text[at - 1] !== "=") return long;
    for (let length = shortest - 1; length > 0; length -= 1) {
      const next = text[at + length];
      if (next !== undefined && !/[&"'\s]/.test(next)) continue;
      if (at + length <= text.length && this.#short.has(text.slice(at, at + length))) return length;
    }
    return 0;
  }
}

/** The length of the beginning of a form that stands at `at`, before the mark of a cut. */
function beginningAt(text: string, at: number, forms: readonly string[]): number {
  for (const form of forms) {
    let length = shortest;
    while (length < form.length && form[length] === text[at + length]) length += 1;
    // A secret may itself go on with dots.
    for (; length >= shortest; length -= 1) if (text.startsWith(cut, at + length)) return length;
  }
  return 0;
}

function formsOf(value: string): string[] {
  const percent = percentEncode(value);
  const forms = [
    value,
    value.trim(),
    printable(value),
    percent,
    percent.replaceAll("%20", "+"),
    encodeURI(value.toWellFormed()),
    jsonEscaped(value),
    // JSON in a string of JSON, as in the echo of a request.
    jsonEscaped(jsonEscaped(value)),
  ];
  forms.push(...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())), ...base64Forms(value));
  return forms.filter((form) => form !== "");
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function percentEncode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The base64 of the secret alone, and what it leaves in the base64 of a longer text at each of the three alignments. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [bytes.toString("base64"), bytes.toString("base64url")];
  for (const shift of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const whole = Math.floor((shift + bytes.length) / 3) * 4;
    const inner = text.slice(shift === 0 ? 0 : 4, whole);
    if (inner.length >= 8) forms.push(inner, inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}
