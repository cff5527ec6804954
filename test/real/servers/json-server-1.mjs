import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { folder, port, recordAt, records } from "./dataset.mjs";

const file = join(folder, "db.json");
writeFileSync(
  file,
  JSON.stringify({
    trees: Array.from({ length: records }, (_, index) => ({ id: `${index + 1}`, ...recordAt(index) })),
  }),
);
process.argv.splice(2, Infinity, file, "--port", `${port}`, "--host", "127.0.0.1");
await import(pathToFileURL(join(process.cwd(), "node_modules/json-server/lib/bin.js")).href);
