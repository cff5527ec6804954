type Header = readonly [name: string, value: string];

/** Headers that a client sets itself, or that ask for less than the whole answer. Those whose loss matters have a note. */
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

/** Headers that browsers add themselves. */
const browserHeaders = /^(?:sec-.*|:.*|cache-control|dnt|pragma|priority|upgrade-insecure-requests|x-client-data)$/i;

/** Returns the headers that are worth configuring, only the last one of each name, and notes on those whose loss may matter. */
export function configurableHeaders(
  headers: readonly Header[],
  { hasBody }: { readonly hasBody: boolean },
): { readonly headers: readonly Header[]; readonly notes: readonly string[] } {
  const lastByName = new Map<string, Header>();
  const notes: string[] = [];
  const browser: string[] = [];
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (omittedHeaders.has(key)) {
      const note = omittedHeaders.get(key);
      if (note !== undefined) notes.push(`the header ${name} is left out: ${note}`);
    } else if (browserHeaders.test(name)) browser.push(name);
    else if (!(hasBody && key === "content-type")) lastByName.set(key, [name, value]);
  }
  if (browser.length > 0) notes.push(`headers that browsers add for themselves are left out: ${browser.join(", ")}`);
  return { headers: [...lastByName.values()], notes };
}
