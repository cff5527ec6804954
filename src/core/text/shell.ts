/** Part of a word for a shell: a text, or the name of a variable. */
export type ShellPart = string | { readonly variable: string };

/**
 * Characters that a line editor executes when they are pasted, or that change how a line looks. A line feed in quotes is harmless.
 */
const unprintable = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u;

/**
 * Quotes a text as one word that bash, dash, zsh and fish read back as the same text, interactively too. fish interprets a
 * backslash inside single quotes, so backslashes and single quotes are put outside the quotes. `printf` writes a text with control
 * characters, because a line editor executes such characters when they are pasted. It writes the whole text, because fish 3.6
 * misreads a `$` in quotes after `"$(...)"`.
 */
export function shellQuoted(text: string): string {
  if (!unprintable.test(text)) {
    const runs = text.match(/[\\']|[^\\']+/g) ?? [""];
    return runs.map((run) => (run === "\\" || run === "'" ? `\\${run}` : `'${run}'`)).join("");
  }
  // A command substitution drops line feeds at the end of its output.
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return `"$(printf '${octal(text.slice(0, end))}')"${end < text.length ? `'${text.slice(end)}'` : ""}`;
}

/** Quotes a text only if a shell could read the unquoted text as something else. */
export function shellArgument(text: string): string {
  return /^[\w.:/@%+=-]+$/.test(text) && !/^[=%]/.test(text) ? text : shellQuoted(text);
}

/**
 * Quotes a word that consists of texts and variables. It uses only those rules for double quotes on which bash, dash, zsh and fish
 * agree.
 */
export function shellWord(parts: readonly ShellPart[]): string {
  const merged: ShellPart[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (typeof part === "string" && typeof before === "string") merged[merged.length - 1] = before + part;
    else if (part !== "") merged.push(part);
  }
  const [text = "", last] = merged;
  const isPlain = typeof text === "string" && /^[^\\"`$!\p{C}\u2028\u2029]*$/u.test(text);
  if (isPlain && merged.length === 2 && typeof last === "object") return `"${text}$${last.variable}"`;
  return merged.map((part) => (typeof part === "string" ? shellQuoted(part) : `"$${part.variable}"`)).join("") || "''";
}

/** Returns the line that sets a variable. Nothing follows the value: an interactive zsh would run the words of a comment. */
export function shellExport(variable: string, value: string): string {
  return `export ${variable}=${shellQuoted(value)}`;
}

/** Returns the line that sets a variable to the content of files. */
export function shellExportOfFiles(variable: string, files: readonly string[]): string {
  return `export ${variable}="$(cat -- ${files.map(shellQuoted).join(" ")})"`;
}

/** Returns whether a shell treats the name as a variable. */
export function isShellVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/**
 * Returns an explanation that is printed beside lines for a shell. Users may paste it with the lines, so it contains no character
 * that is special in a shell.
 */
export function shellRemark(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:/@%+-]+/gu, "").trim();
}

function octal(text: string): string {
  const escapes = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9 ]/.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return escapes.join("");
}
