import { createServer } from "node:http";
import Nedb from "@seald-io/nedb";
import createOdata from "simple-odata-server";
import adapter from "simple-odata-server-nedb";
import { port, recordAt, records } from "./dataset.mjs";

const trees = Array.from({ length: records }, (_, index) => {
  const { name, number, price, active } = recordAt(index);
  return { _id: `${index}`.padStart(6, "0"), name, number, price, active };
});
const database = new Nedb({ inMemoryOnly: true });
await database.insertAsync(trees);
const text = { type: "Edm.String" };
const odata = createOdata(`http://127.0.0.1:${port}`)
  .model({
    namespace: "trees",
    entityTypes: {
      TreeType: {
        _id: { ...text, key: true },
        name: text,
        number: { type: "Edm.Int32" },
        price: { type: "Edm.Double" },
        active: { type: "Edm.Boolean" },
      },
    },
    entitySets: { trees: { entityType: "trees.TreeType" } },
  })
  .adapter(adapter((_, done) => done(null, database)));
createServer((request, response) => odata.handle(request, response)).listen(port, "127.0.0.1");
