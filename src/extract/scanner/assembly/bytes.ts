import { HEXADECIMAL, is } from "./classes";

// Searches for an end always stop: the zero byte after the input is neither a space nor a digit.

/**
 * Returns 64 bits for the 64 bytes from `start`, the first byte in the lowest bit. A bit is set if its byte is a quote, a
 * backslash or below 0x20: a string ends, or needs a closer look, at the next such byte. The zero byte after the input is such a
 * byte, too.
 */
// @ts-ignore: decorator
@inline
export function specialBytes(start: usize): u64 {
  return (
    specialBits(v128.load(start)) |
    (specialBits(v128.load(start, 16)) << 16) |
    (specialBits(v128.load(start, 32)) << 32) |
    (specialBits(v128.load(start, 48)) << 48)
  );
}

// @ts-ignore: decorator
@inline
function specialBits(block: v128): u64 {
  const control = i8x16.eq(v128.min<u8>(block, i8x16.splat(0x1f)), block);
  const quote = i8x16.eq(block, i8x16.splat(0x22));
  const backslash = i8x16.eq(block, i8x16.splat(0x5c));
  return <u64>i8x16.bitmask(v128.or(v128.or(quote, backslash), control));
}

// @ts-ignore: decorator
@inline
export function areHexadecimal(at: usize): bool {
  return (
    is(load<u8>(at), HEXADECIMAL) &&
    is(load<u8>(at, 1), HEXADECIMAL) &&
    is(load<u8>(at, 2), HEXADECIMAL) &&
    is(load<u8>(at, 3), HEXADECIMAL)
  );
}

/** Returns the address of the first byte that is not a space. */
// @ts-ignore: decorator
@inline
export function spacesEnd(start: usize): usize {
  let at = start;
  while (true) {
    const other = ~i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x20))) & 0xffff;
    if (other != 0) return at + ctz(other);
    at += 16;
  }
}

/**
 * Returns the address of the first byte that is not a digit. Examines 16 bytes in each step: with a branch for each digit, the
 * processor could not predict where a number ends.
 */
// @ts-ignore: decorator
@inline
export function digitsEnd(start: usize): usize {
  let at = start;
  while (true) {
    const value = i8x16.sub(v128.load(at), i8x16.splat(0x30));
    const other = ~i8x16.bitmask(i8x16.eq(v128.min<u8>(value, i8x16.splat(9)), value)) & 0xffff;
    if (other != 0) return at + ctz(other);
    at += 16;
  }
}

/**
 * Moves bytes down to `target`, which is below `start`. A block may be written past the end of the moved bytes, but only
 * over bytes that were already read.
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
