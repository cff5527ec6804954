import moleculer from "moleculer";
import DbService from "moleculer-db";
import ApiGateway from "moleculer-web";
import { port, recordAt, records } from "./dataset.mjs";

const broker = new moleculer.ServiceBroker({ logger: false });
broker.createService({
  name: "trees",
  mixins: [DbService],
  settings: { maxPageSize: 100 },
  async afterConnected() {
    await this.adapter.insertMany(
      Array.from({ length: records }, (_, index) => ({ _id: `tree-${index}`, ...recordAt(index) })),
    );
  },
});
broker.createService({
  name: "door",
  mixins: [ApiGateway],
  settings: { port, ip: "127.0.0.1", routes: [{ aliases: { "GET trees": "trees.list", "GET all": "trees.find" } }] },
});
await broker.start();
