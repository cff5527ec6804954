import LinkHeader from "http-link-header";

/**
 * The target of the first link with a relation in a `Link` header (RFC 8288); several headers are joined by commas. One with
 * `results="false"` leads to nothing, as Sentry says beside the next page that there is not. undefined where there is none,
 * or where the header is not one.
 */
export function linkTarget(header: string, relation: string): string | undefined {
  try {
    const links = LinkHeader.parse(tidy(header)).rel(relation);
    return links.find(({ results }) => results !== "false")?.uri.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The library trips over white space before a separator, over empty elements of the list, and over parameters in another
 * charset (`title*`), none of which say anything of a link's target and relation.
 */
function tidy(header: string): string {
  const pieces = header.match(/<[^>]*>|"(?:[^"\\]|\\.)*"|[^<"]+|["<]/g) ?? [];
  const tidied = pieces.map((piece) => (/^[<"]/.test(piece) ? piece : tidyBetween(piece)));
  return tidied.join("").replace(/^,|,$/g, "");
}

/** What stands between targets and quoted values. */
function tidyBetween(piece: string): string {
  return piece
    .replace(/\s+/g, " ")
    .replace(/ ?([,;=]) ?/g, "$1")
    .replace(/;[^;,=]*\*=[^;,]*/g, "")
    .replace(/,{2,}/g, ",");
}
