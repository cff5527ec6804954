import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { evidenceFields, evidenceHeaders, evidencePlaces, spellings } from "../knowledge/earlier-names.ts";
import { type Api, crawl, rows } from "./crawl.ts";

/*
 * An API of `total` rows reports this number in random ways, all of them true. A job fetches all rows, or is cut short by the API
 * or the configuration. No cut run may end as complete if the API has reported more, and no whole run may be suspect.
 */

/** The facts from which an API answers a page. */
interface Truth {
  readonly total: number;
  readonly pages: number;
  /** Start of the next page; undefined on the last one. */
  readonly next: number | undefined;
}

interface Report {
  /**
   * Name of the header, or first name of the path in the body. A random API has one report for each, because a second one would
   * replace it.
   */
  readonly root: string;
  report(truth: Truth, random: Random): { readonly body?: object; readonly headers?: Record<string, string> };
}

interface World {
  readonly seed: number;
  readonly pagination: Pagination | undefined;
  readonly api: Api;
  readonly params: Record<string, number>;
  readonly dataField: string;
  /** True if the job gets all rows. */
  readonly whole: boolean;
  /** True if pages report a total, or whether there is more. */
  readonly hasReport: boolean;
  /** Number of rows that a whole run gets. */
  readonly wanted: number;
}

function randomWorld(seed: number): World {
  const random = createRandom(seed);
  const size = random.between(1, 7);
  const total = random.between(0, 30);
  const kind = random.pick(["offset", "pagenum", "url", "param", "link", "none"] as const);
  const counts = kind === "offset" || kind === "pagenum";
  // A wrong configuration ends paging too early: a page size that the API does not reach, or a wrong name of the field
  // that leads to the next page.
  const wrong = random.oneIn(2);
  const actual = counts && wrong ? random.between(1, size) : size;
  const start = kind === "offset" && !wrong && random.oneIn(3) ? size * random.between(0, 2) : 0;
  const depth = random.below(3);
  const all = Array.from({ length: random.oneIn(4) ? 0 : random.between(1, 3) }, () =>
    randomReport(random, size, total),
  );
  const reports = [...new Map(all.map((one) => [one.root, one])).values()];
  const key = wrong ? "followed" : "follow";
  const pagination = {
    offset: { method: "offset", limit: size, offsetFromJob: true },
    pagenum: { method: "pagenum", limit: size },
    url: { method: "response.url", urlKey: key },
    param: { method: "response.param", responseParam: key, queryParam: "at" },
    link: { method: "link", rel: wrong ? "other" : "follow" },
    none: undefined,
  }[kind] as Pagination | undefined;
  const api: Api = (query) => {
    const page = Number(query.get("page") ?? 1);
    const at = Number(query.get("offset") ?? query.get("at") ?? (page - 1) * actual);
    const items = rows(total).slice(at, at + actual);
    const next = at + actual < total ? at + actual : undefined;
    const truth = { total, pages: Math.max(Math.ceil(total / actual), random.below(2)), next };
    const reported = reports.map(({ report }) => report(truth, random));
    const beside = reported.reduce<object>((all, { body }) => merged(all, body ?? {}), {
      scroll_id: "s",
      follow: next === undefined ? undefined : kind === "url" ? `?at=${next}` : next,
    });
    const link = next === undefined ? {} : { Link: `<?at=${next}>; rel="follow"` };
    const headers = reported.reduce<Record<string, string>>(
      (all, one) => joined(all, one.headers ?? {}),
      kind === "link" ? link : {},
    );
    return { body: JSON.stringify(wrap(beside, items, depth)), headers };
  };
  const whole = counts ? actual === size || total - start <= actual : kind === "none" || wrong ? total <= size : true;
  return {
    seed,
    pagination,
    api,
    params: start > 0 ? { offset: start } : {},
    dataField: [...["data", "list"].slice(0, depth), "items"].join("."),
    whole: whole || start >= total,
    hasReport: reports.length > 0,
    wanted: Math.max(total - start, 0),
  };
}

/** Returns a report by a random field at a random place, or by a random header, with true values. */
function randomReport(random: Random, size: number, total: number): Report {
  if (random.oneIn(4)) return headerReport(random);
  // `incomplete results` is left out: true on any page makes a job suspect, so a whole job would be suspect, too.
  const known = evidenceFields.filter(([row, meaning]) => meaning !== "beside" && row !== "incomplete results");
  const [row, meaning] = random.pick(known);
  // A count that equals the sent page size is taken for the page size.
  if (meaning === "count" && total === size) return randomReport(random, size, total);
  const name = random.pick(spellings(row));
  const places = [
    [],
    [random.pick(evidencePlaces.flatMap(spellings))],
    [random.pick(["meta", "pagination"]), random.pick(["page_info", "paging"])],
  ];
  const place = random.pick(places);
  return {
    root: place[0] ?? name,
    report(truth, rolled) {
      const value = trueValue(meaning, truth, rolled);
      if (value === undefined) return {};
      return { body: [...place, name].reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as object };
    },
  };
}

function trueValue(meaning: string, { total, pages, next }: Truth, random: Random): unknown {
  const nothing = [null, "", undefined, false, {}, []][random.below(6)];
  switch (meaning) {
    case "total":
      return random.pick([total, String(total), { value: total }]);
    case "count":
      return random.pick([total, String(total)]);
    case "pages":
      return random.pick([pages, String(pages)]);
    case "more":
      return next !== undefined;
    case "last":
      return next === undefined;
    case "offset":
      return next === undefined ? nothing : `itr${next}/rec${next}`;
    case "links":
      return [{ rel: "self", href: "?at=0" }, ...(next === undefined ? [] : [{ rel: "next", href: `?at=${next}` }])];
    default:
      return next === undefined
        ? nothing
        : random.pick([`t${next}`, `?at=${next}`, { href: `?at=${next}` }, { after: "x" }, ["x"]]);
  }
}

function headerReport(random: Random): Report {
  const [name, meaning] = random.pick(evidenceHeaders);
  const report: Report["report"] = ({ total, pages, next }) => {
    const value = {
      total: String(total),
      pages: String(pages),
      number: next === undefined ? "" : String(next + 1),
      range: `items 0-1/${total}`,
      fields: JSON.stringify({ TotalCount: total, totalPages: pages, HasNext: next !== undefined }),
      relation: next === undefined ? '<?at=0>; rel="first"' : `<?at=0>; rel="first" , <?at=${next}>; rel=next`,
    }[meaning];
    return { headers: { [name]: value } };
  };
  return { root: name, report };
}

function joined(a: Record<string, string>, b: Record<string, string>): Record<string, string> {
  const all = { ...a };
  for (const [name, value] of Object.entries(b))
    all[name] = name === "Link" && name in all ? `${all[name]}, ${value}` : value;
  return all;
}

/** Merges two objects. If both have a scalar of one name, that of the first stays. */
function merged(a: object, b: object): object {
  const all: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const known = all[name];
    all[name] = isObject(known) && isObject(value) ? merged(known, value) : name in all ? known : value;
  }
  return all;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Puts the records some levels below the fields beside them. */
function wrap(beside: object, items: unknown, depth: number): object {
  if (depth === 0) return { ...beside, items };
  return depth === 1 ? { ...beside, data: { items } } : { ...beside, data: { list: { items } } };
}

test("no run that was cut is complete if the API reports more, and no whole run is suspect", async () => {
  const seen = { whole: 0, reporting: 0, silent: 0 };
  await forSeeds(1000, (_, seed) => {
    const world = randomWorld(seed);
    const { verdict, records, error } = crawl(world.pagination, world.api, world);
    const context = `seed ${seed}: ${JSON.stringify(world.pagination)} ${verdict?.reason ?? error}`;
    assert.equal(error, undefined, context);
    assert.equal(records.length === world.wanted, world.whole, context);
    if (world.whole) {
      seen.whole++;
      assert.equal(verdict?.kind, "complete", context);
    } else if (world.hasReport) {
      seen.reporting++;
      assert.equal(verdict?.kind, "suspect", context);
    } else seen.silent++;
  });
  assert.ok(seen.whole > 250 && seen.reporting > 120 && seen.silent > 25, JSON.stringify(seen));
});
