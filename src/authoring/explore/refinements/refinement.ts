import type { ValueObject } from "../../../core/value.ts";
import { fieldsOf } from "../first-answer/first-page.ts";
import { flagField } from "../first-answer/places.ts";
import type { Hypothesis } from "../hypotheses/hypothesis.ts";
import type { Prober, Refined, TriedPage } from "../trials/prober.ts";

/** Shows what is left to be shown of a hypothesis whose second page has other records. A text says why it does not hold. */
export type Refine = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<Refined | string>;

/** The records of the first page that a paging asks for; undefined where that could not be tried. */
export async function startingWith(
  paging: ValueObject,
  drops: readonly string[],
  prober: Prober,
): Promise<TriedPage["records"] | undefined> {
  const { pages, trouble, refused } = await prober.try(paging, drops, 1);
  return refused || trouble !== "" ? undefined : pages[0]?.records;
}

/** `nextPageFlag`, where both pages carry the flag. */
export function flagOn(second: TriedPage, { told, page }: Prober): ValueObject | undefined {
  const { flag } = told;
  if (flag === undefined || !flag.more) return undefined;
  const again = fieldsOf(second.document, page.place.path).some(
    ({ path, value }) => typeof value === "boolean" && path.join("\0") === flag.field.path.join("\0"),
  );
  return again ? { field: flagField(flag.field), stopOn: flag.stopOn } : undefined;
}
