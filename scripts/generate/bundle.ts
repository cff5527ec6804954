import { readdir, readFile } from "node:fs/promises";

export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface Bundle extends Schema {
  readonly definitions: Readonly<Record<string, Schema>>;
}

/**
 * Returns all files of `folder` as one document. `document.json` is its root; every other file, and everything under a file's
 * `definitions`, becomes a definition. The definition of a file in a sub-folder is named after the file and the
 * folder: `ResponseUrlPagination` for `pagination/response-url.json`.
 */
export async function bundleSchemas(folder: URL): Promise<Bundle> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".json")).sort();
  const definitions: Record<string, Schema> = {};
  let root: Schema = {};
  for (const path of paths) {
    const { definitions: local, ...schema } = JSON.parse(await readFile(new URL(path, folder), "utf8")) as Schema;
    for (const [name, definition] of Object.entries((local ?? {}) as Record<string, Schema>))
      add(name, definition, path);
    if (path === "document.json") root = resolved(schema, path) as Schema;
    else if (Object.keys(schema).length > 0) add(definitionName(path), schema, path);
  }
  return { ...root, definitions: sorted(definitions) };

  function add(name: string, schema: Schema, path: string): void {
    if (Object.hasOwn(definitions, name)) throw new Error(`${path}: a second definition of ${name}`);
    definitions[name] = resolved(schema, path) as Schema;
  }
}

/** Changes references between files to references inside the document. */
function resolved(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" ? [key, target(String(inner), path)] : [key, key === "examples" ? inner : resolved(inner, path)],
    ),
  );
}

function target(reference: string, path: string): string {
  const [file, pointer] = reference.split("#");
  if (pointer !== undefined) return `#${pointer}`;
  return `#/definitions/${definitionName(new URL(file ?? "", `file:///${path}`).pathname.slice(1))}`;
}

function definitionName(path: string): string {
  const [folder, file = folder] = path.replace(/\.json$/, "").split("/");
  const name = file === folder ? pascal(file ?? "") : pascal(file ?? "") + pascal(folder ?? "");
  return name;
}

function pascal(text: string): string {
  return text.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
