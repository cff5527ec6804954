import { exactNumber } from "../../core/value.ts";
import type { RequestDescription } from "../request-description.ts";
import { givenParameters } from "./first-page.ts";
import { isPosition } from "./places.ts";

/**
 * The request taken back to where the list begins: a page number above 1 becomes 1, an offset 0, a token goes. Only its
 * parameters are looked at, those at the top of a body too; `notes` say what was changed.
 */
export function rewind(description: RequestDescription): {
  readonly description: RequestDescription;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const params = description.params.flatMap((parameter) => {
    const [given] = givenParameters({
      ...description,
      address: new URL(description.address).origin,
      params: [parameter],
    });
    const kind = given === undefined || given.place !== given.name ? undefined : isPosition(given);
    const number = Number(parameter.value);
    const start = given?.plain === "startindex" ? 1 : 0;
    const first = kind === "page" && number > 1 ? 1 : kind === "offset" && number > start ? start : undefined;
    if (first !== undefined) {
      notes.push(`"${parameter.name}" was ${number}: the list is taken from its beginning, ${first}`);
      return [{ name: parameter.name, value: exactNumber(String(first)) }];
    }
    if (kind !== "token") return [parameter];
    notes.push(
      `"${parameter.name}" is left out: it says where one page began, and the list is taken from its beginning`,
    );
    return [];
  });
  return { description: { ...description, params }, notes };
}
