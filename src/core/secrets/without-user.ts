/**
 * Replaces user and password in an address that is to be shown though it could not be read. A password may hold any
 * character, so everything up to the last `@` goes, even if that takes a host in front of an `@` in the path.
 */
export function withoutUser(text: string): string {
  const end = text.lastIndexOf("@");
  if (end < 0) return text;
  const [scheme = ""] = /^\s*[a-z][a-z0-9+.-]*:[\\/]{1,2}/i.exec(text) ?? [];
  return `${scheme.length > end ? "" : scheme}***${text.slice(end)}`;
}
