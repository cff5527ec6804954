import type { HypothesisKind } from "../hypotheses/hypothesis.ts";
import { offset } from "./offset.ts";
import { pageNumber } from "./page-number.ts";
import type { Refine } from "./refinement.ts";
import { followToTheEnd } from "./to-the-end.ts";

/** Where the API leads, it is followed. */
const led: Refine = (hypothesis, _pages, prober) => followToTheEnd(hypothesis, prober);

/** What is still to be shown of a hypothesis whose second page has shown other records. */
export const refinements: { readonly [Kind in HypothesisKind]: Refine } = {
  link: led,
  address: led,
  token: led,
  "last record": led,
  cursor: led,
  offset,
  "page number": pageNumber,
};
