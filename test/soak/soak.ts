import { momentLine, summary } from "./report.ts";
import { soak } from "./run.ts";

/*
 * A long load on the built command, against a server on the loopback interface. The server ends it after a number of minutes.
 *   npm run soak -- --minutes 60
 */
const at = process.argv.indexOf("--minutes");
const minutes = at < 0 ? 60 : Number(process.argv[at + 1]);
if (!(minutes > 0 && minutes <= 24 * 60)) {
  console.error("--minutes takes a number above 0, at most 1440");
  process.exit(64);
}

const controller = new AbortController();

/** One Ctrl-C may arrive twice, from the terminal and from npm. Another one after a second ends the process at once. */
let stopped = Number.POSITIVE_INFINITY;
function stop(): void {
  if (performance.now() - stopped > 1000) process.exit(130);
  stopped = Math.min(stopped, performance.now());
  controller.abort();
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);

const soaked = await soak({
  seconds: minutes * 60,
  pages: 0,
  tokenSeconds: 2,
  revokedAfter: 15,
  faultEvery: 200,
  pause: 60,
  signal: controller.signal,
  each: (moment) => console.log(momentLine(moment)),
});
const { text, passed } = summary(soaked);
console.log(text);
process.exit(controller.signal.aborted && passed ? 130 : passed ? 0 : 1);
