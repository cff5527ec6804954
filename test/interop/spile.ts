import { fileURLToPath } from "node:url";

/** The built command; `npm run build` makes it. */
export const bin = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
