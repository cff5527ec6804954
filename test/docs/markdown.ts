/** A fenced block of a Markdown file. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of its fence, or of the comment before it, from 1. */
  readonly line: number;
  /** Name in the comment `<!-- example: NAME -->` before it. */
  readonly example: string | undefined;
  /** The block after it, if the comment `<!-- output -->` between them says that it is the output. */
  readonly output: string | undefined;
}

/** Returns the fenced blocks of a Markdown text, each with its output. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  const fences = /(?:<!-- (example|output)(?:: (\S+))? -->\n)?```(\w+)\n([\s\S]*?)^```$/gm;
  for (const match of markdown.matchAll(fences)) {
    const [, kind, name, language = "", text = ""] = match;
    const line = markdown.slice(0, match.index).split("\n").length;
    const last = blocks.at(-1);
    if (kind === "output" && last !== undefined) blocks[blocks.length - 1] = { ...last, output: text };
    else blocks.push({ language, text, line, example: kind === "example" ? name : undefined, output: undefined });
  }
  return blocks;
}

/** Returns the part under a heading, up to the next one of its level or above. */
export function sectionOf(markdown: string, heading: string): string {
  const [, level = "", rest = ""] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, "m").exec(markdown) ?? [];
  return rest.split(new RegExp(`^#{1,${level.length}} `, "m"))[0] ?? "";
}

/** Returns the anchors that GitHub makes from a Markdown file's headings. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, text = ""]) => slug(text)));
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns the contract without the chapters and rules that are marked as not built yet. */
export function builtPart(text: string): string {
  return text
    .replace(/^## .*\n\n\*Not built yet\.\*\n[\s\S]*?(?=^## |$(?![\s\S]))/gm, "")
    .replace(/^- \*\*(?=.*\*Not built yet\.\*).*\n(?: {2}.*\n)*/gm, "");
}
