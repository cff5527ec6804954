import { plainText } from "../core/values/value.ts";
import type { RequestDescription } from "./request-description.ts";

/**
 * Matches a name that a value should have replaced: `$API_TOKEN`, `${API_TOKEN}`, `{{token}}` of Postman, `<token>` and
 * `YOUR_API_KEY` of documents. The name must be the whole value, or everything after a scheme: a part of a value may belong to a
 * secret.
 */
const standIn =
  /(?:^|[ =:])(\$[A-Z][A-Z0-9_]{2,}|\$\{[A-Z]\w{2,}\}|\{\{[\w .-]{1,60}\}\}|<[A-Za-z][\w -]{1,60}>|YOUR[_-][A-Z_-]{3,})$/;

/** Descriptions of such names. Messages do not repeat the name itself, since a secret may be in its place. */
const kinds: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^\$/, "the name of a variable (a shell fills it in between double quotes, not between single ones)"],
  [/^\{/, "a variable of Postman"],
  [/^/, "a placeholder from some documentation"],
];

/** Returns notes on the places of a request that still contain such a name, for example because of single quotes. */
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
    const [, found] = standIn.exec(text) ?? [];
    if (found === undefined) return [];
    const [, what = ""] = kinds.find(([pattern]) => pattern.test(found)) ?? [];
    return [`${place} holds ${what} in place of a value`];
  });
}
