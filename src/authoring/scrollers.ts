import type { ValueObject } from "../core/values/value.ts";

/** `api.pagination` of several jobs, and a function that returns the scroller for a job's paging; undefined if none is needed. */
export interface SharedPaging {
  readonly pagination: ValueObject | undefined;
  scrollerOf(pagination: ValueObject | undefined): string | undefined;
}

/** Returns the shared paging of jobs. If all page alike, `api.pagination` is that paging; otherwise each way is a named scroller. */
export function pagingFor(all: readonly (ValueObject | undefined)[]): SharedPaging {
  const scrollers = new Map<string, { readonly name: string; readonly pagination: ValueObject }>();
  for (const pagination of all) {
    if (pagination === undefined || scrollers.has(JSON.stringify(pagination))) continue;
    const method = String(pagination.method).replace(".", "-");
    const same = [...scrollers.values()].filter((one) => one.pagination.method === pagination.method).length;
    scrollers.set(JSON.stringify(pagination), { name: same === 0 ? method : `${method}-${same + 1}`, pagination });
  }
  const [first, ...others] = [...scrollers.values()];
  if (first === undefined) return { pagination: undefined, scrollerOf: () => undefined };
  if (others.length === 0 && all.every((pagination) => pagination !== undefined))
    return { pagination: first.pagination, scrollerOf: () => undefined };
  const named = Object.fromEntries([first, ...others].map(({ name, pagination }) => [name, pagination]));
  return {
    pagination: { method: "multiple", scrollers: named },
    scrollerOf: (pagination) =>
      pagination === undefined ? undefined : scrollers.get(JSON.stringify(pagination))?.name,
  };
}
