import type { JobPlan } from "../compile/plan.ts";

/** Maximum number of endpoints of a list that are shown. */
const maxEndpoints = 3;

/** Describes a job's request for people: its method and its endpoint, or the first few of several. Secrets are not masked. */
export function requestName({ method, endpoints }: JobPlan): string {
  const more = endpoints.length > maxEndpoints ? [`... (${endpoints.length} in all)`] : [];
  return `${method} ${[...endpoints.slice(0, maxEndpoints), ...more].join(", ")}`;
}
