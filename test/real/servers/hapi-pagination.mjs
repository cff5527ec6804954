import { server as create } from "@hapi/hapi";
import pagination from "hapi-pagination";
import { port, recordAt, records } from "./dataset.mjs";

const trees = Array.from({ length: records }, (_, index) => ({ id: index, ...recordAt(index) }));
const server = create({ port, host: "127.0.0.1" });
await server.register({ plugin: pagination, options: { routes: { include: ["/trees"] } } });
server.route({
  method: "GET",
  path: "/trees",
  handler: ({ query: { page, limit } }, toolkit) =>
    toolkit.paginate(trees.slice((page - 1) * limit, page * limit), records),
});
server.route({ method: "GET", path: "/all", handler: () => trees });
await server.start();
