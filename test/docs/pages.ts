import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Examples, Outputs } from "./example.ts";
import { type Block, blocksOf } from "./markdown.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A page of the documents. */
export interface DocumentPage {
  /** Path from the root, such as `docs/paging.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** README.md and every page in docs/ and its folders. */
export const pages: readonly DocumentPage[] = ["README.md", ...markdownIn("docs")].map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return { path, text, blocks: blocksOf(text) };
});

/** A block that begins with this line shows a part of a configuration: `baseUrl`, `jobs` or both are left out. */
export const fragmentNotice = "// fragment\n";

/** Reads all files in test/docs/examples/, which describe the named examples. */
export async function readExamples(): Promise<{ readonly examples: Examples; readonly outputs: Outputs }> {
  const folder = new URL("examples/", import.meta.url);
  const all: { examples: Examples; outputs: Outputs } = { examples: {}, outputs: {} };
  for (const name of readdirSync(folder).map((file) => basename(file, ".ts"))) {
    // This form can be compiled: esbuild includes all files that match.
    const module = (await import(`./examples/${name}.ts`)) as { examples?: Examples; outputs?: Outputs };
    all.examples = { ...all.examples, ...module.examples };
    all.outputs = { ...all.outputs, ...module.outputs };
  }
  return all;
}

/** Returns a configuration of a page, with the parts that a fragment leaves out. */
export function configurationOf(text: string): string {
  if (!text.startsWith(fragmentNotice)) return text;
  const document = JSON.parse(text.slice(fragmentNotice.length)) as { api?: object; config?: object };
  return JSON.stringify({
    ...document,
    api: { baseUrl: "https://api.example.com/", ...document.api },
    config: { jobs: [{ endpoint: "users" }], ...document.config },
  });
}

/** Replaces the addresses of an example by those of a server on this port. */
export function atHome(text: string, port: number): string {
  return text.replaceAll("https://", "http://").replace(/\b[a-z]+\.example\.com\b/g, `127.0.0.1:${port}`);
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}
