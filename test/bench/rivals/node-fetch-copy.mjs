// The lower limit: node-fetch, whose bodies are copied to the output unread. Arguments: address, page size, number of pages.
import { pipeline } from "node:stream/promises";
import fetch from "node-fetch";

const [, , address, limit, count] = process.argv;

for (let page = 0; page < Number(count ?? 1); page++) {
  const paging = limit === undefined ? "" : `&limit=${limit}&offset=${page * Number(limit)}`;
  const response = await fetch(address + paging, { compress: false });
  await pipeline(response.body, process.stdout, { end: false });
}
