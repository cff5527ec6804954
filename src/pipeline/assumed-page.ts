import { type PageSummary, type Watched, watchKey } from "../core/runs/page.ts";
import type { Position, Scroll } from "../pagination/scroll.ts";

/** The text that stands in for values that only a response would give. */
const invented = "INVENTED";

/** A later position of a job, found without a response, and the assumptions behind it. */
export interface AssumedPosition {
  readonly position: Position;
  readonly assuming: string;
}

/**
 * Returns the position of page `number` (from 2), assuming that the pages before it are full, or contain invented values that
 * name a next page. Undefined if the job would end before that page in any case.
 */
export function assumedPosition(
  scroll: Scroll,
  first: Position,
  { number, url, now }: { readonly number: number; readonly url: string; readonly now: number },
): AssumedPosition | undefined {
  let position = first;
  let assuming = "every page before it is full";
  for (let page = 1; page < number; page += 1) {
    const ahead = scroll.ahead(position);
    const next = ahead ?? inventedNext(scroll, position, { page, url, now });
    if (next === undefined) return undefined;
    if (ahead === undefined)
      assuming = `${invented} and ${1000 * page} stand in for values from the response before it`;
    position = next;
  }
  return { position, assuming };
}

/** Some jobs continue only if a flag is true, others only if it is false. So a text, true and false are tried for each watched value. */
const values: readonly Watched[] = [
  { type: "string", text: invented, empty: false },
  { type: "boolean", text: "true", empty: false },
  { type: "boolean", text: "false", empty: false },
];

function inventedNext(
  scroll: Scroll,
  position: Position,
  options: { readonly page: number; readonly url: string; readonly now: number },
): Position | undefined {
  for (const watched of combinations(scroll.watch.map(watchKey))) {
    const { next } = scroll.advance(
      position,
      { ...summaryOf(watched, options), last: inventedRecord(scroll) },
      options.now,
    );
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Returns the combinations of values for the watched places; if there are more than four places, only for the first four. */
function combinations(keys: readonly string[]): readonly ReadonlyMap<string, Watched>[] {
  return keys
    .slice(0, 4)
    .reduce<readonly ReadonlyMap<string, Watched>[]>(
      (all, key) => values.flatMap((value) => all.map((one) => new Map([...one, [key, value]]))),
      [new Map()],
    );
}

function summaryOf(
  watched: ReadonlyMap<string, Watched>,
  { page, url }: { readonly page: number; readonly url: string },
): Omit<PageSummary, "last"> {
  const id = String(1000 * page);
  return {
    // No page can hold this many records, so the page is not short, whatever its size.
    records: Number.MAX_SAFE_INTEGER,
    bytes: 0,
    url,
    ended: "document",
    status: 200,
    watched,
    evidence: [],
    header: (name) => (name.toLowerCase() === "link" ? `<${invented}>; rel="next"` : invented),
    beginning: undefined,
    single: false,
    dropped: 0,
    digest: id,
    found: true,
    elsewhere: undefined,
    extremes: { minimum: id, maximum: id },
  };
}

function inventedRecord({ lastRecord }: Scroll): PageSummary["last"] {
  return new Map(lastRecord.map((path) => [watchKey(path), { type: "string", text: invented, empty: false }]));
}
