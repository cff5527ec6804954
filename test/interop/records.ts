import { type Handler, text } from "../helpers/api.ts";

/** The API's data: JSON texts, since JavaScript cannot represent some of their numbers. */
export interface Held {
  readonly [stream: string]: readonly string[];
}

/** Returns records whose values targets must not lose: ids beyond 2^53, decimals, escapes, many scripts, quotes, null. */
export function heldRecords(count: number, version = 1): Held {
  const of = (stream: number, length: number, more: (id: string, index: number) => string): string[] =>
    Array.from({ length }, (_, index) => {
      const id = String(9_007_199_254_740_993n + BigInt(stream * 1_000_000 + index * 2));
      return `{"id":${id},${more(id, index)}}`;
    });
  return {
    accounts: of(
      0,
      count,
      (_, index) =>
        `"name":"Krysa\\u0159 \\"${index}\\", ж 山 \\ud83d\\ude00 \\/ \\n","amount":${index}.${index % 7}0,"rate":${(index / 1000).toFixed(3)},"note":${index % 3 === 0 ? "null" : '""'},"version":${version}`,
    ),
    events: of(
      1,
      Math.floor(count / 2),
      (id) => `"of":${id},"deep":{"list":[1,2.50,{"a":null}],"empty":{},"t":true},"version":${version}`,
    ),
  };
}

/** Schemas for targets that make columns. */
export const schemas: Readonly<Record<string, object>> = {
  accounts: {
    type: "object",
    properties: {
      id: { type: "integer" },
      name: { type: "string" },
      amount: { type: "number" },
      rate: { type: "number" },
      note: { type: ["string", "null"] },
      version: { type: "integer" },
    },
  },
  events: {
    type: "object",
    properties: {
      id: { type: "integer" },
      of: { type: "integer" },
      deep: { type: "object" },
      version: { type: "integer" },
    },
  },
};

const size = 50;

/** Returns an API with pages by offset. `disturb` gets the number of each request, and may give another answer to it. */
export function answerWith(held: Held, disturb: (request: number) => unknown): Handler {
  let requests = 0;
  return ({ path, params }) => {
    requests += 1;
    const disturbed = disturb(requests);
    if (disturbed !== undefined) return disturbed;
    const offset = Number(params.get("offset"));
    return text(`[${(held[path.slice(1)] ?? []).slice(offset, offset + size).join(",")}]`);
  };
}

/** Returns the configuration that fetches the data. */
export function configurationOf(url: string): object {
  return {
    api: { baseUrl: url, pagination: { method: "offset", limit: size } },
    config: { jobs: Object.entries(schemas).map(([endpoint, schema]) => ({ endpoint, key: "id", schema })) },
  };
}
