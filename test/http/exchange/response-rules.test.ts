import assert from "node:assert/strict";
import { test } from "node:test";
import { broken, encoded, inTurn, isAnswer, json, linesOf, records, startApi, text } from "../../helpers/api.ts";
import { type Outcome, runHere } from "../../helpers/run.ts";
import { forSeeds } from "../../helpers/seeds.ts";

/** Returns a rule. It is parsed from JSON, because a literal with `then` would look like a promise. */
function rule(when: object, meaning: string, more: object = {}): unknown {
  return JSON.parse(JSON.stringify({ when, meaning, ...more }).replace('"meaning"', '"then"'));
}

interface Case {
  readonly rules: unknown[];
  readonly answers: unknown[];
  readonly options?: object;
  readonly pagination?: object;
  readonly api?: object;
}

async function outcomeOf({
  rules,
  answers,
  options,
  pagination,
  api: more,
}: Case): Promise<Outcome & { asked: number }> {
  await using api = await startApi(inTurn(...answers.map((answer) => (isAnswer(answer) ? answer : json(answer)))));
  const configuration = {
    api: { baseUrl: api.url, pagination: pagination ?? { method: "pagenum" }, http: { responses: rules }, ...more },
    config: { jobs: [{ endpoint: "items", dataField: "items" }] },
  };
  return { ...(await runHere(configuration, options)), asked: api.log.length };
}

const page = (...items: number[]): unknown => ({ items: items.map((id) => ({ id })) });
const errors = { errors: [{ message: "no such field\u0007" }], items: [{ id: 9 }] };
const graphql = rule({ path: "errors" }, "fail", { message: "errors.0.message" });

test("the action `fail` ends a run with the error text of an answer of status 200, and writes none of its records", async () => {
  const { result, output } = await outcomeOf({ rules: [graphql], answers: [page(1), errors] });
  assert.deepEqual([result.exitCode, output], [69, '{"id":1}\n']);
  assert.match(result.failure?.message ?? "", /items\?page=2: answered 200: no such field[^\n\u0007]*$/);
  const kinds: [object, number][] = [
    [{ temporary: true }, 75],
    [{ authentication: true }, 77],
  ];
  for (const [kind, code] of kinds) {
    const rules = [rule({ path: "errors.0.message", matches: "^no (such|more)" }, "fail", { ...kind })];
    const failed = await outcomeOf({ rules, answers: [errors] });
    assert.equal(failed.result.exitCode, code);
    assert.match(
      failed.result.failure?.message ?? "",
      /answered 200, which \/api\/http\/responses\/0 treats as a failure$/,
    );
  }
});

test("a value that is null, false or empty does not match, and the first rule that matches decides", async () => {
  for (const value of [null, false, "", [], {}]) {
    const { output } = await outcomeOf({ rules: [graphql], answers: [{ errors: value, items: [{ id: 1 }] }, page()] });
    assert.equal(output, '{"id":1}\n', JSON.stringify(value));
  }
  const rules = [rule({ path: "code", is: [1, "two", null] }, "end"), rule({ path: "code" }, "fail")];
  for (const code of [1, "1", "two", null]) {
    const { output, result } = await outcomeOf({ rules, answers: [{ code, items: [{ id: 1 }], total: 99 }] });
    assert.deepEqual([output, result.jobs[0]?.verdict], ['{"id":1}\n', "complete"], JSON.stringify(code));
  }
  for (const code of [0, 2, "x", [1]]) {
    const { result } = await outcomeOf({ rules, answers: [{ code, items: [{ id: 1 }] }] });
    assert.equal(result.exitCode, 69, JSON.stringify(code));
  }
});

test("the action `retry` repeats the request after its wait, and is a temporary failure when no retries are left", async () => {
  const rules = [rule({ header: "X-Busy" }, "retry", { after: { header: "X-Wait" } })];
  const busy = json(page(7), { headers: { "X-Busy": "yes", "X-Wait": "0.01" } });
  const { output, result, events } = await outcomeOf({ rules, answers: [page(1), busy, busy, page(2), page()] });
  assert.deepEqual([output, result.jobs[0]?.retries], ['{"id":1}\n{"id":2}\n', 2]);
  assert.deepEqual(
    events.filter(({ event }) => event === "retry").map(({ waitMs }) => waitMs),
    [10, 10],
  );
  const api = { retryConfig: { maxRetries: 2 } };
  const given = await outcomeOf({ rules, answers: [busy, busy, busy], api });
  assert.deepEqual([given.result.exitCode, given.asked], [75, 3]);
});

test("the action `retry` without a wait obeys Retry-After or the configured header, for any status", async () => {
  const rules = [rule({ header: "X-Busy" }, "retry")];
  for (const status of [200, 429, 400]) {
    for (const [name, http] of [
      ["Retry-After", {}],
      ["X-Pause", { retryHeader: "X-Pause" }],
    ] as const) {
      const busy = json(page(7), { status, headers: { "X-Busy": "yes", [name]: "0.01" } });
      const { events } = await outcomeOf({ rules, answers: [busy, page(1), page()], api: { retryConfig: { http } } });
      const waits = events.filter(({ event }) => event === "retry").map(({ waitMs }) => waitMs);
      assert.deepEqual(waits, [10], `${status}, ${name}`);
    }
  }
});

test("the action `empty` ends the pages for any status, body and paging method", async () => {
  const rules = [rule({ status: [400, 404] }, "empty")];
  for (const answer of [json({}, { status: 404 }), text("<html>", { status: 400 })]) {
    const { output, result } = await outcomeOf({ rules, answers: [page(1), page(2), answer] });
    assert.deepEqual([output, result.exitCode, result.jobs[0]?.verdict], ['{"id":1}\n{"id":2}\n', 0, "complete"]);
    assert.match(result.jobs[0]?.reason ?? "", /which \/api\/http\/responses\/0 treats as the end of the pages/);
  }
  // The records of such a page do not count, although it has some and names a next page.
  const done = [rule({ path: "done" }, "empty")];
  const pagination = { method: "response.url", urlKey: "next" };
  const answers = [
    { items: [1], next: "?p=2" },
    { items: [2], done: true, next: "?p=3" },
  ];
  const { output } = await outcomeOf({ rules: done, answers, pagination });
  assert.equal(output, "1\n");
});

test("a rule takes precedence over ignoreErrors and retried statuses, which apply if no rule matches", async () => {
  const rules = [rule({ status: 503, path: "over" }, "empty")];
  const over = json({ over: 1 }, { status: 503 });
  const busy = json({ over: 0, x: [] }, { status: 503 });
  const won = await outcomeOf({ rules, answers: [page(1), over] });
  assert.deepEqual([won.output, won.asked], ['{"id":1}\n', 2]);
  const left = await outcomeOf({
    rules: [rule({ status: 503, path: "x" }, "empty")],
    answers: [page(1), busy, page(2), page()],
  });
  assert.deepEqual([left.output, left.asked, left.result.jobs[0]?.retries], ['{"id":1}\n{"id":2}\n', 4, 1]);
  const ignored = await outcomeOf({
    rules: [rule({ status: 404, path: "gone" }, "fail", { message: "gone" })],
    answers: [page(1), json({ gone: "for good" }, { status: 404 })],
    api: {
      http: {
        ignoreErrors: [404],
        responses: [rule({ status: 404, path: "gone" }, "fail", { message: "gone" })],
      },
    },
  });
  assert.match(ignored.result.failure?.message ?? "", /answered 404: for good$/);
});

test("a 403 that reports a rate limit never ends the pages, although a rule matches its status", async () => {
  const limits = [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, { "Retry-After": "1" }];
  for (const headers of limits) {
    const limited = json({ message: "rate limit exceeded" }, { status: 403, headers });
    const forbidden = json(
      { message: "Must have push access" },
      { status: 403, headers: { "x-ratelimit-remaining": "9" } },
    );
    for (const meaning of ["empty", "end"]) {
      const { result, output } = await outcomeOf({
        rules: [rule({ status: 403 }, meaning)],
        answers: [limited, page(1), limited, forbidden],
      });
      assert.equal(result.exitCode, 0, result.failure?.message);
      assert.equal(output, '{"id":1}\n');
      assert.equal(result.jobs[0]?.retries, 2);
    }
  }
  const failed = await outcomeOf({
    rules: [rule({ status: 403 }, "fail", { message: "message" })],
    answers: [json({ message: "limit" }, { status: 403, headers: limits[1] ?? {} })],
  });
  assert.match(failed.result.failure?.message ?? "", /answered 403: limit/);
});

test("the action `login` renews the credentials, and a second match in a row is an authentication error", async () => {
  const login = { type: "login", loginRequest: { endpoint: "login" }, apiRequest: { headers: { "X-Token": "token" } } };
  const rules = [rule({ path: "error", matches: "session" }, "login")];
  for (const stale of [1, 99]) {
    let logins = 0;
    await using api = await startApi({
      "/login": () => {
        logins += 1;
        return { token: `t${logins}` };
      },
      "/items": ({ headers, params }) => {
        if (params.get("page") === "2" && logins <= stale) return { error: "session is over", items: [] };
        return params.get("page") === "3" ? page() : { items: [{ by: headers["x-token"] }] };
      },
    });
    const { result, output } = await runHere({
      api: { baseUrl: api.url, authentication: login, pagination: { method: "pagenum" }, http: { responses: rules } },
      config: { jobs: [{ endpoint: "items", dataField: "items" }] },
    });
    if (stale === 1) assert.deepEqual([result.exitCode, output], [0, '{"by":"t1"}\n{"by":"t2"}\n']);
    else assert.deepEqual([result.exitCode, output, logins], [77, '{"by":"t1"}\n', 2]);
  }
});

test("a rule that matches after lines were written is reported as too late, except for the action `end`", async () => {
  const many = records(20_000);
  const big = { items: many, errors: ["x"] };
  const late = await outcomeOf({
    rules: [rule({ path: "errors" }, "empty")],
    answers: [big],
    options: { hold: 0 },
  });
  assert.equal(late.result.exitCode, 65);
  assert.match(late.result.failure?.message ?? "", /were written before that was known; a greater --hold/);
  const end = await outcomeOf({
    rules: [rule({ path: "errors" }, "end")],
    answers: [big],
    options: { hold: 0 },
  });
  assert.deepEqual([end.result.exitCode, end.output], [0, linesOf(many)]);
});

test("no line of a refused page is written and no line of a good page is lost, for any order of answers", async () => {
  let refused = 0;
  await forSeeds(60, async (random, seed) => {
    const pages = Array.from({ length: random.between(1, 6) }, (_, number) =>
      records(random.between(1, 4), number * 10 + 1),
    );
    const troubles = new Map<string, number>();
    const end = random.pick(["empty", "end", "fail", "none"] as const);
    const last = random.below(pages.length + 1);
    const rules = [
      rule({ status: 200, path: "busy" }, "retry"),
      rule({ path: "last", is: true }, end === "none" ? "end" : end),
      rule({ status: 429 }, "retry"),
    ];
    await using api = await startApi(({ params }) => {
      const number = Number(params.get("page")) - 1;
      const key = String(number);
      const before = troubles.get(key) ?? 0;
      troubles.set(key, before + 1);
      const items = pages[number] ?? [];
      if (before < 2 && random.oneIn(3)) {
        refused += 1;
        return random.pick([
          () => ({ items: records(3, 900), busy: true }),
          () => json({ items: records(3, 900) }, { status: 429 }),
          () => broken.cutWithoutTerminator('{"items": [{"id": 901}, {"id": 902}]}', 26),
        ])();
      }
      return end !== "none" && number === last ? { items, last: true } : { items };
    });
    const { output, result } = await runHere(
      {
        api: { baseUrl: api.url, pagination: { method: "pagenum" }, http: { responses: rules } },
        config: { jobs: [{ endpoint: "items", dataField: "items" }] },
      },
      { concurrency: random.between(1, 4) },
    );
    const written = end === "none" ? pages : pages.slice(0, end === "end" ? last + 1 : last);
    assert.equal(output, linesOf(written.flat()), `seed ${seed}, ${end} at ${last}`);
    const fails = end === "fail" && last <= pages.length;
    assert.equal(result.exitCode, fails ? 69 : 0, `seed ${seed}: ${result.failure?.message}`);
  });
  assert.ok(refused > 40, `${refused} refused answers`);
});

test("a small gzip that grows very long is refused, and not kept in memory for a rule", async () => {
  const bomb = encoded("gzip", Buffer.alloc(40_000_000, " "), { status: 500 });
  const { result, asked } = await outcomeOf({ rules: [graphql], answers: [bomb] });
  assert.deepEqual([result.exitCode, asked], [65, 1]);
  assert.match(result.failure?.message ?? "", /answered 500 .*its body is longer than 16777216 bytes/);
});
