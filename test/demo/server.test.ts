import assert from "node:assert/strict";
import { test } from "node:test";
import { demoConfiguration, demoUser } from "../../src/demo/configuration.ts";
import { datasets } from "../../src/demo/datasets.ts";
import { type DemoApi, maxPageSize, startDemoApi } from "../../src/demo/server.ts";

async function withApi(tokenSeconds: number, act: (api: DemoApi) => Promise<void>): Promise<void> {
  const api = await startDemoApi({ port: 0, tokenSeconds });
  try {
    await act(api);
  } finally {
    await api.close();
  }
}

const form = new URLSearchParams(demoUser);

async function logIn(api: DemoApi): Promise<Record<string, string>> {
  const response = await fetch(`${api.url}login?${form}`);
  const answer = (await response.json()) as { session: { token: string } };
  return { Authorization: `Bearer ${answer.session.token}` };
}

test("the login accepts JSON, a form and a query, and only the right user and password", () =>
  withApi(60, async ({ url }) => {
    const type = { "Content-Type": "application/json" };
    const post = (body: string | URLSearchParams, headers = {}) =>
      fetch(`${url}login`, { method: "POST", body, headers });
    const attempts = [
      [await post(JSON.stringify(demoUser), type), 200],
      [await post(form), 200],
      [await fetch(`${url}login?${form}`), 200],
      [await post(JSON.stringify({ ...demoUser, password: "wrong" }), type), 401],
      [await post("not JSON", type), 400],
      [await fetch(`${url}login`), 401],
    ] as const;
    for (const [response, status] of attempts) {
      assert.equal(response.status, status);
      const answer = (await response.json()) as { session: object; error: unknown };
      if (status === 200) assert.deepEqual(Object.keys(answer.session), ["token", "expires_in"]);
      else assert.equal(typeof answer.error, "string");
    }
  }));

test("data requires a token that has not expired", async () => {
  await withApi(60, async (api) => {
    assert.equal((await fetch(`${api.url}trees`)).status, 401);
    assert.equal((await fetch(`${api.url}trees`, { headers: { Authorization: "Bearer x" } })).status, 401);
    assert.equal((await fetch(`${api.url}trees`, { headers: await logIn(api) })).status, 200);
  });
  await withApi(0, async (api) => {
    assert.equal((await fetch(`${api.url}trees`, { headers: await logIn(api) })).status, 401);
  });
});

test("pages follow offset and limit, are never larger than the maximum, and are the same every time", () =>
  withApi(60, async (api) => {
    const headers = await logIn(api);
    const get = async (query: string) => {
      const response = await fetch(`${api.url}${query}`, { headers });
      return [response.status, await response.text()] as const;
    };
    const [, page] = await get("trees?limit=2&offset=418");
    const records = [418, 419].map((index) => datasets.get("trees")?.record(index));
    assert.equal(page, `{"meta":{"total":420,"offset":418},"data":{"trees":[${records.join(",")}]}}\n`);
    assert.equal(JSON.parse((await get("taps?limit=1000"))[1]).data.taps.length, maxPageSize);
    assert.deepEqual(JSON.parse((await get("harvests?offset=9999"))[1]).season.harvests, []);
    for (const query of ["trees?limit=0", "trees?limit=x", "trees?offset=-1"]) assert.equal((await get(query))[0], 400);
    assert.equal((await get("sap"))[0], 404);
    assert.equal((await get(""))[0], 200);
  }));

test("the datasets have values that careless programs change", () => {
  for (const [name, { size, record }] of datasets) {
    const all = Array.from({ length: size }, (_, index) => record(index));
    for (const text of all) assert.equal(JSON.stringify(JSON.parse(text)).length > 0, true, text);
    assert.equal(new Set(all.map((text) => /"id":("[^"]+"|[0-9]+)/.exec(text)?.[1])).size, size, name);
  }
  const tree = datasets.get("trees")?.record(0) ?? "";
  assert.match(tree, /^\{"id":9007199254740993,/);
  assert.doesNotMatch(JSON.stringify(JSON.parse(tree)), /9007199254740993/);
  assert.match(datasets.get("harvests")?.record(0) ?? "", /"price_per_litre":1\.10,/);
});

test("the configuration has a job for every dataset", () => {
  const { config } = demoConfiguration("http://127.0.0.1:1/") as { config: { jobs: { dataType: string }[] } };
  assert.deepEqual(
    config.jobs.map(({ dataType }) => dataType),
    [...datasets.keys()],
  );
});

test("the number of records applies to each dataset", async () => {
  const api = await startDemoApi({ port: 0, tokenSeconds: 60, records: 5000 });
  const answer = async (path: string) => JSON.parse(await (await fetch(`${api.url}${path}`)).text());
  const { session } = await answer("login?user=sugarmaker&password=drip-drip-drip");
  const { meta, data } = await answer(`trees?token=${session.token}&offset=4990&limit=100`);
  assert.deepEqual([meta.total, data.trees.length], [5000, 10]);
  assert.equal((await answer("")).datasets.taps.records, 5000);
  await api.close();
});
