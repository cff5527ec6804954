import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { json, startApi, text } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";

const child = (endpoint: string, more = {}) => ({
  endpoint,
  dataType: endpoint.split("/").at(-1),
  placeholders: { id: "id" },
  ...more,
});

/** Returns a configuration of users, two a page, with their notes, their orders, and the lines of these. */
function configurationFor(baseUrl: string): unknown {
  const grandchild = { ...child("orders/{id}/lines"), placeholders: { id: "order" } };
  return {
    api: {
      baseUrl,
      http: { maxRetries: 0 },
      pagination: {
        method: "multiple",
        scrollers: { pages: { method: "offset", limit: 2 }, none: { method: "none" } },
      },
    },
    config: {
      jobs: [
        {
          endpoint: "users",
          scroller: "pages",
          children: [
            child("users/{id}/orders", { scroller: "none", children: [{ ...grandchild, scroller: "none" }] }),
            child("users/{id}/notes", { scroller: "none" }),
          ],
        },
      ],
    },
  };
}

const users = [1, 2, 3, 4].map((id) => ({ id }));

async function startShop(fault: (path: string) => ReturnType<typeof json> | undefined) {
  return await startApi(({ path, params }) => {
    const found = fault(path);
    if (found !== undefined) return found;
    if (path === "/users") return users.slice(Number(params.get("offset")), Number(params.get("offset")) + 2);
    const [, kind, id, list] = path.split("/");
    if (kind === "users") return list === "orders" ? [{ order: Number(id) * 10 }] : [{ note: Number(id) }];
    return [{ line: Number(id) }];
  });
}

test("--keep-going continues with the next parent or child after a failure with 69 or 65", async () => {
  const faults = [() => json({}, { status: 403 }), () => text("no json")];
  for (const fault of faults) {
    for (const concurrency of [1, 4]) {
      await using api = await startShop((path) => (path === "/users/2/orders" ? fault() : undefined));
      const { result, output, events } = await runHere(configurationFor(api.url), { keepGoing: true, concurrency });
      const lines = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.flatMap(({ order }) => order ?? []),
        [10, 30, 40],
      );
      assert.deepEqual(
        lines.flatMap(({ line }) => line ?? []),
        [10, 30, 40],
      );
      assert.deepEqual(
        lines.flatMap(({ note }) => note ?? []),
        [1, 2, 3, 4],
      );
      const [parents, orders, orderLines, notes] = result.jobs;
      assert.deepEqual([parents?.verdict, notes?.verdict], ["complete", "complete"]);
      assert.equal(orders?.verdict, "failed");
      assert.match(orders?.reason ?? "", /^1 of 4 parents failed: .*\/users\/2\/orders/);
      assert.equal(orders?.failedParents, 1);
      assert.deepEqual(
        [orderLines?.verdict, orderLines?.reason],
        ["failed", "records are missing because orders failed"],
      );
      assert.equal(result.exitCode, result.failure?.exitCode);
      assert.ok([65, 69].includes(result.exitCode), `${result.exitCode}`);
      assert.equal(events.filter(({ event }) => event === "error").length, 1);
    }
  }
});

test("a failure with 75 or 77 ends the whole job, and so does one with 69 without --keep-going", async () => {
  for (const [status, keepGoing, exitCode] of [
    [503, true, 75],
    [401, true, 77],
    [403, false, 69],
  ] as const) {
    await using api = await startShop((path) => (path === "/users/2/orders" ? json({}, { status }) : undefined));
    const { result } = await runHere(configurationFor(api.url), { keepGoing });
    assert.equal(result.exitCode, exitCode);
    assert.equal(
      api.log.some(({ path }) => path === "/users/3/orders"),
      false,
    );
    assert.ok(result.jobs.every(({ failedParents }) => failedParents === undefined));
  }
});

test("many failed parents are counted, and only ten are listed", async () => {
  await using api = await startApi(({ path }) =>
    path === "/users" ? Array.from({ length: 40 }, (_, id) => ({ id })) : json({}, { status: 403 }),
  );
  const configuration = {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users", children: [child("users/{id}/orders")] }] },
  };
  const { result, events } = await runHere(configuration, { keepGoing: true });
  assert.match(result.jobs[1]?.reason ?? "", /^40 of 40 parents failed: /);
  assert.equal(events.filter(({ event }) => event === "error").length, 10);
  assert.ok(events.some(({ message }) => message === "further parents that fail are counted, and not listed"));
});

test("--resume continues at the page of the first parent that failed, and nothing is missing in a file or on a pipe", async () => {
  let refuses = true;
  await using api = await startShop((path) =>
    refuses && ["/users/3/orders", "/users/4/notes"].includes(path) ? json({}, { status: 403 }) : undefined,
  );
  const configuration = configurationFor(api.url);
  const whole = async (): Promise<string[]> => {
    refuses = false;
    const { output } = await runHere(configuration);
    return output.trim().split("\n");
  };
  const wanted = await whole();
  for (const kind of ["file", "stream"] as const) {
    await using folder = await temporaryFolder();
    const path = `${folder.path}/lines.ndjson`;
    const options = { state: `${folder.path}/state.json`, keepGoing: true };
    const target = kind === "file" ? { target: { kind, path } } : {};
    refuses = true;
    const first = await runHere(configuration, { ...options, ...target, resume: false });
    assert.equal(first.result.exitCode, 69);
    refuses = false;
    const before = api.log.length;
    const second = await runHere(configuration, { ...options, ...target, resume: true });
    assert.equal(second.result.exitCode, 0, second.result.failure?.message);
    const asked = api.log.slice(before).map((request) => request.path);
    assert.equal(asked.includes("/users/1/orders"), false, "received pages are not requested again");
    const lines = kind === "file" ? await readFile(path, "utf8") : first.output + second.output;
    const written = lines.trim().split("\n");
    if (kind === "file") assert.deepEqual(written, wanted);
    else assert.deepEqual([...new Set(written)].sort(), [...wanted].sort());
    assert.deepEqual(
      second.result.jobs.map(({ verdict }) => verdict),
      ["complete", "complete", "complete", "complete"],
    );
  }
});
