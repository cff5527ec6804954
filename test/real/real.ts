import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Row, tryAuthoring, tryJob } from "./attempts.ts";
import { install } from "./installation.ts";
import type { Product } from "./product.ts";
import { products } from "./products.ts";
import { Server } from "./server.ts";

/*
 * Runs the built command against real servers that npm or pip installs, and compares every record with the server's own data.
 *   npm run real                                  all servers; takes some minutes, and needs the indexes of npm and pip
 *   npm run real -- --only pouch                  servers with this text in their name
 *   npm run real -- --records 20000               20000 records for each server in place of 3000
 *   npm run real -- --folder /tmp/servers         installs into a folder that is kept for the next time
 * Versions are pinned in products/. Each product is installed into its own folder; scripts of packages do not run. Its server is
 * a copy of servers/NAME.mjs there, which fills the product and listens on a free port of 127.0.0.1. For each product and way of
 * paging the command runs several times: undisturbed, with concurrent requests, with the server killed during the run, with the
 * command killed and resumed, and with logins that expire during the run. Then `init` and `get` are tried. See attempts.ts. The
 * table is Markdown, as in docs/real-servers.md, and names the products that cannot be installed or started here. The exit code
 * is 1 if there is a fault.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    records: { type: "string", default: "3000" },
    folder: { type: "string" },
  },
});
const { only, folder: kept } = values;
const usual = Number(values.records);
const root = kept ?? (await mkdtemp(join(tmpdir(), "spile-real-")));
let faults = 0;

console.log("| product | tried | records | result |\n|---|---|---|---|");
try {
  for (const product of products.filter(({ name }) => name.includes(only))) await tryProduct(product);
} finally {
  if (kept === undefined) await rm(root, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;

async function tryProduct(product: Product): Promise<void> {
  const say = ({ tried, records, result }: Row): void => {
    if (result.startsWith("FAULT")) faults += 1;
    const cells = [product.packages[0], tried, records, result].map((cell) => `${cell}`.replaceAll(/\||\n/g, " "));
    console.log(`| ${cells.join(" | ")} |`);
  };
  let server: Server;
  try {
    const folder = await install(product, root);
    server = await Server.start(product, folder, product.records ?? usual);
  } catch (error) {
    say({
      tried: "start",
      records: 0,
      result: `not available here: ${error instanceof Error ? error.message : error}`,
    });
    return;
  }
  try {
    for (const job of product.jobs) for (const row of await tryJob(server, job)) say(row);
    for (const explored of product.explored) for (const row of await tryAuthoring(server, explored)) say(row);
  } catch (error) {
    say({ tried: "the server", records: 0, result: `FAULT: ${error instanceof Error ? error.message : error}` });
  } finally {
    await server.kill();
  }
}
