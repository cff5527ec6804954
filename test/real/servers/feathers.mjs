import { feathers } from "@feathersjs/feathers";
import { bodyParser, errorHandler, koa, rest } from "@feathersjs/koa";
import { MemoryService } from "@feathersjs/memory";
import { port, recordAt, records } from "./dataset.mjs";

const store = Object.fromEntries(
  Array.from({ length: records }, (_, index) => [index, { id: index, ...recordAt(index) }]),
);
const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());
app.use("trees", new MemoryService({ store, paginate: { default: 50, max: 100 } }));
app.use("all", { find: async () => Object.values(store) });
app.listen(port, "127.0.0.1");
