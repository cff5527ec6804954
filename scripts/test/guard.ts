import { after, beforeEach } from "node:test";
import { times } from "../../test/helpers/seeds.ts";

/*
 * The first import of every group. It fails the group if its process ends before the last test, or if a test never ends. node's
 * runner notices neither in a process of many files.
 */
/** Milliseconds for each test; more if random tests run more rounds. TEST_TIMEOUT_MS replaces five minutes. */
const timeoutMs = Number(process.env.TEST_TIMEOUT_MS ?? 300_000) * times;
let ended = false;
let waiting: NodeJS.Timeout | undefined;

beforeEach((context) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    console.error(`the test "${context.name}" has not ended after ${timeoutMs / 1000} s`);
    process.exit(1);
  }, timeoutMs).unref();
});

after(() => {
  ended = true;
  clearTimeout(waiting);
});

process.on("exit", () => {
  if (ended) return;
  console.error("the process ended before its tests did");
  process.exitCode ||= 1;
});
