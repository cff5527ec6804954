import { evidenceFields, evidencePlaces, failureFields, type Meaning, spellings } from "../core/evidence.ts";
import { watchKey } from "../core/page.ts";
import type { Path } from "../core/path.ts";
import type { DocumentOptions } from "./document-options.ts";

/** What a response is read for, as a tree of names: at each place, what it is wanted for and what is wanted below. */
export interface Interest {
  /** Wanted below, by name. */
  inner: Map<string, Interest> | undefined;
  /** Wanted below of every such place: the fields that tell of paging. */
  shared: ReadonlyMap<string, Interest> | undefined;
  /** Is something wanted below that may be an element of an array? */
  indexed: boolean;
  /** The records stand here. */
  data: boolean;
  /** The records stand here or below. */
  leads: boolean;
  /** Key of the watched path that ends here. */
  watch: string | undefined;
  evidence: Meaning | undefined;
}

/** The interest that was compiled last: the pages of a job want the same. */
let latest: { readonly wanted: Wanted; readonly interest: Interest } | undefined;

type Wanted = Pick<DocumentOptions, "dataField" | "watch" | "evidence">;

/** The interest at the root of a document. */
export function interestOf(wanted: Wanted): Interest {
  const known = latest?.wanted;
  const same =
    known?.dataField === wanted.dataField && known?.watch === wanted.watch && known.evidence === wanted.evidence;
  if (latest !== undefined && same) return latest.interest;
  const interest = compileInterest(wanted.dataField, wanted.watch, wanted.evidence);
  latest = { wanted: { dataField: wanted.dataField, watch: wanted.watch, evidence: wanted.evidence }, interest };
  return interest;
}

/** The interest at the root. `dataField` undefined: the array is found by its kind. */
function compileInterest(dataField: Path | undefined, watch: readonly Path[], evidence: boolean): Interest {
  const root = make({});
  // The whole response as the records leaves nothing beside them.
  if (evidence && dataField?.length !== 0) root.shared = inRoot;
  let node = root;
  for (const name of dataField ?? []) {
    if (evidence && node !== root) node.shared = onTheWay;
    node.leads = true;
    node = child(node, name);
  }
  if (dataField !== undefined) Object.assign(node, make({ data: true, leads: true }));
  for (const path of watch) path.reduce(child, root).watch = watchKey(path);
  return root;
}

/** What is wanted of the member `name`. */
export function interestIn(interest: Interest | undefined, name: string): Interest | undefined {
  return interest?.inner?.get(name) ?? interest?.shared?.get(name);
}

/** Watched paths at and below a place, relative to it. */
export function watchedWithin(interest: Interest | undefined): readonly { path: Path; key: string }[] {
  if (interest === undefined) return [];
  const own = interest.watch === undefined ? [] : [{ path: [], key: interest.watch }];
  const below = [...(interest.inner ?? [])].flatMap(([name, inner]) =>
    watchedWithin(inner).map(({ path, key }) => ({ path: [name, ...path], key })),
  );
  return [...own, ...below];
}

function make(wanted: Partial<Interest>): Interest {
  return {
    inner: undefined,
    shared: undefined,
    indexed: false,
    data: false,
    leads: false,
    watch: undefined,
    evidence: undefined,
    ...wanted,
  };
}

function child(node: Interest, name: string): Interest {
  const known = node.inner?.get(name);
  if (known !== undefined) return known;
  const made = make({ ...node.shared?.get(name) });
  node.inner ??= new Map();
  node.inner.set(name, made);
  if (/^(0|[1-9][0-9]*)$/.test(name)) node.indexed = true;
  return made;
}

/** Fields that tell of paging, and the objects beside the records that hold such fields, two deep (contract C-6.11). */
const fields = namesOf(evidenceFields);
const deeper = withPlaces(fields, fields);
const onTheWay = withPlaces(fields, deeper);
const inRoot = new Map([...onTheWay, ...namesOf(failureFields.map((name) => [name, "failure"]))]);

function namesOf(rows: readonly (readonly [name: string, meaning: Meaning])[]): ReadonlyMap<string, Interest> {
  return new Map(
    rows.flatMap(([name, evidence]) => spellings(name).map((text) => [text, make({ evidence })] as const)),
  );
}

/** `known` with the objects of `evidencePlaces`, in which `shared` is wanted. */
function withPlaces(
  known: ReadonlyMap<string, Interest>,
  shared: ReadonlyMap<string, Interest>,
): ReadonlyMap<string, Interest> {
  const names = evidencePlaces.flatMap(spellings);
  return new Map([...known, ...names.map((name) => [name, make({ ...known.get(name), shared })] as const)]);
}
