import type { JobPlan } from "../compile/plan.ts";

/** Endpoints of a list that are shown. */
const shownParameters = 3;

/** Returns a job's request for people: its method and its endpoint, the first few of a list. Unmasked. */
export function requestName({ method, endpoints }: JobPlan): string {
  const more = endpoints.length > shownParameters ? [`... (${endpoints.length} in all)`] : [];
  return `${method} ${[...endpoints.slice(0, shownParameters), ...more].join(", ")}`;
}
