import express from "express";
import { jsonGraphqlExpress } from "json-graphql-server/node";
import { port, recordAt, records } from "./dataset.mjs";

const trees = Array.from({ length: records }, (_, index) => {
  const { name, number, price, active } = recordAt(index);
  return { id: index, name, number, price, active };
});
const app = express();
app.use("/graphql", jsonGraphqlExpress({ trees }));
app.get("/all", (_, response) => response.json(trees.map((tree) => ({ ...tree, id: `${tree.id}` }))));
app.listen(port, "127.0.0.1");
