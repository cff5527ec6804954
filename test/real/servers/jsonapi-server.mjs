import jsonApi from "jsonapi-server";
import { port, recordAt, records } from "./dataset.mjs";

jsonApi.setConfig({ protocol: "http", hostname: "127.0.0.1", port, base: "", graphiql: false });
const { Joi } = jsonApi;
jsonApi.define({
  resource: "trees",
  handlers: new jsonApi.MemoryHandler(),
  attributes: {
    name: Joi.string(),
    number: Joi.number(),
    price: Joi.number(),
    tags: Joi.array(),
    place: Joi.object(),
    note: Joi.string().allow(null),
    active: Joi.boolean(),
  },
  examples: Array.from({ length: records }, (_, index) => ({
    id: `00000000-0000-4000-8000-${`${index}`.padStart(12, "0")}`,
    type: "trees",
    ...recordAt(index),
  })),
});
jsonApi.start();
