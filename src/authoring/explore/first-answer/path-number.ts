/** A number in the path of an address. */
export interface PathNumber {
  readonly number: number;
  /**
   * `counts`: the path ends with `page/2` or the like, so the number counts pages. `page`: it follows a word for pages, but may be
   * the id of a page. `file`: `users/2.json`. `id`: any other number at the end, which may be an id.
   */
  readonly kind: "counts" | "page" | "file" | "id";
  /** Returns the address with `text` instead of the number. */
  withText(text: string): string;
}

const patterns = [
  ["counts", /(?<=\/page(?:[-_]?(?:no|num|number))?[/-])[0-9]{1,6}(?=\/?$|\.[a-z]+$)/i],
  ["page", /(?<=\/(?:pages?|p|pg|page-?(?:no|number))[/-])[0-9]{1,6}(?=$|[/.])/i],
  ["file", /(?<=\/)[0-9]{1,6}(?=\.[a-z]+$)/i],
  ["id", /(?<=\/)[0-9]{1,6}(?=\/?$)/],
] as const;

/** Returns the number after a word for pages, else the number at the end of the path; undefined if there is neither. */
export function numberInPath(address: string): PathNumber | undefined {
  const url = new URL(address);
  const { pathname } = url;
  for (const [kind, pattern] of patterns) {
    const number = Number(pattern.exec(pathname)?.[0] ?? Number.NaN);
    if (Number.isNaN(number)) continue;
    const withText = (text: string): string => {
      url.pathname = pathname.replace(pattern, text);
      return url.href;
    };
    return { number, kind, withText };
  }
  return undefined;
}
