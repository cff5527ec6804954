import { decodeForm } from "./request.ts";

/** Names of headers whose values are credentials, wherever they come from. */
const credentials = /auth|token|secret|passw|cookie|credential|signature|api-?key|access-?key/i;

/** Does a parameter's name say that its value is a credential? */
export function isCredential(name: string): boolean {
  return credentials.test(name) || name.toLowerCase() === "sig";
}

/** A shorter value would mask half of every message. */
const shortestCarried = 8;

/** The credentials that an address carries in its query, decoded: the signature of a download, a token. */
export function carriedCredentials(address: string): readonly string[] {
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  return query.split("&").flatMap((pair) => {
    const equals = pair.indexOf("=");
    const value = equals < 0 ? "" : decodeForm(pair.slice(equals + 1));
    return value.length >= shortestCarried && isCredential(decodeForm(pair.slice(0, equals))) ? [value] : [];
  });
}

/** A header's value fit to be shown: `mask` applied; of credentials by the header's name only a scheme is left. */
export function shownHeader(name: string, value: string, mask: (text: string) => string): string {
  const masked = mask(value);
  if (!credentials.test(name)) return masked;
  const scheme = /^(?:Basic|Bearer|Token|OAuth|AWS4-HMAC-SHA256|Digest) (?=.)/i.exec(masked)?.[0] ?? "";
  return `${scheme}***`;
}

/** An address as it is shown, secrets masked; an asterisk that stands for one has been percent-encoded. */
export function shownAddress(url: string, mask: (text: string) => string): string {
  return mask(url).replaceAll("%2A%2A%2A", "***");
}
