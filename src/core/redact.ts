const mark = "***";

/**
 * Every secret of a run, masked by value in whatever is printed (spec 1, promise 7): settings whose names begin with
 * `#`, values from the environment, what the login answered, results of functions over these. A secret is found raw
 * and in its percent-, form-, JSON- and base64-encoded forms.
 */
export class Secrets {
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;

  /** Registers a secret; empty text is none. */
  add(text: string): void {
    if (text === "" || this.#values.has(text)) return;
    this.#values.add(text);
    this.#pattern = undefined;
  }

  /** `text` with every secret replaced by `***`. */
  mask(text: string): string {
    if (this.#values.size === 0) return text;
    this.#pattern ??= patternOf(this.#values);
    return text.replace(this.#pattern, mark);
  }

  /** Does `text` hold a secret in any form? */
  holds(text: string): boolean {
    return this.mask(text) !== text;
  }
}

/** Shorter ones would blank out half of every message: they count only as the whole value of a parameter or header. */
const shortest = 4;

function patternOf(values: Iterable<string>): RegExp {
  const long = new Set<string>();
  const short = new Set<string>();
  for (const value of values) {
    for (const form of formsOf(value)) (form.length < shortest ? short : long).add(form);
  }
  const alternatives = [...long].sort((a, b) => b.length - a.length).map(escapePattern);
  for (const form of short) alternatives.push(`(?<==)${escapePattern(form)}(?=$|[&"'\\s])`);
  return new RegExp(alternatives.join("|"), "g");
}

function formsOf(value: string): string[] {
  const percent = percentEncode(value);
  const forms = [
    value,
    value.trim(),
    percent,
    percent.replaceAll("%20", "+"),
    encodeURI(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
  ];
  forms.push(...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())), ...base64Forms(value));
  return forms.filter((form) => form !== "");
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

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
