import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import express from "express";
import { ParseServer } from "parse-server";
import { folder, life, port, recordAt, records } from "./dataset.mjs";

const database = await PGlite.create(join(folder, "database"));
const databasePort = await freePort();
const door = new PGLiteSocketServer({ db: database, host: "127.0.0.1", port: databasePort, maxConnections: 20 });
await door.start();
const url = `http://127.0.0.1:${port}/parse`;
const parse = new ParseServer({
  databaseURI: `postgres://postgres:postgres@127.0.0.1:${databasePort}/postgres?poolSize=1`,
  appId: "spile",
  masterKey: "master",
  serverURL: url,
  sessionLength: life,
  rateLimit: [],
  silent: true,
  logsFolder: null,
});
await parse.start();
// It is filled through its own API, so it listens before it is ready.
let ready = false;
const app = express();
app.use("/parse", parse.app);
app.get("/ready", (_, response) => response.sendStatus(ready ? 200 : 503));
app.listen(port, "127.0.0.1");

const headers = {
  "X-Parse-Application-Id": "spile",
  "X-Parse-Master-Key": "master",
  "Content-Type": "application/json",
};
await fill();
ready = true;

async function fill() {
  // Without a condition, the count would be PostgreSQL's estimate.
  const all = encodeURIComponent(JSON.stringify({ number: { $gte: 0 } }));
  const { count } = await ask("GET", `/classes/Tree?count=1&limit=0&where=${all}`).catch(() => ({ count: 0 }));
  if (count === 0) {
    await ask("POST", "/users", { username: "ada", password: "lovelace" });
    const requiresAuthentication = { requiresAuthentication: true };
    const fields = {
      name: "String",
      number: "Number",
      price: "Number",
      tags: "Array",
      place: "Object",
      note: "String",
    };
    await ask("POST", "/schemas/Tree", {
      className: "Tree",
      fields: Object.fromEntries(
        Object.entries({ ...fields, active: "Boolean" }).map(([name, type]) => [name, { type }]),
      ),
      classLevelPermissions: {
        find: requiresAuthentication,
        get: requiresAuthentication,
        count: requiresAuthentication,
      },
    });
  }
  // One by one, since PGlite has only one connection.
  for (let at = count; at < records; at += 1) await ask("POST", "/classes/Tree", recordAt(at));
}

async function ask(method, path, body) {
  const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
