import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's space for young objects as small as it is in a new process, some 4 MB. V8 doubles the space if many objects survive, for
 * example while a large configuration is read. It grows up to 32 MB and never shrinks, but does not make requests faster. If the user
 * gives Node a size, that size stays.
 */
export function keepYoungGenerationSmall(): void {
  const nodeFlags = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ");
  if (/semi[-_]space/.test(nodeFlags)) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  // The flag is reset because V8 rejects cached code if its flags differ from those of a new process; see src/code-cache.ts.
  process.prependOnceListener("exit", () => setFlagsFromString("--semi-space-growth-factor=2"));
}
