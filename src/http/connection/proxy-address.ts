/**
 * Reads the address of a proxy. Returns undefined for an address that is not http(s), and for one whose user or password holds a
 * character that ends it: its host would be a part of the password, which messages would show. Without a scheme, a user needs a
 * port after the host, because the host might be the end of a password with an `@`.
 */
export function readProxyAddress(text: string, defaultProtocol = "http:"): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const address = hasScheme ? text : `${defaultProtocol}//${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  const isSplit = `${url.pathname}${url.search}${url.hash}`.includes("@");
  const isUnclear = !hasScheme && text.includes("@") && !/:\d+\/?$/.test(text);
  return isSplit || isUnclear ? undefined : url;
}
