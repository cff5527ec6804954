import { RunAccount } from "../../src/report/run-account.ts";

/*
 * Measures the cost of a run's account (`--report`, `--metrics`) as CPU time per page. Each page has one request, whose body
 * comes in three chunks with a wait before each; at every fourth page there is a wait for the output. The limit is 5 µs per page.
 *   npx tsx test/bench/account.ts
 */
const pages = 200_000;
const rounds = 5;

const figures: number[] = [];
for (let round = 0; round < rounds; round += 1) figures.push(await microsecondsOfPage());
console.log(`account: ${Math.min(...figures).toFixed(1)} to ${Math.max(...figures).toFixed(1)} µs a page`);

async function microsecondsOfPage(): Promise<number> {
  const account = new RunAccount();
  account.open(performance.now());
  const before = process.cpuUsage();
  for (let page = 1; page <= pages; page += 1) {
    const clock = account.sent("users");
    clock.answered();
    for (let chunk = 0; chunk < 3; chunk += 1) {
      clock.waits();
      clock.received();
    }
    account.count({ event: "page", level: "info", message: "", dataType: "users", records: 100, bytes: 20_000, page });
    if (page % 4 === 0) await account.during("reader", Promise.resolve());
  }
  account.close(performance.now());
  const { user, system } = process.cpuUsage(before);
  return (user + system) / pages;
}
