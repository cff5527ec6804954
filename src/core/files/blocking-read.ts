import { readFileSync, statSync } from "node:fs";

/** Reads a file or a descriptor synchronously. A pipe is read inside the guard that the command line has set. */
export function readWholeNow(path: string | number): Buffer {
  const isPipe = typeof path === "number" || statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  return isPipe ? guard(() => readFileSync(path)) : readFileSync(path);
}

type Guard = (read: () => Buffer) => Buffer;

let guard: Guard = (read) => read();

/** Sets a function that calls reads that may block the whole process. With it the command line lets signals end the process. */
export function guardBlockingReads(given: Guard): void {
  guard = given;
}
