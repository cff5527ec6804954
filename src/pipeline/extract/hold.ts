import { SpileError } from "../../core/errors.ts";
import type { Lines } from "../../core/runs/lines.ts";
import type { PageKeys } from "../../core/runs/page.ts";
import { createFingerprint, type Fingerprint } from "../../core/values/fingerprint.ts";
import { countRecords } from "../line-budget.ts";
import { type DroppedPlaces, noSieve, type Sieve } from "./sieve.ts";

/**
 * Holds the lines of a page until the page is known to be good, up to `limit` bytes. Beyond that the lines flow: they are passed
 * on before the page has ended (contract P6). If an attempt breaks off, the fingerprint of the next attempt's first lines must
 * equal that of the lines that have flowed. Only the lines after these are new.
 */
export class Hold {
  readonly #limit: number;
  readonly #key: string;
  readonly #sieve: Sieve;
  #waiting: Lines[] = [];
  #waitingBytes = 0;
  /** Number of bytes that have flowed, over all attempts. */
  #flowed = 0;
  /** Fingerprint of this attempt's lines before the waiting ones. */
  #print: LinesPrint;
  /** True if the page is complete. No attempt follows, so its lines need no fingerprint. */
  #isComplete = false;
  /** The lines that this attempt has yet to repeat. */
  #repetition: Repetition | undefined;

  /** `limit` is in bytes; `key` is the key of the run's fingerprints. */
  constructor(limit: number, key: string, sieve: Sieve = noSieve) {
    this.#limit = limit;
    this.#key = key;
    this.#sieve = sieve;
    this.#print = new LinesPrint(key);
  }

  /** True if lines have flowed. */
  get hasFlowed(): boolean {
    return this.#flowed > 0;
  }

  get dropped(): DroppedPlaces {
    return this.#sieve.dropped;
  }

  /** Keys of the records that were sifted so far; undefined if there are none, or if a record has no key. */
  get keys(): PageKeys | undefined {
    return this.#sieve.keys();
  }

  get waitingRecords(): number {
    return countRecords(this.#waiting);
  }

  add(chunk: Lines): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.bytes.length;
  }

  /** Begins an attempt. Drops the waiting lines of the attempt before it, which broke off. */
  restart(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#flowed === 0) return;
    const expected = this.#repetition?.expected ?? this.#print.digest();
    this.#repetition = { expected, missing: this.#flowed, print: new LinesPrint(this.#key) };
    this.#print = new LinesPrint(this.#key);
  }

  /** Returns the lines that may flow now: none before the limit is exceeded. */
  flow(): readonly Lines[] {
    if (this.#flowed === 0 && this.#waitingBytes <= this.#limit) return [];
    return this.#sieve.sift(this.release());
  }

  /** Returns the lines that may still flow from a failed page: whole lines that came before the fault. */
  flowBeforeFailure(): readonly Lines[] {
    try {
      return this.flow();
    } catch {
      // This attempt began with other lines than those that an earlier attempt passed on.
      return [];
    }
  }

  /** Sifts the waiting lines, because the page is complete. Must be called once, before `release`. */
  sift(): void {
    this.#isComplete = true;
    this.#waiting = [...this.#sieve.sift(this.#waiting)];
  }

  /** Returns all waiting lines, except those that flowed in an earlier attempt. */
  release(): readonly Lines[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return lines.flatMap((chunk) => this.#unseen(chunk));
  }

  /**
   * Returns the digest of all lines of the page: two pages with equal digests have equal lines. Must be called once, after `flow`
   * and before `release`.
   */
  digest(): string {
    for (const chunk of this.#waiting) this.#print.update(chunk, chunk.bytes);
    return this.#print.digest();
  }

  /** Throws if an attempt has ended before it repeated all lines that have flowed. */
  checkRepeated(): void {
    if (this.#repetition !== undefined) throw repetitionError();
  }

  #unseen(chunk: Lines): readonly Lines[] {
    const { bytes } = chunk;
    if (this.#repetition === undefined) {
      if (this.#isComplete) return [chunk];
      this.#flowed += bytes.length;
      this.#print.update(chunk, bytes);
      return [chunk];
    }
    const { expected, missing, print } = this.#repetition;
    const compared = bytes.subarray(0, missing);
    print.update(chunk, compared);
    this.#print.update(chunk, compared);
    this.#repetition.missing -= compared.length;
    if (compared.length < missing) return [];
    if (print.digest() !== expected) throw repetitionError();
    this.#repetition = undefined;
    const rest = bytes.subarray(missing);
    return rest.length === 0 ? [] : this.#unseen({ ...chunk, bytes: rest, records: countLines(rest) });
  }
}

/** The lines that an earlier attempt has passed on, with which this attempt must begin. */
interface Repetition {
  /** Fingerprint of the lines that have flowed. */
  readonly expected: string;
  /** Number of bytes that are still to come. */
  missing: number;
  /**
   * Fingerprint of the lines of this attempt so far. A fingerprint cannot be continued after its digest was taken, so `#print`
   * takes the same lines.
   */
  readonly print: LinesPrint;
}

/** A fingerprint of lines and of their datasets. It does not depend on the pieces in which they come. */
class LinesPrint {
  readonly #print: Fingerprint;
  #dataset: string | undefined;

  constructor(key: string) {
    this.#print = createFingerprint(key);
  }

  update({ dataset }: Lines, bytes: Buffer): void {
    if (bytes.length === 0) return;
    // A zero byte separates datasets, since no line begins with one.
    if (dataset !== this.#dataset) this.#print.update(Buffer.from(`\0${JSON.stringify(dataset)}`));
    this.#dataset = dataset;
    this.#print.update(bytes);
  }

  digest(): string {
    return this.#print.digest();
  }
}

function repetitionError(): SpileError {
  return new SpileError(
    "data",
    "the response broke off after its first records were written, and the repeated response began with other records; start the run again, with a greater --hold if the page fits in memory",
  );
}

/** Counts the lines in a buffer of whole lines. */
export function countLines(bytes: Buffer): number {
  let count = 0;
  for (let index = bytes.indexOf(10); index >= 0; index = bytes.indexOf(10, index + 1)) count += 1;
  return count;
}
