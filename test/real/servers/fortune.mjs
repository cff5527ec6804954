import { createServer } from "node:http";
import fortune from "fortune";
import fortuneHttp from "fortune-http";
import jsonApi from "fortune-json-api";
import { port, recordAt, records } from "./dataset.mjs";

const trees = Array.from({ length: records }, (_, index) => {
  const { name, number, price, active } = recordAt(index);
  return { id: `${index}`, name, number, price, active };
});
const store = fortune({ tree: { name: String, number: Number, price: Number, active: Boolean } });
await store.create("tree", trees);
const listener = fortuneHttp(store, { serializers: [[jsonApi, { maxLimit: 100_000 }]] });
createServer((request, response) => {
  if (request.url === "/ready") response.end();
  else listener(request, response).catch(() => undefined);
}).listen(port, "127.0.0.1");
