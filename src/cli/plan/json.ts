import { printableJson } from "../../core/text/printable.ts";
import { shownAddress, shownBody, shownHeader } from "../../knowledge/credentials.ts";
import type { PlannedRequest } from "../../pipeline/planned-requests.ts";

/**
 * Returns a planned request as a line of JSON with masked texts. With `hasIterations`, the line names the iteration of the
 * request.
 */
export function plannedLine(
  { iteration, wire, page, authentication }: PlannedRequest,
  mask: (text: string) => string,
  hasIterations: boolean,
): string {
  const { method, url, headers, body } = wire;
  const visibleHeaders = [...headers.values()].map(([name, value]) => [name, shownHeader(name, value, mask)] as const);
  const job = page && { job: mask(page.plan.label), dataType: mask(page.plan.dataType) };
  const children = page?.plan.children.map(({ plan }) => mask(plan.label)) ?? [];
  const line = {
    ...(hasIterations ? { iteration: iteration + 1 } : {}),
    request: page === undefined ? "login" : page.step === undefined ? "page" : "step",
    ...(authentication === undefined ? {} : { authentication }),
    ...job,
    ...(page?.step === undefined ? {} : { step: page.step }),
    ...(page === undefined || page.number === 1 ? {} : { page: page.number, assuming: page.assuming }),
    method,
    url: shownAddress(url, mask),
    headers: Object.fromEntries(visibleHeaders),
    ...(body === undefined ? {} : { body: shownBody(body, mask) }),
    ...(page === undefined ? {} : { paging: mask(page.plan.paging()) }),
    ...(children.length === 0 ? {} : { children }),
  };
  return `${printableJson(JSON.stringify(line))}\n`;
}
