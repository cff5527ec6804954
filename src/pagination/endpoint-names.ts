import type { ConfiguredPlace } from "../core/requests/request-place.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Job, Pagination, Scroller } from "../generated/configuration.ts";
import { scrollerOf } from "./multiple.ts";
import { type CheckFindings, nothingFound } from "./paging-method.ts";

type PlaceFields = {
  readonly [K in "limitParam" | "offsetParam" | "pageParam" | "queryParam" | "param"]?: ConfiguredPlace | false;
};

/** Returns the names in the braces of an endpoint that the paging of a job fills (contract C-26.5). */
export function endpointNames(pagination: Pagination | undefined, job: Pick<Job, "scroller">): readonly string[] {
  const scroller = scrollerOf(job, pagination);
  return scroller === undefined ? [] : namesOf(scroller);
}

function namesOf(scroller: Scroller): readonly string[] {
  const { limitParam, offsetParam, pageParam, queryParam, param } = scroller as Scroller & PlaceFields;
  return [limitParam, offsetParam, pageParam, queryParam, param].flatMap((place) =>
    typeof place === "object" && place.endpoint !== undefined ? [place.endpoint] : [],
  );
}

/** Returns the faults of a job whose endpoint lacks the braces that its paging fills, or that has placeholders with these names. */
export function checkEndpointNames(
  scroller: Scroller,
  job: Job,
  ancestors: readonly Job[],
  pointer: string,
): CheckFindings {
  const names = namesOf(scroller);
  if (names.length === 0) return nothingFound;
  const scrolled = "scrollRequest" in scroller ? scroller.scrollRequest?.endpoint : undefined;
  const endpoints = scrolled === undefined ? endpointsOf(job) : [scrolled];
  const where = scrolled === undefined ? "the endpoint" : "the endpoint of scrollRequest";
  const missingNames = names.filter((name) => endpoints.some((endpoint) => !endpoint.includes(`{${name}}`)));
  const placeholders = [job, ...ancestors].flatMap((one) => Object.keys(one.placeholders ?? {}));
  const takenNames = names.filter((name) => placeholders.some((one) => one.replace(/^1:/, "") === name));
  return {
    faults: [
      ...missingNames.map((name) => ({
        pointer: pointerTo(pointer, "endpoint"),
        message: `${where} holds no {${name}}, which paging replaces with its value`,
      })),
      ...takenNames.map((name) => ({
        pointer: pointerTo(pointer, "endpoint"),
        message: `{${name}} is the name of a placeholder, and of a place that paging fills: give one of them another name`,
      })),
    ],
    warnings: [],
  };
}

/** Returns the endpoints of a job that are written as texts. */
function endpointsOf({ endpoint }: Job): readonly string[] {
  const list: readonly unknown[] = Array.isArray(endpoint) ? endpoint : [endpoint];
  return list.filter((one) => typeof one === "string");
}
