import { writeFileSync } from "node:fs";
import { join } from "node:path";
import jsonServer from "json-server";
import { folder, port, recordAt, records } from "./dataset.mjs";

const file = join(folder, "db.json");
writeFileSync(
  file,
  JSON.stringify({ trees: Array.from({ length: records }, (_, index) => ({ id: index + 1, ...recordAt(index) })) }),
);
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router(file));
app.listen(port, "127.0.0.1");
