import { plainText } from "../core/values/value.ts";
import type { RequestDescription } from "./request-description.ts";

/**
 * Matches a placeholder that the user should have replaced by a value: `$API_TOKEN`, `${API_TOKEN}`, `{{token}}` of Postman,
 * `<token>` and `YOUR_API_KEY` of documents. It must be the whole text, or all of it after a space, `=` or `:`, as in
 * `Bearer $API_TOKEN`. Inside other text it may be part of a secret.
 */
const placeholderPattern =
  /(?:^|[ =:])(\$[A-Z][A-Z0-9_]{2,}|\$\{[A-Z]\w{2,}\}|\{\{[\w .-]{1,60}\}\}|<[A-Za-z][\w -]{1,60}>|YOUR[_-][A-Z_-]{3,})$/;

/** Descriptions of placeholders by their beginnings. Notes do not show the placeholder itself: it may be a secret after all. */
const kinds: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\$/, "the name of a variable (a shell replaces it by its value inside double quotes, but not inside single ones)"],
  [/^\{/, "a variable of Postman"],
  [/^/, "a placeholder from some documentation"],
];

/** Returns a note for each place of a request that still contains a placeholder. */
export function unfilledNotes({ address, params, headers, user }: RequestDescription): readonly string[] {
  const places: readonly (readonly [place: string, text: string])[] = [
    ...headers.map(([name, value]) => [`the header ${name}`, value] as const),
    ...params.map(({ name, value }) => [`the parameter ${JSON.stringify(name)}`, plainText(value)] as const),
    ["the user", user === undefined ? "" : `${user.name}:${user.password}`],
    ...[...new URL(address).searchParams].map(
      ([name, value]) => [`the parameter ${JSON.stringify(name)}`, value] as const,
    ),
  ];
  return places.flatMap(([place, text]) => {
    const [, found] = placeholderPattern.exec(text) ?? [];
    if (found === undefined) return [];
    const [, what = ""] = kinds.find(([pattern]) => pattern.test(found)) ?? [];
    return [`${place} holds ${what} in place of a value`];
  });
}
