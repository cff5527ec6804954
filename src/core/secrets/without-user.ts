/**
 * Replaces user and password by `***` in a faulty address that a message shows. A password may contain any character, so everything
 * up to the last `@` is replaced, even a host before an `@` in the path.
 */
export function withoutUser(text: string): string {
  const end = text.lastIndexOf("@");
  if (end < 0) return text;
  const [scheme = ""] = /^\s*[a-z][a-z0-9+.-]*:[\\/]{1,2}/i.exec(text) ?? [];
  return `${scheme.length > end ? "" : scheme}***${text.slice(end)}`;
}
