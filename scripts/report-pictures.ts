import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/*
 * npm run pictures: makes reports of real runs against an API with slow and faulty answers, and takes pictures of them in a
 * browser, light and dark, wide and narrow, below build/pictures. Two of them are in README.md and docs/looking.md. Needs Chromium, or the
 * browser that CHROMIUM names, and a built command.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "build/pictures");
const browser = process.env.CHROMIUM ?? "chromium";
const run = promisify(execFile);

interface Case {
  readonly config: (baseUrl: string) => unknown;
  readonly options?: readonly string[];
  /** Heights of the wide and the narrow picture. */
  readonly heights: readonly [wide: number, narrow: number];
}

const paging = { method: "offset", limit: 20 };
const children = [{ endpoint: "orders/{id}/items", dataType: "items", placeholders: { id: "id" } }];

const cases: Readonly<Record<string, Case>> = {
  complete: {
    config: (baseUrl) => ({
      api: { baseUrl, pagination: paging, http: { rateLimit: "20/s" } },
      config: { jobs: [{ endpoint: "orders", params: { most: 30 }, children }, { endpoint: "users" }] },
    }),
    heights: [1080, 1750],
  },
  suspect: {
    config: (baseUrl) => ({
      api: { baseUrl, pagination: paging },
      config: {
        jobs: [
          { endpoint: "users" },
          { endpoint: "orders", params: { most: 30 }, children },
          { endpoint: "invoices", dataField: "data", params: { total: 95 } },
        ],
      },
    }),
    options: ["--concurrency", "4"],
    heights: [1440, 2330],
  },
  failed: {
    config: (baseUrl) => ({
      api: { baseUrl, pagination: paging },
      config: { jobs: [{ endpoint: "users" }, { endpoint: "refused" }, { endpoint: "orders" }] },
    }),
    options: ["--keep-going"],
    heights: [1150, 1750],
  },
  long: {
    config: (baseUrl) => ({
      api: { baseUrl, pagination: { method: "offset", limit: 1 } },
      config: {
        jobs: Array.from({ length: 300 }, (_, index) => ({
          endpoint: "quick",
          params: { most: 5, job: index },
          dataType: `${index} ${"a dataset with a long name ".repeat(6)}`,
        })),
      },
    }),
    heights: [2400, 3600],
  },
};

/** Addresses that have failed once in the current run. */
const failed = new Set<string>();
const server = createServer((request, response) => void answer(request, response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
try {
  await mkdir(folder, { recursive: true });
  for (const [name, { config, options = [], heights }] of Object.entries(cases)) {
    const [file, report] = [join(folder, `${name}.json`), join(folder, `${name}.html`)];
    failed.clear();
    await writeFile(file, JSON.stringify(config(baseUrl)));
    const words = [join(root, "dist/bin.js"), file, "-q", "-o", "/dev/null", "--report", report, ...options];
    await run(process.execPath, words, { cwd: folder }).catch((error) => {
      if (![65, 69].includes(error.code)) throw error;
    });
    for (const [index, width] of [1400, 400].entries()) {
      for (const [scheme, setting] of [
        ["dark", 0],
        ["light", 1],
      ] as const) {
        await take(report, join(folder, `${name}-${scheme}-${width}.png`), [width, heights[index] ?? 0], setting);
      }
    }
  }
  await copyFile(join(folder, "suspect-light-1400.png"), join(root, "docs/images/report.png"));
  await copyFile(join(folder, "suspect-dark-400.png"), join(root, "docs/images/report-narrow.png"));
} finally {
  server.close();
}

async function take(page: string, picture: string, size: readonly number[], scheme: 0 | 1): Promise<void> {
  const fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
  const look = [`--window-size=${size.join(",")}`, `--blink-settings=preferredColorScheme=${scheme}`];
  await run(browser, [...fixed, ...look, `--screenshot=${picture}`, `file://${page}`], { timeout: 60_000 });
}

/** Answers requests to an API of several datasets. Answers come late and are sometimes errors, and one dataset never reaches its total. */
async function answer({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(url, baseUrl);
  const quick = pathname === "/quick";
  const offset = Number(searchParams.get("offset") ?? 0);
  if (!quick) await pause(40 + (offset % 60));
  if (pathname === "/refused") return send(response, 403, { error: "this token may not read it" });
  if (pathname === "/users" && offset === 40 && !failed.has(url)) {
    failed.add(url);
    return send(response, 503, {});
  }
  const most = Number(searchParams.get("most") ?? 85);
  const limit = Number(searchParams.get("limit") ?? 20);
  const size = pathname === "/invoices" ? 12 : Math.max(0, Math.min(limit, most - offset));
  const records = Array.from({ length: size }, (_, index) => ({ id: offset + index + 1, text: "x".repeat(300) }));
  const total = searchParams.get("total");
  return send(response, 200, total === null ? records : { total: Number(total), data: records });
}

async function send(response: ServerResponse, status: number, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2));
  if (text.length > 4000) await pause(15);
  response.end(text.slice(text.length / 2));
}
