import { writeFileSync } from "node:fs";
import { join } from "node:path";
import express from "express";
import expressPouchDb from "express-pouchdb";
import PouchDb from "pouchdb-node";
import { folder, life, port, recordAt, records } from "./dataset.mjs";

const configPath = join(folder, "config.json");
writeFileSync(
  configPath,
  JSON.stringify({ admins: { ada: "lovelace" }, couch_httpd_auth: { timeout: life, allow_persistent_cookies: false } }),
);
const Databases = PouchDb.defaults({ prefix: `${folder}/` });
const app = express();
// This comes first, since it keeps the list of databases.
app.use(expressPouchDb(Databases, { configPath, logPath: join(folder, "log.txt") }));
for (const name of ["trees", "own"]) {
  const database = new Databases(name);
  if ((await database.info()).doc_count === records) continue;
  await database.bulkDocs(
    Array.from({ length: records }, (_, index) => ({ _id: `tree-${`${index}`.padStart(6, "0")}`, ...recordAt(index) })),
  );
  if (name === "own") await database.putSecurity({ members: { names: ["ada"], roles: [] } });
}
app.listen(port, "127.0.0.1");
