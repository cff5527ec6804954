import { ESCAPED, HEXADECIMAL, is, isDigit } from "./classes";

// Every loop here ends at the zero byte behind the input: zero is neither white space nor a digit nor part of a string.

/** From inside a string to its closing quote, or to what a string cannot go on with (the input's end too). */
// @ts-ignore: decorator
@inline
export function stringEnd(start: usize): usize {
  let at = start;
  while (true) {
    let found: i32 = 0;
    while (true) {
      const block = v128.load(at);
      const control = i8x16.eq(v128.min<u8>(block, i8x16.splat(0x1f)), block);
      const quote = i8x16.eq(block, i8x16.splat(0x22));
      const backslash = i8x16.eq(block, i8x16.splat(0x5c));
      found = i8x16.bitmask(v128.or(v128.or(quote, backslash), control));
      if (found != 0) break;
      at += 16;
    }
    at += ctz(found);
    if (load<u8>(at) != 0x5c) return at;
    const escaped = <u32>load<u8>(at, 1);
    if (is(escaped, ESCAPED)) at += 2;
    else if (escaped == 0x75 && areHexadecimal(at + 2)) at += 6;
    else return at;
  }
}

// @ts-ignore: decorator
@inline
function areHexadecimal(at: usize): bool {
  return (
    is(load<u8>(at), HEXADECIMAL) &&
    is(load<u8>(at, 1), HEXADECIMAL) &&
    is(load<u8>(at, 2), HEXADECIMAL) &&
    is(load<u8>(at, 3), HEXADECIMAL)
  );
}

/** The first byte that is not white space. */
// @ts-ignore: decorator
@inline
export function whiteEnd(start: usize): usize {
  let at = start;
  while (true) {
    const block = v128.load(at);
    const space = i8x16.eq(block, i8x16.splat(0x20));
    const feed = i8x16.eq(block, i8x16.splat(0x0a));
    const carriage = i8x16.eq(block, i8x16.splat(0x0d));
    const tab = i8x16.eq(block, i8x16.splat(0x09));
    const other = ~i8x16.bitmask(v128.or(v128.or(space, feed), v128.or(carriage, tab))) & 0xffff;
    if (other != 0) return at + ctz(other);
    at += 16;
  }
}

/** The first byte that is not a digit. */
// @ts-ignore: decorator
@inline
export function digitsEnd(start: usize): usize {
  let at = start;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

/**
 * Moves bytes down to `target`, which lies below `start`. A block may be written past the end of what is moved only
 * where that falls on bytes already read.
 */
// @ts-ignore: decorator
@inline
export function moveDown(target: usize, start: usize, end: usize): void {
  let from = start;
  let to = target;
  if (start - target >= 16) {
    while (from < end) {
      v128.store(to, v128.load(from));
      from += 16;
      to += 16;
    }
    return;
  }
  while (from + 16 <= end) {
    v128.store(to, v128.load(from));
    from += 16;
    to += 16;
  }
  while (from < end) store<u8>(to++, load<u8>(from++));
}
