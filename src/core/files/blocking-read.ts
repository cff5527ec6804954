import { readFileSync, statSync } from "node:fs";

/** Reads a file, or a descriptor, at once, for code that cannot wait. A pipe is read in the guard that the command has set. */
export function readWholeNow(path: string | number): Buffer {
  const isPipe = typeof path === "number" || statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  return isPipe ? guard(() => readFileSync(path)) : readFileSync(path);
}

type Guard = (read: () => Buffer) => Buffer;

let guard: Guard = (read) => read();

/** Sets what stands around reads that may block the whole process. The command lets signals end it meanwhile. */
export function guardBlockingReads(given: Guard): void {
  guard = given;
}
