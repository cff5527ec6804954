import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { extractAll } from "./extraction.ts";

/** A random job, with the jobs below it. */
interface Tree {
  readonly name: string;
  /** Page size, if it pages by offset. */
  readonly limit: number | undefined;
  readonly children: readonly Branch[];
}

interface Branch {
  readonly tree: Tree;
  readonly placeholders: readonly Placeholder[];
  /** True if the job runs only for parents whose `even` is 1. */
  readonly filtered: boolean;
}

interface Placeholder {
  readonly name: string;
  readonly level: number;
  readonly field: "id" | "list";
  /** Greatest number of values of a page that are joined. */
  readonly batch?: number;
}

interface Item {
  readonly id: string;
  readonly even: number;
  readonly list: readonly number[];
}

/** A record as a parent, or a batch of values. */
type Parent = Item | readonly (string | number)[];

/** Values of placeholders: each with its text in an address and its column, which a batch does not have. */
type Values = ReadonlyMap<string, { readonly text: string; readonly column?: readonly [string, string | number] }>;

test("for every tree of jobs and any concurrency, lines and requests equal those of a sequential walk", async () => {
  await forSeeds(24, async (random, seed) => {
    const trees = [randomTree(random, "a", []), ...(random.oneIn(2) ? [randomTree(random, "b", [])] : [])];
    await using api = await startApi(answer);
    const pagination = {
      method: "multiple",
      scrollers: {
        none: { method: "none" },
        ...Object.fromEntries([1, 2, 3].map((limit) => [`by${limit}`, { method: "offset", limit }])),
      },
    };
    const configuration = {
      api: { baseUrl: api.url, pagination },
      config: { jobs: trees.map((tree) => jobOf(tree, undefined)) },
    };
    const expected = { lines: [] as string[], targets: [] as string[] };
    for (const tree of trees) walk(tree, undefined, [], new Map(), expected);
    const concurrency = 1 + (seed % 6);
    const { lines, result } = await extractAll(configuration, { concurrency });
    const about = `seed ${seed}, concurrency ${concurrency}`;
    assert.equal(result.failure, undefined, about);
    assert.deepEqual(lines, expected.lines, about);
    if (concurrency === 1) assert.deepEqual(api.targets(), expected.targets, about);
    // Guessed pages may be requested that a sequential walk would not request.
    const missing = expected.targets.filter((target) => !api.targets().includes(target));
    assert.deepEqual(missing, [], about);
    assert.ok(expected.lines.length > 0, about);
  });
});

/**
 * Returns a random tree of jobs. `batched` says for the tree itself and each of its ancestors, upwards, whether it
 * joins values.
 */
function randomTree(random: Random, name: string, batched: readonly boolean[]): Tree {
  const depth = Math.max(batched.length - 1, 0);
  const children = depth < 3 ? random.below(depth === 0 ? 3 : 2) : 0;
  return {
    name,
    limit: random.oneIn(2) ? random.between(1, 3) : undefined,
    children: Array.from({ length: children }, (_, index) => randomBranch(random, `${name}${index}`, batched)),
  };
}

function randomBranch(random: Random, name: string, above: readonly boolean[]): Branch {
  const batch = random.oneIn(3) ? random.between(1, 4) : undefined;
  // A placeholder cannot read a value of a job above a batch.
  const batched = [batch !== undefined, ...(above.length === 0 ? [false] : above)];
  const levels = batched.slice(0, -1).flatMap((joins, at) => (joins ? [] : [at + 1]));
  const field = (): Placeholder["field"] => (random.oneIn(4) ? "list" : "id");
  const plain = levels.length === 0 ? 0 : random.between(batch === undefined ? 1 : 0, 2);
  return {
    tree: randomTree(random, name, batched),
    placeholders: [
      ...(batch === undefined ? [] : [{ name: "b", level: 1, field: field(), batch }]),
      ...Array.from({ length: plain }, (_, at) => {
        const level = random.pick(levels);
        return { name: `${level}:p${at}`, level, field: field() };
      }),
    ],
    filtered: random.oneIn(3),
  };
}

function jobOf({ name, limit, children }: Tree, branch: Branch | undefined): object {
  return {
    endpoint: endpointOf(name, branch),
    dataField: "items",
    scroller: limit === undefined ? "none" : `by${limit}`,
    ...(branch === undefined
      ? {}
      : { placeholders: Object.fromEntries(branch.placeholders.map((one) => [one.name, placeholderOf(one)])) }),
    ...(branch?.filtered ? { recursionFilter: "even==1" } : {}),
    children: children.map((child) => jobOf(child.tree, child)),
  };
}

function placeholderOf({ field, batch }: Placeholder): unknown {
  return batch === undefined ? field : { path: field, batch };
}

function endpointOf(name: string, branch: Branch | undefined): string {
  return [name, ...(branch?.placeholders ?? []).map((one) => `{${one.name}}`)].join("/");
}

/** Returns the records at an address. Their number and values depend only on its path. */
function itemsAt(path: string): readonly Item[] {
  const random = createRandom([...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7));
  return Array.from({ length: random.below(5) }, (_, index) => ({
    id: `${path.length}-${index} ${random.below(100)}`,
    even: random.below(2),
    list: Array.from({ length: random.below(3) }, () => random.below(1000)),
  }));
}

/** Answers after different times, so that concurrent requests end out of order. */
async function answer({ path, params }: Received): Promise<unknown> {
  for (let turn = path.length % 5; turn > 0; turn -= 1) await new Promise(setImmediate);
  const items = itemsAt(path);
  const offset = Number(params.get("offset") ?? 0);
  return { items: params.has("limit") ? items.slice(offset, offset + Number(params.get("limit"))) : items };
}

/**
 * Adds the lines and addresses of a sequential walk, as an oracle: each page's records, then its children, then the next page. It
 * sends nothing.
 */
function walk(
  tree: Tree,
  branch: Branch | undefined,
  parents: readonly Parent[],
  inherited: Values,
  into: { lines: string[]; targets: string[] },
): void {
  const isBatched = branch?.placeholders.some(({ batch }) => batch !== undefined) ?? false;
  for (const own of combinationsOf(branch?.placeholders ?? [], parents)) {
    const values = new Map([...inherited, ...own]);
    const path = endpointOf(tree.name, branch).replace(/\{([^}]*)\}/g, (_, name) => values.get(name)?.text ?? "");
    const all = itemsAt(`/${path}`);
    const columns = Object.fromEntries([...values.values()].flatMap(({ column }) => (column ? [column] : [])));
    for (let offset = 0; ; offset += tree.limit ?? 0) {
      const items = all.slice(offset, tree.limit === undefined ? undefined : offset + tree.limit);
      into.targets.push(`/${path}${tree.limit === undefined ? "" : `?limit=${tree.limit}&offset=${offset}`}`);
      into.lines.push(...items.map((item) => JSON.stringify({ ...item, ...(isBatched ? {} : columns) })));
      for (const child of tree.children) {
        const taken = items.filter(({ even }) => !child.filtered || even === 1);
        for (const parent of parentsOf(child, taken)) walk(child.tree, child, [parent, ...parents], values, into);
      }
      if (tree.limit === undefined || items.length < tree.limit) break;
    }
  }
}

/** Returns the records or, with a batch, the lists of values that are joined. */
function parentsOf({ placeholders }: Branch, items: readonly Item[]): readonly Parent[] {
  const joining = placeholders.find(({ batch }) => batch !== undefined);
  if (joining?.batch === undefined) return items;
  const values = items.flatMap((item): (string | number)[] => [item[joining.field]].flat());
  const { batch } = joining;
  return Array.from({ length: Math.ceil(values.length / batch) }, (_, at) =>
    values.slice(at * batch, (at + 1) * batch),
  );
}

function combinationsOf(placeholders: readonly Placeholder[], parents: readonly Parent[]): Values[] {
  return placeholders.reduce<Values[]>(
    (combinations, { name, level, field }) => {
      const parent = parents[level - 1] ?? [];
      if ("id" in parent) {
        const values = [parent[field]].flat();
        const found = values.map((value) => ({
          text: encodeURIComponent(value),
          column: [`parent_${field}`, value] as const,
        }));
        return combinations.flatMap((one) => found.map((value) => new Map([...one, [name, value]])));
      }
      const text = parent.map((value) => encodeURIComponent(value)).join(",");
      return combinations.map((one) => new Map([...one, [name, { text }]]));
    },
    [new Map()],
  );
}
