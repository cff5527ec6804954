import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { folder, port, records } from "./dataset.mjs";

const { runServer } = createRequire(import.meta.url)("verdaccio");
const storage = join(folder, "storage");
const names = Array.from({ length: records }, (_, index) => `tree-${`${index}`.padStart(6, "0")}`);
for (const name of names) {
  mkdirSync(join(storage, name), { recursive: true });
  const version = { name, version: "1.0.0", description: "a tree", dist: { tarball: `http://127.0.0.1/${name}.tgz` } };
  const time = "2026-01-01T00:00:00.000Z";
  const manifest = {
    name,
    versions: { "1.0.0": version },
    time: { created: time, modified: time, "1.0.0": time },
    "dist-tags": { latest: "1.0.0" },
    _uplinks: {},
    _distfiles: {},
    _attachments: {},
    _rev: "1-0",
  };
  writeFileSync(join(storage, name, "package.json"), JSON.stringify(manifest));
}
writeFileSync(join(storage, ".verdaccio-db.json"), JSON.stringify({ list: names, secret: "a".repeat(32) }));
const server = await runServer({
  storage,
  self_path: folder,
  packages: { "**": { access: "$all" } },
  log: { type: "stdout", level: "fatal" },
});
server.listen(port, "127.0.0.1");
