import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthenticator } from "../../src/authentication/index.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { Authenticator } from "../../src/core/requests/authenticator.ts";
import type { Expiry } from "../../src/generated/configuration.ts";
import { authorized, never, queryText, request, start, type World, type WorldOptions, world } from "./environment.ts";

/** Creates an authenticator whose logins are answered with token1, token2, ... and the members of `answer`. */
async function createLogin(expires?: Expiry, answer: Record<string, unknown> = {}, options: WorldOptions = {}) {
  const here: World = world({
    answer: async (_request, nth) => {
      await new Promise((resolve) => setImmediate(resolve));
      return JSON.stringify({ token: `token${nth}`, ...answer });
    },
    ...options,
  });
  const authenticator = await createAuthenticator(
    {
      type: "login",
      loginRequest: { endpoint: "login" },
      apiRequest: { query: { t: "token" } },
      ...(expires === undefined ? {} : { expires }),
    },
    here.environment,
  );
  assert.ok(authenticator);
  return { ...here, authenticator };
}

const takeToken = async (authenticator: Authenticator): Promise<string> => queryText(await authorized(authenticator));

describe("the lifetime of a login", () => {
  it("a login lasts for the whole run if expires is not set", async () => {
    const { authenticator, pass } = await createLogin();
    assert.equal(await takeToken(authenticator), "t=token1");
    pass(1e12);
    assert.equal(await takeToken(authenticator), "t=token1");
  });

  it("a login lasts exactly the configured seconds", async () => {
    const { authenticator, pass, sent } = await createLogin(2);
    assert.equal(await takeToken(authenticator), "t=token1");
    pass(1999);
    assert.equal(await takeToken(authenticator), "t=token1");
    pass(1);
    assert.equal(await takeToken(authenticator), "t=token2");
    pass(1999);
    assert.equal(await takeToken(authenticator), "t=token2");
    assert.equal(sent.length, 2);
  });

  it("the lifetime in seconds ignores corrections of the system's clock", async () => {
    const { authenticator, pass, setClock } = await createLogin(
      { response: "expires_in", relative: true },
      { expires_in: "60" },
    );
    await takeToken(authenticator);
    setClock(start + 3_600_000);
    assert.equal(await takeToken(authenticator), "t=token1");
    setClock(start - 3_600_000);
    pass(60_000);
    assert.equal(await takeToken(authenticator), "t=token2");
  });

  it("an expiry time is compared with the system's clock, and a login whose expiry is already past fails", async () => {
    const { authenticator, pass } = await createLogin(
      { response: "end" },
      { end: new Date(start + 5000).toISOString() },
    );
    await takeToken(authenticator);
    // spile ignores the fraction of an expiry, and `start` is 678 ms after a whole second.
    pass(5000 - 678 - 1);
    assert.equal(await takeToken(authenticator), "t=token1");
    pass(1);
    assert.equal(await takeToken(authenticator), "t=token2");
    // Each answer has the same expiry: the third login fails, and logins are not repeated for ever.
    pass(1000);
    await assert.rejects(takeToken(authenticator), /an expiry in the past/);
  });

  it("a login that expires within the current second is used for one request", async () => {
    const { authenticator } = await createLogin({ response: "end" }, { end: Math.floor(start / 1000) });
    assert.equal(await takeToken(authenticator), "t=token1");
    assert.equal(await takeToken(authenticator), "t=token2");
  });

  for (const [name, expires] of [
    ["expires 0", 0],
    ["a lifetime of 0 in the answer", { response: "zero", relative: true }],
  ] as const) {
    it(`a login with ${name} is used for one request`, async () => {
      const { authenticator } = await createLogin(expires, { zero: 0 });
      assert.equal(await takeToken(authenticator), "t=token1");
      assert.equal(await takeToken(authenticator), "t=token2");
    });

    it(`with ${name}, each parallel request has its own login, and only one login is sent at a time`, async () => {
      let running = 0;
      const { authenticator, sent } = await createLogin(
        expires,
        {},
        {
          answer: async (_request, nth) => {
            running += 1;
            assert.equal(running, 1);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return JSON.stringify({ token: `token${nth}`, zero: 0 });
          },
        },
      );
      const all = await Promise.all([1, 2, 3].map(() => takeToken(authenticator)));
      assert.deepEqual(all.sort(), ["t=token1", "t=token2", "t=token3"]);
      assert.equal(sent.length, 3);
    });
  }
});

describe("parallel requests", () => {
  it("parallel requests share one login", async () => {
    const { authenticator, sent } = await createLogin();
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => takeToken(authenticator)));
    assert.deepEqual(new Set(all), new Set(["t=token1"]));
    assert.equal(sent.length, 1);
  });

  it("parallel requests share one renewal of an expired login", async () => {
    const { authenticator, sent, pass } = await createLogin(10);
    await takeToken(authenticator);
    pass(10_000);
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => takeToken(authenticator)));
    assert.deepEqual(new Set(all), new Set(["t=token2"]));
    assert.equal(sent.length, 2);
  });

  it("parallel requests fail together with their login", async () => {
    const { authenticator, sent } = await createLogin(
      undefined,
      {},
      {
        answer: () => Promise.reject(new SpileError("authentication", "refused")),
      },
    );
    const all = await Promise.allSettled([1, 2, 3].map(() => takeToken(authenticator)));
    assert.deepEqual(
      all.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.equal(sent.length, 1);
  });

  it("an aborted request leaves its login to the others", async () => {
    const { authenticator, sent } = await createLogin();
    const abort = new AbortController();
    const first = authenticator.authorize(request(), abort.signal);
    const second = takeToken(authenticator);
    const reason = new Error("not needed any more");
    abort.abort(reason);
    await assert.rejects(first, reason);
    assert.equal(await second, "t=token1");
    assert.equal(sent.length, 1);
  });

  it("a request that is already aborted does not log in", async () => {
    const { authenticator, sent } = await createLogin();
    const reason = new Error("over");
    await assert.rejects(authenticator.authorize(request(), AbortSignal.abort(reason)), reason);
    assert.equal(sent.length, 0);
  });

  it("an aborted request whose login fails later leaves no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { authenticator } = await createLogin(
      undefined,
      {},
      {
        answer: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          throw new SpileError("temporary", "too late");
        },
      },
    );
    const abort = new AbortController();
    const first = authenticator.authorize(request(), abort.signal);
    abort.abort(new Error("over"));
    await assert.rejects(first, /over/);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
  });
});

describe("a 401", () => {
  it("refused credentials are dropped, and the next request logs in again", async () => {
    const { authenticator, sent } = await createLogin(3600);
    const attempt = await authenticator.authorize(request(), never);
    assert.equal(attempt.refused?.(), true);
    assert.equal(await takeToken(authenticator), "t=token2");
    assert.equal(sent.length, 2);
  });

  it("a refusal of older credentials causes no login", async () => {
    const { authenticator, sent } = await createLogin();
    const first = await authenticator.authorize(request(), never);
    const second = await authenticator.authorize(request(), never);
    assert.equal(first.refused?.(), true);
    assert.equal(await takeToken(authenticator), "t=token2");
    assert.equal(second.refused?.(), true);
    assert.equal(await takeToken(authenticator), "t=token2");
    assert.equal(sent.length, 2);
  });

  it("several refusals at once cause one login", async () => {
    const { authenticator, sent } = await createLogin();
    const attempts = await Promise.all([1, 2, 3, 4, 5].map(() => authenticator.authorize(request(), never)));
    const repeated = await Promise.all(
      attempts.map(async (attempt) => {
        attempt.refused?.();
        return takeToken(authenticator);
      }),
    );
    assert.deepEqual(new Set(repeated), new Set(["t=token2"]));
    assert.equal(sent.length, 2);
  });

  it("a refusal that arrives during a newer login does not affect it", async () => {
    const { authenticator, sent, pass } = await createLogin(10);
    const old = await authenticator.authorize(request(), never);
    pass(10_000);
    const renewed = takeToken(authenticator);
    old.refused?.();
    assert.equal(await renewed, "t=token2");
    assert.equal(await takeToken(authenticator), "t=token2");
    assert.equal(sent.length, 2);
  });
});
