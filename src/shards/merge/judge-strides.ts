import { SpileError } from "../../core/errors.ts";
import type { PageSummary, Verdict } from "../../core/runs/page.ts";
import { counted } from "../../core/text/counted.ts";
import { figuresOf, signalPlaceName } from "../../knowledge/signals.ts";
import { createScroll } from "../../pagination/index.ts";
import type { Advance, Position, Scroll } from "../../pagination/scroll.ts";
import { type Piece, summaryOf } from "../manifest/manifest.ts";
import type { StridedUnit } from "../plan/plan-document.ts";

/** The end of the pages, judged as a single run would have judged it. */
export interface Judgement {
  /** Number of pages up to the end, plus the pages after it that are written. */
  readonly pages: number;
  /** True if pages after the end are written, provided that they have records. */
  readonly writesAfterEnd: boolean;
  readonly verdict: Verdict;
  readonly warnings: readonly string[];
}

/** The place of a page: it is written, repeats the page before it, or is after the page that ended the job. */
export type PagePlace = "written" | "repeated" | "after the end";

/** Maximum number of pages, or of different totals, in a reason. */
const maxShown = 10;

/** Reads the pages of a divided job in their order, as a single run would, and judges its end. */
export class StridesJudge {
  readonly #name: string;
  readonly #scroll: Scroll;
  #position: Position;
  /** Number of the next page. */
  #page = 0;
  /** The last page at which a shard ended. */
  #ended: { readonly shard: number; readonly piece: Piece } | undefined;
  readonly #warnings = new Set<string>();
  readonly #totals = new Map<string, { readonly texts: Set<string>; isPageCount: boolean }>();
  #end: { readonly piece: Piece; readonly step: Advance } | undefined;
  /** Pages after the end that have records. */
  readonly #afterEnd = { numbers: [] as number[], pages: 0, records: 0 };
  /** True if every page after the end repeats the page at which the job ended. */
  #isClamped = true;

  constructor({ scroller, evidence, dataField, start, name }: StridedUnit) {
    this.#name = name;
    this.#scroll = createScroll(scroller, { evidence, dataField });
    this.#position = start;
  }

  /**
   * Takes the next page in the order of all shards, and returns its place. Throws SpileError `data` if an earlier page is missing
   * that a single run would have written, or if paging fails.
   */
  add(shard: number, piece: Piece): PagePlace {
    const summary = summaryOf(piece.summary);
    if (this.#end === undefined && piece.page !== this.#page) throw this.#missing();
    this.#addTotals(summary);
    if (this.#end !== undefined) {
      this.#addAfterEnd(piece, this.#end.piece);
      return "after the end";
    }
    const step = this.#scroll.advance(this.#position, summary, 0);
    if (step.failure !== undefined) {
      throw new SpileError("data", step.failure.message, { job: this.#name, page: piece.page + 1 });
    }
    for (const warning of step.warnings) this.#warnings.add(warning);
    this.#page += 1;
    if (piece.ended !== undefined) this.#ended = { shard, piece };
    if (step.next === undefined) this.#end = { piece, step };
    else this.#position = step.next;
    return step.repeated ? "repeated" : "written";
  }

  /** Returns the judgement after all pages. Pages after the end, and totals on other pages, may contradict the end. */
  judgement(): Judgement {
    if (this.#end === undefined) throw this.#missing();
    const { verdict, repeated } = this.#end.step;
    if (verdict === undefined) throw new Error("a job ended without a verdict");
    const writesAfterEnd = this.#afterEnd.pages > 0 && !this.#isClamped && !(repeated && verdict.kind === "suspect");
    const pages = this.#page + (writesAfterEnd ? this.#afterEnd.pages : 0);
    const doubts = [...(writesAfterEnd ? [this.#afterEndText()] : []), ...this.#totalsText()];
    const result = { pages, writesAfterEnd, warnings: [...this.#warnings] };
    if (doubts.length === 0) return { ...result, verdict };
    const reason = `${verdict.reason}, but ${doubts.join(", and ")}: the data changed while the shards ran; run them again`;
    return { ...result, verdict: { ...verdict, kind: "suspect", reason } };
  }

  #addAfterEnd({ page, summary: { records, digest } }: Piece, { summary: last }: Piece): void {
    this.#isClamped &&= records === last.records && digest === last.digest;
    if (records === 0) return;
    this.#afterEnd.pages += 1;
    this.#afterEnd.records += records;
    if (this.#afterEnd.pages <= maxShown) this.#afterEnd.numbers.push(page + 1);
  }

  #afterEndText(): string {
    const { numbers, pages, records } = this.#afterEnd;
    const pageNumbers = numbers.join(", ") + (pages > maxShown ? ", ..." : "");
    return `${counted(records, "record")} on ${counted(pages, "page")} (${pageNumbers}) came after page ${this.#page}`;
  }

  /** Collects totals. A number that counts each page's own records is not a total, and neither is 0 on an empty page. */
  #addTotals(summary: PageSummary): void {
    for (const { kind, origin, text } of figuresOf(summary, undefined)) {
      if (kind !== "total" || (summary.records === 0 && text === "0")) continue;
      const total = this.#totals.get(signalPlaceName(origin)) ?? { texts: new Set(), isPageCount: true };
      if (total.texts.size < maxShown) total.texts.add(text);
      total.isPageCount &&= text === String(summary.records);
      this.#totals.set(signalPlaceName(origin), total);
    }
  }

  /** Describes the totals whose numbers differ between pages, including the pages after the end. */
  #totalsText(): string[] {
    return [...this.#totals].flatMap(([name, { texts, isPageCount }]) =>
      texts.size < 2 || isPageCount ? [] : [`${name} was ${[...texts].join(", ")}`],
    );
  }

  #missing(): SpileError {
    const { shard, piece } = this.#ended ?? {};
    const why = piece === undefined ? "" : `; shard ${shard} ended at page ${piece.page + 1}: ${piece.ended}`;
    const what = `page ${this.#page + 1} is missing, although a single run would have requested it${why}`;
    return new SpileError("data", `${what}; run the job without shards`, { job: this.#name });
  }
}
