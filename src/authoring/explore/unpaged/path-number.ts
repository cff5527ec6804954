import { compareRecords } from "../first-answer/same-records.ts";
import { othersText, type Prober, requestText } from "../trials/prober.ts";

/** A number in the path of an address. */
interface PathNumber {
  readonly number: number;
  /** The address with the number after it. */
  readonly next: string;
  /** `page`: a word says that it counts pages. `file`: `users/2.json`. `id`: it may as well be one. */
  readonly kind: "page" | "file" | "id";
}

/**
 * Where the path holds a number that may count pages, the API is asked for the next one. No paging can count there, so nothing is
 * written; answers what has shown that there is more, "" where nothing has.
 */
export async function otherPath(prober: Prober): Promise<string> {
  const found = numberInPath(prober.page.description.address);
  if (found === undefined) return "";
  const { number, next, kind } = found;
  const { pages, trouble, refused } = await prober.at(next).try({ method: "none" }, [], 1);
  const [answer] = pages;
  if (kind === "page" && refused)
    return `the path names page ${number}; the next one was not tried, as ${prober.why()}`;
  if (refused || trouble !== "" || answer === undefined)
    return kind === "page" && number > 1 ? `the path names page ${number}` : "";
  const others = othersText(answer, compareRecords(prober.page.place.records, answer.records));
  if (others === "") return kind === "page" && number > 1 ? `the path names page ${number}` : "";
  if (kind !== "id") return `${others}: the path counts pages, which no paging can do (a list of endpoints can)`;
  const text = `the path ends with a number, and ${requestText(answer.exchanged)} gave other records: should it count pages, there are more`;
  prober.tell({ kind: "note", text });
  return "";
}

/** The number behind a word for pages, else the one that the path ends with. */
function numberInPath(address: string): PathNumber | undefined {
  const url = new URL(address);
  const patterns = [
    ["page", /(?<=\/(?:pages?|p|pg|page-?(?:no|number))[/-])[0-9]{1,6}(?=$|[/.])/i],
    ["file", /(?<=\/)[0-9]{1,6}(?=\.[a-z]+$)/i],
    ["id", /(?<=\/)[0-9]{1,6}(?=\/?$)/],
  ] as const;
  for (const [kind, pattern] of patterns) {
    const number = Number(pattern.exec(url.pathname)?.[0] ?? Number.NaN);
    if (Number.isNaN(number)) continue;
    url.pathname = url.pathname.replace(pattern, `${number + 1}`);
    return { number, next: url.href, kind };
  }
  return undefined;
}
