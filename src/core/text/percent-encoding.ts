/** Encodes all characters except unreserved ones (RFC 3986), in UTF-8. A lone surrogate becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percentEncodeByte);
}

/** Encodes a byte as `%XX`. `byte`: the character with the code of the byte. */
export function percentEncodeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
