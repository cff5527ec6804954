type Header = readonly [name: string, value: string];

/**
 * Headers that spile sets itself, and headers that ask for an answer only under a condition. The value is the reason that a note
 * gives; undefined if the header needs no note.
 */
const omittedHeaders: ReadonlyMap<string, string | undefined> = new Map([
  ["accept-encoding", undefined],
  ["connection", undefined],
  ["content-length", undefined],
  ["host", "it comes from the address"],
  ["keep-alive", undefined],
  ["proxy-connection", undefined],
  ["te", undefined],
  ["transfer-encoding", undefined],
  ["upgrade", undefined],
  ["if-match", "it asks for an answer only if something has not changed"],
  ["if-modified-since", "it asks for an answer only if something has changed"],
  ["if-none-match", "it asks for an answer only if something has changed"],
  ["if-unmodified-since", "it asks for an answer only if something has not changed"],
]);

/** Headers that browsers add themselves, and pseudo-headers of HTTP/2 such as `:path`. */
const browserHeaders = /^(?:sec-.*|:.*|cache-control|dnt|pragma|priority|upgrade-insecure-requests|x-client-data)$/i;

/**
 * Returns the headers that a configuration needs, the last one of each name, and notes on those that are left out. A request with
 * a body gets its Content-Type from its method.
 */
export function configurableHeaders(
  headers: readonly Header[],
  { hasBody }: { readonly hasBody: boolean },
): { readonly headers: readonly Header[]; readonly notes: readonly string[] } {
  const lastByName = new Map<string, Header>();
  const notes: string[] = [];
  const namesFromBrowser: string[] = [];
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (omittedHeaders.has(key)) {
      const note = omittedHeaders.get(key);
      if (note !== undefined) notes.push(`the header ${name} is left out: ${note}`);
    } else if (browserHeaders.test(name)) namesFromBrowser.push(name);
    else if (!(hasBody && key === "content-type")) lastByName.set(key, [name, value]);
  }
  if (namesFromBrowser.length > 0)
    notes.push(`headers that browsers add for themselves are left out: ${namesFromBrowser.join(", ")}`);
  return { headers: [...lastByName.values()], notes };
}
