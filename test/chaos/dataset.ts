import { createRandom, type Random } from "../helpers/random.ts";

/** The API's way of paging. */
export type Method = "offset" | "pagenum";

/** A child job, with a request for each record of its parent. */
export interface Child {
  /** Its requests go to `<name>/<id of the parent's record>`. */
  readonly name: string;
  readonly shape: Dataset["shape"];
  readonly size: number | undefined;
  /** True if only records whose id does not end in 3 get requests. */
  readonly filtered: boolean;
  readonly children: readonly Child[];
}

/** The data of a job, or of a child job's run, and the behaviour of the API that serves it. */
export interface Dataset {
  readonly endpoint: string;
  /** Raw JSON texts of the records, each different. */
  readonly records: readonly string[];
  /** Returns the records of the page at an offset if `size` records are requested. */
  page(offset: number, size: number): readonly string[];
  /** Place of the records: the root, `items` without a data field, `data.items`. */
  readonly shape: "root" | "items" | "data.items";
  /** True if the response contains the total. */
  readonly reportsTotal: boolean;
  /** True for white space around every token. */
  readonly pretty: boolean;
  /** True if an empty page is a 204. */
  readonly noContent: boolean;
  /** True if each page depends only on the requested size, so that guesses are right. */
  readonly regular: boolean;
  /** True if the API gives its last page again for requests beyond its end. */
  readonly repeats: boolean;
  /** Page size in the job's parameters, if it has one. */
  readonly size: number | undefined;
  readonly children: readonly Child[];
}

/** Creates child jobs, and their child jobs, down to `depth` levels. */
export function createChildren(random: Random, name: string, depth: number): Child[] {
  return Array.from({ length: random.between(1, 2) }, (_, index) => ({
    name: `${name}${"ab"[index]}`,
    shape: random.pick(shapes),
    size: random.oneIn(3) ? random.between(1, 4) : undefined,
    filtered: random.oneIn(4),
    children: depth > 1 && random.oneIn(3) ? createChildren(random, `${name}${index}`, depth - 1) : [],
  }));
}

/**
 * Returns the dataset of an endpoint. A child's dataset exists for each record of the parent, and is made when it is first
 * requested.
 */
export function lookUp(
  datasets: readonly Dataset[],
  seed: number,
  size: number,
  method: Method,
): (path: string) => Dataset | undefined {
  const known = new Map(datasets.map((dataset) => [dataset.endpoint, dataset]));
  const children = new Map(datasets.flatMap((dataset) => descendants(dataset.children)).map((one) => [one.name, one]));
  return (path) => {
    const child = children.get(path.split("/", 1)[0] ?? "");
    if (!known.has(path) && child !== undefined) {
      const random = createRandom(hash(`${seed} ${path}`));
      known.set(
        path,
        createDataset(random, { ...child, endpoint: path, most: 7, size: size, own: child.size, method }),
      );
    }
    return known.get(path);
  };
}

function descendants(children: readonly Child[]): Child[] {
  return children.flatMap((child) => [child, ...descendants(child.children)]);
}

interface DatasetOptions {
  readonly endpoint: string;
  readonly children: readonly Child[];
  /** Greatest number of records. */
  readonly most: number;
  readonly size: number;
  readonly method: Method;
  /** Page size of the child job, which all its runs share. */
  readonly own?: number | undefined;
  readonly shape?: Dataset["shape"];
}

const shapes = ["root", "items", "data.items", "data.items"] as const;

/** Creates records, the pages in which they come, and the behaviour of the API. */
export function createDataset(random: Random, options: DatasetOptions): Dataset {
  const { endpoint, children, most, size, method } = options;
  const drawn = random.oneIn(5) ? random.between(1, 8) : undefined;
  const own = options.shape === undefined ? drawn : options.own;
  const asked = own ?? size;
  const longest = random.pick(most > 10 ? [0, 20, 20, 200, 3000, 60_000] : [0, 20, 500]);
  const length = random.oneIn(8) ? 0 : random.between(1, longest > 3000 ? 15 : most);
  const name = endpoint.replaceAll("/", ".");
  const records = Array.from({ length }, (_, index) => {
    return createRecord(random, `${name}-${index}`, longest, children.length > 0);
  });
  const manner = random.pick(
    method === "offset"
      ? (["plain", "plain", "plain", "capped", "long", "ragged", "repeating"] as const)
      : (["plain", "plain", "repeating"] as const),
  );
  const cap = random.between(1, asked);
  const more = random.between(1, 4);
  const ragged = Array.from({ length: 200 }, () => random.below(3));
  const shape = options.shape ?? random.pick(shapes);
  const page = (offset: number, limit: number): readonly string[] => {
    const from = manner === "repeating" && length > 0 ? Math.min(offset, lastStart(length, limit)) : offset;
    const extra = manner === "long" ? more : manner === "ragged" ? (ragged[offset] ?? 0) : 0;
    return records.slice(from, from + (manner === "capped" ? Math.min(cap, limit) : limit) + extra);
  };
  return {
    endpoint,
    records,
    page,
    shape,
    reportsTotal: shape !== "root" && random.oneIn(2),
    pretty: random.oneIn(4),
    noContent: random.oneIn(4),
    regular: manner === "plain" || manner === "repeating",
    repeats: manner === "repeating",
    size: own,
    children,
  };
}

/** Returns the offset of the last page. An API that repeats this page gives it for every greater offset. */
function lastStart(length: number, size: number): number {
  return Math.floor((length - 1) / size) * size;
}

function createRecord(random: Random, name: string, longest: number, isParent: boolean): string {
  if (!isParent && random.oneIn(12)) return JSON.stringify(name);
  const filling = "x\\u00e9\\n😀é".repeat(10);
  const text =
    filling.slice(0, random.below(3) * 8).replace(/\\u?[0-9a-f]{0,3}$/, "") + "y".repeat(random.below(longest + 1));
  return `{"id":"${name}","n":${random.pick(["13911860366432393", "1.10", "-0", "1e400", "7"])},"s":"${text.toWellFormed()}","a":[${"1,".repeat(random.below(4))}{}]}`;
}

/** Returns the 32-bit FNV-1a hash of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
