/**
 * Reads the address of a proxy. Returns undefined for an address that is not http(s). Returns undefined, too, if a part of the password
 * may be read as the host, which messages show: if the user or the password contains an unencoded `/`, `?` or `#`, which ends the host,
 * or if an address with a user has neither a scheme nor a port at its end.
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
