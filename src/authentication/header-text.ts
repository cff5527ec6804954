/** A header's text as it is sent: trimmed; undefined where no header can carry it (RFC 9110, 5.5: Latin-1, no controls). */
export function headerText(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed !== undefined && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(trimmed) ? trimmed : undefined;
}
