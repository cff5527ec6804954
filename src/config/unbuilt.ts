/** Fields that spile does not have, by the title of the object where one would write them, and what does their work. */
const fields: Readonly<Record<string, readonly (readonly [name: RegExp, advice: string])[]>> = {
  Job: [
    [
      /^(record_?)?(filters?|where|select(or)?|condition)$/i,
      'spile writes records as they come; select them afterwards with jq: jq -c "select(.active)" (docs/recipes.md); "recursionFilter" in a child job picks its parents',
    ],
    [
      /^(transform(er|ation)?s?|(add|remove|computed|rename|drop)_?(fields?|columns?)?|columns|fields|flatten)$/i,
      'spile writes records as they come; add, drop and rename fields afterwards with jq (docs/recipes.md); "userData" adds a column',
    ],
    [
      /^(body|json|payload|request_?body(_?(json|data))?)$/i,
      'the "params" of a job are its body if "method" is "POST" (JSON) or "FORM"; a GET has no body',
    ],
    [
      /^(property_?chunking|properties|query_?properties)$/i,
      'name the requested fields in "params"; divide a list that is too long for one request among several jobs',
    ],
    [
      /^(files?|downloads?|attachments?|file_?uploader)$/i,
      "spile does not transfer files: fetch them with curl from the addresses in the records",
    ],
    [/^(python|script|code|class_?name|custom)$/i, "spile runs no foreign code; change records afterwards with jq"],
  ],
  Configuration: [
    [
      /^(dynamic_?streams?|streams?)$/i,
      'list each job in "config.jobs"; endpoint lists, child jobs and "iterations" make several runs of one job',
    ],
  ],
};

const ask = "ask the API for NDJSON or CSV";
const header =
  '"api.http.headers" or the "headers" of a job send a token or a key with every request, a type "query" a parameter';

/** Values that spile does not take, by the ends of the paths where one would write them, and what does their work. */
const values: readonly (readonly [path: RegExp, value: RegExp, advice: string])[] = [
  [
    /\/(jobs|children)\/[^/]+\/format(\/type)?$/,
    /^xml$/i,
    "spile does not read XML: convert it to JSON, for example with xq",
  ],
  [/\/(jobs|children)\/[^/]+\/format(\/type)?$/, /^(xlsx?|excel)$/i, `spile does not read Excel sheets: ${ask}`],
  [
    /\/(jobs|children)\/[^/]+\/format(\/type)?$/,
    /^(parquet|avro|orc)$/i,
    `spile does not read files of this format: ${ask}`,
  ],
  [/\/authentications?(\/[^/]+)?\/type$/, /^(bearer|(api.?)?(key|token)|headers?)$/i, header],
];

/** Returns what does the work of a field that spile does not have, if that is known. `title` is that of the object's schema. */
export function unbuiltField(title: string | undefined, name: string): string | undefined {
  const entries = fields[title ?? ""] ?? [];
  return entries.find(([pattern]) => pattern.test(name))?.[1];
}

/** Returns what does the work of a value that spile does not take at a JSON pointer, if that is known. */
export function unbuiltValue(pointer: string, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return values.find(([path, pattern]) => path.test(pointer) && pattern.test(value))?.[2];
}
