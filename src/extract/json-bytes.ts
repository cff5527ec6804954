/* The bytes with a meaning in JSON, and in lines of JSON. */

export const quote = 0x22;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;
export const colon = 0x3a;
export const lineFeed = 0x0a;

export const opens = 1;
export const closes = 2;
export const quotes = 3;
export const separates = 4;

/** For each byte: its meaning in the search for the end of a value, as one of the four numbers above; 0 if it has none. */
export const marks = new Uint8Array(256);
for (const byte of [openBrace, openBracket]) marks[byte] = opens;
for (const byte of [closeBrace, closeBracket]) marks[byte] = closes;
for (const byte of [comma, colon]) marks[byte] = separates;
marks[quote] = quotes;
