import { watchKey } from "../core/runs/page.ts";
import { isIndex, type Path } from "../core/values/path.ts";
import { type Role, roleIn } from "../knowledge/fields.ts";
import { type FieldZone, zoneOf } from "../knowledge/places.ts";
import type { DocumentOptions } from "./document-options.ts";

/**
 * The parts of a response that are read, as a tree of names: each node says why its value is read, and which names below it are read.
 */
export interface Interest {
  /** Interests below, by name. */
  inner: Map<string, Interest> | undefined;
  /** Zone of an object here. It decides which of the object's fields are about paging. */
  zone: FieldZone | undefined;
  /** True if something below may be an element of an array. */
  indexed: boolean;
  /** True if the records are here. */
  data: boolean;
  /** True if the records are here or below. */
  leads: boolean;
  /** Key of the watched path that ends here. */
  watch: string | undefined;
  /** Meaning of the field's name for paging. */
  evidence: Role | undefined;
}

/** The interest that was compiled last. It is reused, since all pages of a job read the same parts. */
let latest: { readonly needs: Wanted; readonly interest: Interest } | undefined;

type Wanted = Pick<DocumentOptions, "dataField" | "watch" | "evidence">;

/** Returns the interest at the root of a document. */
export function interestOf(needs: Wanted): Interest {
  const latestNeeds = latest?.needs;
  const isLatest =
    latestNeeds?.dataField === needs.dataField &&
    latestNeeds?.watch === needs.watch &&
    latestNeeds.evidence === needs.evidence;
  if (latest !== undefined && isLatest) return latest.interest;
  const interest = compileInterest(needs.dataField, needs.watch, needs.evidence);
  latest = { needs: { dataField: needs.dataField, watch: needs.watch, evidence: needs.evidence }, interest };
  return interest;
}

/** Compiles the interest at the root. If `dataField` is undefined, the array of records is detected. */
function compileInterest(dataField: Path | undefined, watch: readonly Path[], evidence: boolean): Interest {
  const root = make({});
  // If the whole response is the records, there is nothing beside them.
  if (evidence && dataField?.length !== 0) root.zone = "root";
  // The records may be an element of a list that begins with an object of paging: `[{"total": 95}, [...]]`.
  const isElement = dataField?.length === 1 && isIndex(dataField[0] ?? "");
  if (evidence && isElement && dataField[0] !== "0") child(root, "0").zone = "way";
  let node = root;
  for (const name of dataField ?? []) {
    if (evidence && node !== root) node.zone = "way";
    node.leads = true;
    node = child(node, name);
  }
  if (dataField !== undefined) Object.assign(node, make({ data: true, leads: true }));
  for (const path of watch) path.reduce(child, root).watch = watchKey(path);
  return root;
}

/** Returns the interest in the member `name`. */
export function interestIn(interest: Interest | undefined, name: string): Interest | undefined {
  return interest?.inner?.get(name) ?? (interest?.zone === undefined ? undefined : beside(interest.zone, name));
}

/** A watched path at or below a place, relative to it, and its key in the summary. */
export interface WatchedWithin {
  readonly path: Path;
  readonly key: string;
}

/** Returns the watched paths at and below a place. */
export function watchedWithin(interest: Interest | undefined): readonly WatchedWithin[] {
  if (interest === undefined) return [];
  const watchedRoots = interest.watch === undefined ? [] : [{ path: [], key: interest.watch }];
  const watchedBelow = [...(interest.inner ?? [])].flatMap(([name, inner]) =>
    watchedWithin(inner).map(({ path, key }) => ({ path: [name, ...path], key })),
  );
  return [...watchedRoots, ...watchedBelow];
}

function make(parts: Partial<Interest>): Interest {
  return {
    inner: undefined,
    zone: undefined,
    indexed: false,
    data: false,
    leads: false,
    watch: undefined,
    evidence: undefined,
    ...parts,
  };
}

function child(node: Interest, name: string): Interest {
  const existing = node.inner?.get(name);
  if (existing !== undefined) return existing;
  const childInterest = make({ ...(node.zone === undefined ? undefined : beside(node.zone, name)) });
  node.inner ??= new Map();
  node.inner.set(name, childInterest);
  if (isIndex(name)) node.indexed = true;
  return childInterest;
}

const cachedInterests = new Map<string, Interest | undefined>();

/** Maximum number of cached interests, over all zones. An API has few names; a hostile response may contain any number. */
const maxCached = 2000;

/** Returns the interest in the member `name` of an object beside the records (contract C-6.11). */
function beside(zone: FieldZone, name: string): Interest | undefined {
  const key = `${zone} ${name}`;
  if (cachedInterests.has(key)) return cachedInterests.get(key);
  const evidence = roleIn(zone, name);
  const inner = zoneOf(zone, name);
  const fieldInterest = evidence === undefined && inner === undefined ? undefined : make({ evidence, zone: inner });
  if (cachedInterests.size < maxCached) cachedInterests.set(key, fieldInterest);
  return fieldInterest;
}
