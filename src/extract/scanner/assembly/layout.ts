/**
 * Fixed places in the module's one mebibyte of memory. After every input area there is room for the 16 zero bytes that `scan`
 * puts after the input, and for the 64 bytes that it may look ahead.
 */

/** For each open container: the kind of the container around it, in one byte. */
export const STACK: usize = 0x1000;
export const STACK_SIZE: u32 = 0x10000;
/** Input that is only checked. */
export const STAGING: usize = 0x14000;
export const STAGING_SIZE: u32 = 0x40000;
/** Finished lines, the unfinished line, and after them the next input. Records only shrink, so lines are written over their input. */
export const LINES: usize = 0x58000;
export const LINES_SIZE: u32 = 0x80000;
