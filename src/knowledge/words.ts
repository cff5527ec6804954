/** English words in names of paging. A name that is written as one word is split into them: `nextpagetoken`, `perpage`. */
const vocabulary = (
  "next more has have is last first end no not total count counts number num nb size page pages per items item results result " +
  "records record rows row hits hit elements element entries entry objects object documents document docs doc token cursor cursors " +
  "key marker offset start after before id url uri link links href path limit max found matched available of skip at index take top " +
  "truncated incomplete partial continuation bookmark scroll iterator search data returned info meta pagination paging batch partition range"
).split(" ");

/** A word that consists only of words of the vocabulary. */
const joinedWords = new RegExp(`^(?:${vocabulary.join("|")})+$`);

const knownWords = new Set(vocabulary);

/** English translations of words of other languages in names of paging. */
const translations: ReadonlyMap<string, string> = new Map([
  ...(["pagina", "seite"] as const).map((word) => [word, "page"] as const),
  ...(["paginas", "seiten"] as const).map((word) => [word, "pages"] as const),
  ...(["proximo", "proxima", "siguiente", "suivant", "suivante"] as const).map((word) => [word, "next"] as const),
  ["limite", "limit"],
  ["registros", "records"],
  ["resultados", "results"],
  ["por", "per"],
  ["debut", "start"],
  ["curseur", "cursor"],
  ["anzahl", "count"],
]);

/**
 * Maximum length of a name. A longer one counts as a name without words: names of paging are short, but an answer may contain
 * names of any length.
 */
const longestName = 80;

/**
 * Returns the words of a name in lower case. The spelling does not matter: `nextPageToken`, `next_page_token`, `Next-Page-Token`
 * and `nextpagetoken` have the same words. Known words of other languages become English: `próxima_página` gives `next` and
 * `page`.
 */
export function wordsOf(name: string): readonly string[] {
  return inEnglish(splitWords(name));
}

function splitWords(name: string): readonly string[] {
  if (name.length > longestName) return [];
  const words = name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.flatMap((word) => (joinedWords.test(word) ? parts(word) : [word]));
}

/** Returns whether a name contains a known word of another language than English. */
export function isTranslated(name: string): boolean {
  return splitWords(name).some((word) => translations.has(word));
}

/** Translates words of other languages. Only beside such a word, `de` becomes `of`: `total_de_paginas`. */
function inEnglish(words: readonly string[]): readonly string[] {
  if (!words.some((word) => translations.has(word))) return words;
  return words.map((word) => (word === "de" ? "of" : (translations.get(word) ?? word)));
}

/** Splits a word that consists of words of the vocabulary. */
function parts(word: string): readonly string[] {
  if (word === "" || knownWords.has(word)) return word === "" ? [] : [word];
  for (let length = word.length - 1; length > 0; length -= 1) {
    const [head, rest] = [word.slice(0, length), word.slice(length)];
    if (knownWords.has(head) && joinedWords.test(rest)) return [head, ...parts(rest)];
  }
  return [word];
}

/**
 * Maximum number of names for which a result is remembered: an API has few names of paging, but an answer may contain any number
 * of others.
 */
const maxRemembered = 2000;

/** Returns `read` with a cache, since each page of an API has the same names. */
export function rememberingNames<Result>(read: (name: string) => Result): (name: string) => Result {
  const results = new Map<string, Result>();
  return (name) => {
    const remembered = results.get(name);
    if (remembered !== undefined || results.has(name)) return remembered as Result;
    const result = read(name);
    if (results.size < maxRemembered) results.set(name, result);
    return result;
  };
}

/** Returns a noun without its plural ending, for comparing nouns. */
export function singular(word: string): string {
  if (/ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** Returns a name in lower case and without separators, for comparisons with a list. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
