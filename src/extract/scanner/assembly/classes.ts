/** The class of each byte value. The compiler places such tables below the areas of `layout.ts`. */
const CLASSES = memory.data(256);

/** Space, tab, line feed, carriage return. */
export const WHITE: u32 = 1;
/** A hexadecimal digit. */
export const HEXADECIMAL: u32 = 2;
/** Characters that may follow a backslash, except `u`. */
export const ESCAPED: u32 = 4;
/** Bytes that may follow a value: a comma or a closing bracket. */
export const CLOSING: u32 = 8;

function mark(from: u32, to: u32, bit: u32): void {
  for (let byte = from; byte <= to; byte++) store<u8>(CLASSES + byte, load<u8>(CLASSES + byte) | bit);
}

/** Fills the table. Runs once, when the module starts. */
export function fillClasses(): void {
  mark(0x20, 0x20, WHITE);
  mark(0x09, 0x0a, WHITE);
  mark(0x0d, 0x0d, WHITE);
  mark(0x30, 0x39, HEXADECIMAL); // 0-9
  mark(0x41, 0x46, HEXADECIMAL); // A-F
  mark(0x61, 0x66, HEXADECIMAL); // a-f
  mark(0x22, 0x22, ESCAPED); // "
  mark(0x2f, 0x2f, ESCAPED); // /
  mark(0x5c, 0x5c, ESCAPED); // \
  mark(0x62, 0x62, ESCAPED); // b
  mark(0x66, 0x66, ESCAPED); // f
  mark(0x6e, 0x6e, ESCAPED); // n
  mark(0x72, 0x72, ESCAPED); // r
  mark(0x74, 0x74, ESCAPED); // t
  mark(0x2c, 0x2c, CLOSING); // ,
  mark(0x5d, 0x5d, CLOSING); // ]
  mark(0x7d, 0x7d, CLOSING); // }
}

// @ts-ignore: decorator
@inline
export function is(byte: u32, bit: u32): bool {
  return (load<u8>(CLASSES + byte) & bit) != 0;
}

// @ts-ignore: decorator
@inline
export function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}
