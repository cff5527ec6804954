import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { extractAll } from "./extraction.ts";

/** A random job: where its records come from, and what its children take of them. */
interface Tree {
  readonly name: string;
  /** Page size, where it pages by offset. */
  readonly limit: number | undefined;
  readonly children: readonly Branch[];
}

interface Branch {
  readonly tree: Tree;
  /** Levels up and the field there, by placeholder. */
  readonly placeholders: readonly { readonly name: string; readonly level: number; readonly field: "id" | "list" }[];
  /** Only parents with an even number. */
  readonly filtered: boolean;
}

interface Item {
  readonly id: string;
  readonly even: number;
  readonly list: readonly number[];
}

/** What a placeholder became. */
type Values = ReadonlyMap<string, { readonly field: string; readonly value: string | number }>;

test("whatever the tree of jobs and the concurrency, lines and requests are those of a sequential walk", async () => {
  await forSeeds(24, async (random, seed) => {
    const trees = [randomTree(random, "a", 0), ...(random.oneIn(2) ? [randomTree(random, "b", 0)] : [])];
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
    // Guessed pages may be asked for that a sequential walk would not.
    const missing = expected.targets.filter((target) => !api.targets().includes(target));
    assert.deepEqual(missing, [], about);
    assert.ok(expected.lines.length > 0, about);
  });
});

function randomTree(random: Random, name: string, depth: number): Tree {
  const children = depth < 3 ? random.below(depth === 0 ? 3 : 2) : 0;
  return {
    name,
    limit: random.oneIn(2) ? random.between(1, 3) : undefined,
    children: Array.from({ length: children }, (_, index) => ({
      tree: randomTree(random, `${name}${index}`, depth + 1),
      placeholders: Array.from({ length: random.between(1, 2) }, (_, at) => {
        const level = random.between(1, depth + 1);
        return { name: `${level}:p${at}`, level, field: random.oneIn(4) ? ("list" as const) : ("id" as const) };
      }),
      filtered: random.oneIn(3),
    })),
  };
}

function jobOf({ name, limit, children }: Tree, branch: Branch | undefined): object {
  return {
    endpoint: endpointOf(name, branch),
    dataField: "items",
    scroller: limit === undefined ? "none" : `by${limit}`,
    ...(branch === undefined
      ? {}
      : { placeholders: Object.fromEntries(branch.placeholders.map((one) => [one.name, one.field])) }),
    ...(branch?.filtered ? { recursionFilter: "even==1" } : {}),
    children: children.map((child) => jobOf(child.tree, child)),
  };
}

function endpointOf(name: string, branch: Branch | undefined): string {
  return [name, ...(branch?.placeholders ?? []).map((one) => `{${one.name}}`)].join("/");
}

/** The records of an address: how many and which follows from its path alone. */
function itemsAt(path: string): readonly Item[] {
  const random = createRandom([...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7));
  return Array.from({ length: random.below(5) }, (_, index) => ({
    id: `${path.length}-${index} ${random.below(100)}`,
    even: random.below(2),
    list: Array.from({ length: random.below(3) }, () => random.below(1000)),
  }));
}

/** Answers take different times, so that those side by side end out of order. */
async function answer({ path, params }: Received): Promise<unknown> {
  for (let turn = path.length % 5; turn > 0; turn -= 1) await new Promise(setImmediate);
  const items = itemsAt(path);
  const offset = Number(params.get("offset") ?? 0);
  return { items: params.has("limit") ? items.slice(offset, offset + Number(params.get("limit"))) : items };
}

/** The oracle: one request after another, each page's records, then its children, then the next page. */
function walk(
  tree: Tree,
  branch: Branch | undefined,
  parents: readonly Item[],
  inherited: Values,
  into: { lines: string[]; targets: string[] },
): void {
  for (const own of combinationsOf(branch?.placeholders ?? [], parents)) {
    const values = new Map([...inherited, ...own]);
    const path = endpointOf(tree.name, branch).replace(/\{([^}]*)\}/g, (_, name) =>
      encodeURIComponent(String(values.get(name)?.value)),
    );
    const all = itemsAt(`/${path}`);
    const columns = Object.fromEntries([...values.values()].map(({ field, value }) => [`parent_${field}`, value]));
    for (let offset = 0; ; offset += tree.limit ?? 0) {
      const items = all.slice(offset, tree.limit === undefined ? undefined : offset + tree.limit);
      into.targets.push(`/${path}${tree.limit === undefined ? "" : `?limit=${tree.limit}&offset=${offset}`}`);
      into.lines.push(...items.map((item) => JSON.stringify({ ...item, ...columns })));
      for (const child of tree.children) {
        for (const item of items) {
          if (!child.filtered || item.even === 1) walk(child.tree, child, [item, ...parents], values, into);
        }
      }
      if (tree.limit === undefined || items.length < tree.limit) break;
    }
  }
}

function combinationsOf(placeholders: Branch["placeholders"], parents: readonly Item[]): Values[] {
  return placeholders.reduce<Values[]>(
    (combinations, { name, level, field }) => {
      const found = parents[level - 1]?.[field];
      const values: (string | number)[] = typeof found === "string" ? [found] : [...(found ?? [])];
      return combinations.flatMap((one) => values.map((value) => new Map([...one, [name, { field, value }]])));
    },
    [new Map()],
  );
}
