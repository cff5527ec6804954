import { exactNumber } from "../../../core/value.ts";
import type { RequestDescription } from "../../request-description.ts";
import { type Given, givenParameters } from "./first-page.ts";
import { isPosition } from "./places.ts";

/** The number that a list begins with, where another one is given; undefined where none is, or it counts nothing. */
function beginning(given: Given): number | undefined {
  const kind = isPosition(given);
  const start = kind === "page" || given.plain === "startindex" ? 1 : 0;
  return (kind === "page" || kind === "offset") && Number(given.value) > start ? start : undefined;
}

/**
 * The request taken back to where the list begins: a page number above 1 becomes 1, an offset 0, a token goes. Only its
 * parameters are looked at, those at the top of a body too; `notes` say what was changed.
 */
export function fromBeginning(description: RequestDescription): {
  readonly description: RequestDescription;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const params = description.params.flatMap((parameter) => {
    const [given] = givenParameters({
      ...description,
      address: new URL(description.address).origin,
      params: [parameter],
      headers: [],
    });
    const kind = given === undefined || given.place !== given.name ? undefined : isPosition(given);
    const first = given === undefined || kind === undefined ? undefined : beginning(given);
    if (first !== undefined) {
      notes.push(`"${parameter.name}" was ${Number(parameter.value)}: the list is taken from its beginning, ${first}`);
      return [{ name: parameter.name, value: exactNumber(String(first)) }];
    }
    if (kind !== "token") return [parameter];
    notes.push(
      `"${parameter.name}" is left out: it says where one page began, and the list is taken from its beginning`,
    );
    return [];
  });
  const headers = description.headers.map((header): readonly [string, string] => {
    const [given] = givenParameters({
      ...description,
      address: new URL(description.address).origin,
      params: [],
      headers: [header],
    });
    const first = given === undefined ? undefined : beginning(given);
    if (first === undefined) return header;
    notes.push(`the header ${header[0]} was ${header[1]}: the list is taken from its beginning, ${first}`);
    return [header[0], `${first}`];
  });
  return { description: { ...description, params, headers }, notes };
}
