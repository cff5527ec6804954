import { evidenceNames, watchKey } from "../core/page.ts";
import type { Path } from "../core/path.ts";

/** What a response is read for, as a tree of names: at each place, what it is wanted for and what is wanted below. */
export interface Interest {
  readonly inner: Map<string, Interest>;
  /** Is something wanted below that may be an element of an array? */
  indexed: boolean;
  /** The records stand here. */
  data: boolean;
  /** The records stand here or below. */
  leads: boolean;
  /** Key of the watched path that ends here. */
  watch: string | undefined;
  evidence: "total" | "more" | undefined;
}

/** The interest at the root. `dataField` undefined: the array is found by its kind (spec 7, auto-detection). */
export function compileInterest(dataField: Path | undefined, watch: readonly Path[], evidence: boolean): Interest {
  const root = nothing();
  if (evidence && dataField?.length !== 0) addEvidence(root, dataField ?? [""]);
  place(root, dataField ?? [], (node) => {
    node.leads = dataField !== undefined;
  }).data = dataField !== undefined;
  for (const path of watch) place(root, path).watch = watchKey(path);
  return root;
}

/** Watched paths at and below a place, relative to it. */
export function watchedWithin(interest: Interest | undefined): readonly { path: Path; key: string }[] {
  if (interest === undefined) return [];
  const own = interest.watch === undefined ? [] : [{ path: [], key: interest.watch }];
  const below = [...interest.inner].flatMap(([name, inner]) =>
    watchedWithin(inner).map(({ path, key }) => ({ path: [name, ...path], key })),
  );
  return [...own, ...below];
}

function nothing(): Interest {
  return { inner: new Map(), indexed: false, data: false, leads: false, watch: undefined, evidence: undefined };
}

/** Every object on the way to the records, and the objects in it that tell of paging (spec 6, "Evidence of more"). */
function addEvidence(root: Interest, dataField: Path): void {
  for (let depth = 0; depth < dataField.length; depth += 1) {
    const way = dataField.slice(0, depth);
    for (const within of ["", ...evidenceNames.within]) {
      if (within !== "" && within === dataField[depth]) continue;
      const object = place(root, within === "" ? way : [...way, within]);
      for (const name of evidenceNames.total) child(object, name).evidence = "total";
      for (const name of evidenceNames.more) {
        child(object, name).evidence = "more";
        child(child(object, name), "href").evidence = "more";
      }
    }
  }
}

function place(root: Interest, path: Path, visit?: (node: Interest) => void): Interest {
  let node = root;
  visit?.(node);
  for (const name of path) {
    node = child(node, name);
    visit?.(node);
  }
  return node;
}

function child(node: Interest, name: string): Interest {
  const known = node.inner.get(name);
  if (known !== undefined) return known;
  const made = nothing();
  node.inner.set(name, made);
  if (/^(0|[1-9][0-9]*)$/.test(name)) node.indexed = true;
  return made;
}
