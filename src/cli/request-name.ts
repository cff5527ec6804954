import type { JobPlan } from "../compile/plan.ts";

/** Endpoints of a list that are shown. */
const shown = 3;

/** What a job asks for, for people: its method and its endpoint, of a list the first few. Unmasked. */
export function requestName({ method, endpoints }: JobPlan): string {
  const more = endpoints.length > shown ? [`... (${endpoints.length} in all)`] : [];
  return `${method} ${[...endpoints.slice(0, shown), ...more].join(", ")}`;
}
