import { CLOSING, ESCAPED, fillClasses, HEXADECIMAL, is, isDigit, WHITE } from "./classes";
import { areHexadecimal, digitsEnd, moveDown, spacesEnd, specialBytes } from "./bytes";
import { LINES, LINES_SIZE, STACK, STACK_SIZE, STAGING, STAGING_SIZE } from "./layout";

// The states. In those up to `AFTER`, white space may come before the next token. Those from `STRING` to `LITERAL` are inside a
// token.
const ARRAY_FIRST: u32 = 0;
const OBJECT_FIRST: u32 = 1;
const KEY: u32 = 2;
const COLON: u32 = 3;
const VALUE: u32 = 4;
const AFTER: u32 = 5;
const STRING: u32 = 6;
const ESCAPE: u32 = 7;
const HEX: u32 = 8;
const MINUS: u32 = 9;
const ZERO: u32 = 10;
const INTEGER: u32 = 11;
const POINT: u32 = 12;
const FRACTION: u32 = 13;
const EXPONENT: u32 = 14;
const EXPONENT_SIGN: u32 = 15;
const EXPONENT_DIGITS: u32 = 16;
const LITERAL: u32 = 17;
// These two states are between the members of the object of records, where white space may come, too. The code after the `switch`
// in `scan` handles them.
const MEMBERS_FIRST: u32 = 18;
const MEMBER: u32 = 19;

// The kinds of open containers. The outermost is the array of records, one value, lines with one value each, or the object
// whose members are the records.
const RECORDS: u32 = 0;
const SINGLE: u32 = 1;
const LINED: u32 = 2;
const MEMBERS: u32 = 3;
const OBJECT: u32 = 4;
const ARRAY: u32 = 5;

// The results of `scan`.
const MORE: u32 = 0;
const DONE: u32 = 1;
const BROKEN: u32 = 2;
const TOO_DEEP: u32 = 3;
const TOO_LONG: u32 = 4;

const LITERALS = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0, 0x66, 0x61, 0x6c, 0x73, 0x65, 0, 0x6e, 0x75, 0x6c, 0x6c, 0]);

let state: u32 = VALUE;
let top: u32 = SINGLE;
let depth: u32 = 0;
let deepest: u32 = 0;
let keepsLines: bool = false;
let inKey: bool = false;
/** Number of digits read of a \\u escape. */
let hexadecimals: u32 = 0;
/** Address, in LITERALS, of the rest of the literal. */
let literal: usize = 0;
let maxLineBytes: f64 = 0;

export const staging: u32 = <u32>STAGING;
export const stagingSize: u32 = STAGING_SIZE;
export const lines: u32 = <u32>LINES;
export const linesSize: u32 = LINES_SIZE;

/** Address where the scan stopped: after the last byte that was read, or at the byte that is wrong. */
export let position: usize = 0;
/** End of the bytes that are kept. The next input to keep must be put there. */
export let end: usize = LINES;
/** End of the last whole line. */
export let lineEnd: usize = LINES;
/** Number of records since `begin`. */
export let records: f64 = 0;
/** True if an element of the array of records, or a line, was an object. */
export let objects: bool = false;
/** Number of bytes of the unfinished line that were already taken out of the memory. */
let takenBytes: f64 = 0;

fillClasses();

/**
 * Starts to read the content that `outermost` names: the array of records, after its bracket; one value; lines with one value
 * each; or the object of records, after its brace: its members become lines. `keep`: false to check the input only. `levels`:
 * maximum number of levels inside.
 */
export function begin(outermost: u32, keep: bool, levels: u32): void {
  state = outermost == RECORDS ? ARRAY_FIRST : outermost == MEMBERS ? MEMBERS_FIRST : VALUE;
  top = outermost;
  depth = 0;
  deepest = min(levels, STACK_SIZE);
  keepsLines = keep;
  records = 0;
  objects = false;
}

/** Drops all lines. `maxBytes`: maximum number of bytes of a line from now on. */
export function reset(maxBytes: f64): void {
  end = LINES;
  lineEnd = LINES;
  takenBytes = 0;
  maxLineBytes = maxBytes;
}

/** Moves the unfinished line to the front, after the caller has copied the whole lines. */
export function settle(): void {
  memory.copy(LINES, lineEnd, end - lineEnd);
  end = LINES + (end - lineEnd);
  lineEnd = LINES;
}

/** Drops the unfinished line up to `upTo`, after the caller has copied it. There must be no whole line. */
export function spill(upTo: usize): void {
  takenBytes += <f64>(upTo - LINES);
  memory.copy(LINES, upTo, end - upTo);
  end = LINES + (end - upTo);
}

/** Drops the line that was finished last. `length`: its number of bytes, with the line feed. */
export function retract(length: u32): void {
  end -= length;
  lineEnd = end;
}

/** Returns whether a number is complete if no more input comes. */
export function endsHere(): bool {
  return depth == 0 && (state == ZERO || state == INTEGER || state == FRACTION || state == EXPONENT_DIGITS);
}

/** Returns whether lines are complete if the input ends here: after a whole value, or between two lines. */
export function linesEndHere(): bool {
  return endsHere() || (depth == 0 && (state == AFTER || (state == VALUE && end == lineEnd && takenBytes == 0)));
}

/** Returns whether the last line has no line feed yet. Must be called only after `linesEndHere` has returned true. */
export function isLastLineOpen(): bool {
  return depth == 0 && state != VALUE;
}

/** Finishes a number or the last line at the end of the input. */
export function finishValue(): void {
  state = AFTER;
  records++;
  if (keepsLines) endLine();
}

function endLine(): void {
  store<u8>(end, 0x0a);
  end++;
  lineEnd = end;
  takenBytes = 0;
}

/**
 * Reads the bytes from `from` to `to`, and overwrites the 16 bytes after them. Input to keep must be at `end`. Returns `MORE`,
 * `DONE` or a fault.
 */
export function scan(from: usize, to: usize): u32 {
  v128.store(to, i64x2.splat(0));
  const keep = keepsLines;
  let at = from;
  /** Start of the bytes to keep that have not been moved. */
  let run = from;
  let out = end;
  let line = lineEnd;
  let count = records;
  let result: u32 = MORE;
  let byte: u32 = 0;
  // `window` is the start of 64 bytes. `special` has a bit for each special byte among them from `at` on (see `specialBytes`); the
  // lowest bit is the next such byte. So the next quote is known before the bytes in front of it are examined. Code that moves past
  // a special byte clears the bit of this byte, and moves the window on when no bit is left. The zero byte at `to` is never passed.
  let window = from;
  let special = specialBytes(window);
  while (special == 0) special = specialBytes((window += 64));

  while (true) {
    byte = load<u8>(at);
    switch (state) {
      case ARRAY_FIRST:
        if (byte == 0x5d) {
          at++;
          if (top == RECORDS) {
            result = DONE;
            run = at;
            break;
          }
          top = load<u8>(STACK + --depth);
          state = AFTER;
          continue;
        }
        if (is(byte, WHITE) || at == to) break;
        state = VALUE;
        continue;

      case COLON:
        if (byte != 0x3a) break;
        at++;
        state = VALUE;
        continue;

      case AFTER:
        while ((top == OBJECT && byte == 0x7d) || (top == ARRAY && byte == 0x5d)) {
          top = load<u8>(STACK + --depth);
          byte = load<u8>(++at);
        }
        if (top >= OBJECT) {
          if (byte != 0x2c) break;
          byte = load<u8>(++at);
          if (top == OBJECT) {
            state = KEY;
            continue;
          }
        } else {
          if (top == RECORDS ? byte != 0x2c && byte != 0x5d : top != SINGLE && (top == MEMBERS || byte != 0x0a)) break;
          count++;
          if (keep) {
            if (out != run) moveDown(out, run, at);
            out += at - run;
            if (takenBytes + <f64>(out - line) > maxLineBytes) {
              result = TOO_LONG;
              run = at;
              break;
            }
            store<u8>(out++, 0x0a);
            line = out;
            takenBytes = 0;
          }
          if (top == RECORDS) {
            at++;
            state = VALUE;
          } else if (top == LINED) {
            special &= special - 1;
            while (special == 0) special = specialBytes((window += 64));
            run = ++at;
            state = VALUE;
            continue;
          }
          run = at;
          if (byte != 0x2c || top == SINGLE) {
            result = DONE;
            break;
          }
          byte = load<u8>(at);
        }
      // falls through
      case VALUE:
        if (byte == 0x22) {
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          at = window + <usize>ctz(special);
          if (load<u8>(at) != 0x22) {
            state = STRING;
            inKey = false;
            continue;
          }
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          at++;
          state = AFTER;
          continue;
        }
        if (isDigit(byte) || byte == 0x2d) {
          if (byte == 0x2d) byte = load<u8>(++at);
          if (byte == 0x30) {
            at++;
            state = ZERO;
          } else if (isDigit(byte)) {
            at = digitsEnd(at + 1);
            state = INTEGER;
          } else {
            state = MINUS;
            continue;
          }
          if (is(load<u8>(at), CLOSING)) state = AFTER;
          continue;
        }
        if (byte == 0x74 || byte == 0x66 || byte == 0x6e) {
          literal = LITERALS + (byte == 0x74 ? 1 : byte == 0x66 ? 6 : 12);
          at++;
          state = LITERAL;
          continue;
        }
        state = VALUE;
        if (byte != 0x7b && byte != 0x5b) break;
        if (depth == deepest) {
          result = TOO_DEEP;
          break;
        }
        store<u8>(STACK + depth++, top);
        at++;
        if (byte == 0x5b) {
          top = ARRAY;
          state = ARRAY_FIRST;
          continue;
        }
        if (top == RECORDS || top == LINED) objects = true;
        top = OBJECT;
        state = OBJECT_FIRST;
        byte = load<u8>(at);
      // falls through
      case OBJECT_FIRST:
        if (byte == 0x7d) {
          at++;
          top = load<u8>(STACK + --depth);
          state = AFTER;
          continue;
        }
      // falls through
      case KEY:
        if (byte != 0x22) break;
        // Reads members in the usual forms: compact, or with one space after the colon and with spaces, or a line feed and
        // spaces, after the comma. The other cases handle all other forms.
        do {
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          at = window + <usize>ctz(special);
          if (load<u8>(at) != 0x22) {
            state = STRING;
            inKey = true;
            break;
          }
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          if (load<u8>(++at) != 0x3a) {
            state = COLON;
            break;
          }
          byte = load<u8>(++at);
          if (byte == 0x20) {
            if (keep) {
              if (out != run) moveDown(out, run, at);
              out += at - run;
            }
            run = ++at;
            byte = load<u8>(at);
          }
          if (byte == 0x22) {
            special &= special - 1;
            while (special == 0) special = specialBytes((window += 64));
            at = window + <usize>ctz(special);
            if (load<u8>(at) != 0x22) {
              state = STRING;
              inKey = false;
              break;
            }
            special &= special - 1;
            while (special == 0) special = specialBytes((window += 64));
            at++;
          } else if (byte - 0x31 < 9) {
            at = digitsEnd(at + 1);
            if (!is(load<u8>(at), CLOSING)) {
              state = INTEGER;
              break;
            }
          } else if (load<u32>(at) == 0x65757274 || load<u32>(at) == 0x6c6c756e) {
            at += 4;
          } else if (byte == 0x66 && load<u32>(at, 1) == 0x65736c61) {
            at += 5;
          } else {
            state = VALUE;
            break;
          }
          byte = load<u8>(at);
          if (byte != 0x2c) {
            state = AFTER;
            // From one object of an array to the next, the open containers stay the same, so they are not stored again.
            if (byte != 0x7d || load<u16>(at, 1) != 0x7b2c || load<u8>(STACK + depth - 1) != ARRAY) break;
            at += 3;
            state = OBJECT_FIRST;
            byte = load<u8>(at);
            continue;
          }
          byte = load<u8>(++at);
          state = KEY;
          if (byte == 0x0a || byte == 0x20) {
            if (keep) {
              if (out != run) moveDown(out, run, at);
              out += at - run;
            }
            if (byte == 0x0a) {
              special &= special - 1;
              while (special == 0) special = specialBytes((window += 64));
            }
            at = spacesEnd(at + 1);
            run = at;
            byte = load<u8>(at);
          }
        } while (byte == 0x22);
        continue;

      case STRING:
        at = window + <usize>ctz(special);
        byte = load<u8>(at);
        if (byte != 0x22 && byte != 0x5c) break;
        special &= special - 1;
        while (special == 0) special = specialBytes((window += 64));
        at++;
        if (byte == 0x22) {
          state = inKey ? COLON : AFTER;
          continue;
        }
        state = ESCAPE;
        byte = load<u8>(at);
      // falls through
      case ESCAPE:
        if (is(byte, ESCAPED)) {
          at++;
          state = STRING;
          if (byte != 0x22 && byte != 0x5c) continue;
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          continue;
        }
        if (byte != 0x75) break;
        at++;
        if (areHexadecimal(at)) {
          at += 4;
          state = STRING;
          continue;
        }
        hexadecimals = 0;
        state = HEX;
        continue;
      case HEX:
        if (!is(byte, HEXADECIMAL)) break;
        at++;
        if (++hexadecimals == 4) state = STRING;
        continue;

      case MINUS:
        if (!isDigit(byte)) break;
        at++;
        state = byte == 0x30 ? ZERO : INTEGER;
        continue;
      case INTEGER:
        at = digitsEnd(at);
        byte = load<u8>(at);
      // falls through
      case ZERO:
        if (byte == 0x2e) {
          at++;
          state = POINT;
          continue;
        }
        if ((byte | 0x20) == 0x65) {
          at++;
          state = EXPONENT;
          continue;
        }
        if (at == to) break;
        state = AFTER;
        continue;
      case POINT:
        if (!isDigit(byte)) break;
        state = FRACTION;
      // falls through
      case FRACTION:
        at = digitsEnd(at);
        byte = load<u8>(at);
        if ((byte | 0x20) == 0x65) {
          at++;
          state = EXPONENT;
          continue;
        }
        if (at == to) break;
        state = AFTER;
        continue;
      case EXPONENT:
        if (byte == 0x2b || byte == 0x2d) {
          at++;
          state = EXPONENT_SIGN;
          continue;
        }
      // falls through
      case EXPONENT_SIGN:
        if (!isDigit(byte)) break;
        state = EXPONENT_DIGITS;
      // falls through
      case EXPONENT_DIGITS:
        at = digitsEnd(at);
        if (at == to) break;
        state = AFTER;
        continue;

      case LITERAL:
        if (byte == 0 || byte != load<u8>(literal)) break;
        at++;
        if (load<u8>(++literal) == 0) state = AFTER;
        continue;
    }

    // The `switch` ends with a result, or with a byte that the state does not handle: white space, a byte between members of the
    // object of records, the mark of a text sequence, the input's end, or a fault.
    if (result != MORE) break;
    if ((state <= AFTER || state >= MEMBERS_FIRST) && is(byte, WHITE)) {
      if (keep) {
        if (out != run) moveDown(out, run, at);
        out += at - run;
      }
      do {
        if (byte == 0x20) {
          at = spacesEnd(at + 1);
        } else {
          special &= special - 1;
          while (special == 0) special = specialBytes((window += 64));
          at++;
        }
        byte = load<u8>(at);
        // A line feed after a value ends the line.
        if (byte == 0x0a && state == AFTER && top == LINED) break;
      } while (is(byte, WHITE));
      run = at;
      continue;
    }
    if (state >= MEMBERS_FIRST) {
      if (byte == 0x22) {
        special &= special - 1;
        while (special == 0) special = specialBytes((window += 64));
        at++;
        state = STRING;
        inKey = true;
        continue;
      }
      if (state == MEMBERS_FIRST && byte == 0x7d) {
        run = ++at;
        result = DONE;
        break;
      }
    }
    // A member of the object of records ends.
    if (state == AFTER && top == MEMBERS && (byte == 0x2c || byte == 0x7d)) {
      count++;
      if (keep) {
        if (out != run) moveDown(out, run, at);
        out += at - run;
        if (takenBytes + <f64>(out - line) > maxLineBytes) {
          result = TOO_LONG;
          run = at;
          break;
        }
        store<u8>(out++, 0x0a);
        line = out;
        takenBytes = 0;
      }
      run = ++at;
      if (byte == 0x2c) {
        state = MEMBER;
        continue;
      }
      result = DONE;
      break;
    }
    // A text sequence (RFC 7464) has a mark before each value.
    if (byte == 0x1e && state == VALUE && top == LINED) {
      special &= special - 1;
      while (special == 0) special = specialBytes((window += 64));
      run = ++at;
      continue;
    }
    if (at != to) result = BROKEN;
    break;
  }

  if (keep) {
    if (run < at) {
      if (out != run) moveDown(out, run, at);
      out += at - run;
    }
    if (result == MORE && takenBytes + <f64>(out - line) > maxLineBytes) result = TOO_LONG;
    end = out;
    lineEnd = line;
  }
  records = count;
  position = at;
  return result;
}
