import type { ConfiguredPlace } from "../core/requests/request-place.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Job, Pagination, Scroller } from "../generated/configuration.ts";
import { scrollerOf } from "./multiple.ts";
import { type CheckFindings, nothingFound } from "./paging-method.ts";

type PlaceFields = {
  readonly [K in "limitParam" | "offsetParam" | "pageParam" | "queryParam" | "param"]?: ConfiguredPlace | false;
};

/** Returns the names that the paging of a job replaces in the braces of its endpoint (contract C-26.5). */
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

/** Returns a fault for each name of `endpointNames` that is not in the endpoint, and for each that is also a placeholder. */
export function checkEndpointNames(
  scroller: Scroller,
  job: Job,
  ancestors: readonly Job[],
  pointer: string,
): CheckFindings {
  const names = namesOf(scroller);
  if (names.length === 0) return nothingFound;
  const scrollEndpoint = "scrollRequest" in scroller ? scroller.scrollRequest?.endpoint : undefined;
  const endpoints = scrollEndpoint === undefined ? endpointsOf(job) : [scrollEndpoint];
  const where = scrollEndpoint === undefined ? "the endpoint" : "the endpoint of scrollRequest";
  const missingNames = names.filter((name) => endpoints.some((endpoint) => !endpoint.includes(`{${name}}`)));
  const placeholders = [job, ...ancestors].flatMap((one) => Object.keys(one.placeholders ?? {}));
  const takenNames = names.filter((name) => placeholders.some((one) => one.replace(/^1:/, "") === name));
  return {
    faults: [
      ...missingNames.map((name) => ({
        pointer: pointerTo(pointer, "endpoint"),
        message: `${where} does not contain {${name}}, which paging replaces with its value`,
      })),
      ...takenNames.map((name) => ({
        pointer: pointerTo(pointer, "endpoint"),
        message: `{${name}} is the name of a placeholder, and of a place that paging fills: give one of them another name`,
      })),
    ],
    warnings: [],
  };
}

/** Returns the endpoints of a job, except those that are expressions. */
function endpointsOf({ endpoint }: Job): readonly string[] {
  const list: readonly unknown[] = Array.isArray(endpoint) ? endpoint : [endpoint];
  return list.filter((one) => typeof one === "string");
}
