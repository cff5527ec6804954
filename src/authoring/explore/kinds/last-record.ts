import { isObject, type Value } from "../../../core/values/value.ts";
import { isLastId } from "../../../knowledge/parameters.ts";
import { plainName } from "../../../knowledge/words.ts";
import { type FirstPage, isHeader, placeText } from "../first-answer/first-page.ts";
import { isNextTokenName } from "../first-answer/names.ts";
import { columnValue, idName } from "../first-answer/same-records.ts";
import { placesFor } from "../first-answer/style.ts";
import { followed } from "./follow.ts";
import { type Look, type PagingKind, stopBy } from "./kind.ts";

/** A parameter that takes a column's value of the last record. */
interface LastId {
  readonly place: Value;
  readonly column: string;
  readonly because: string;
  readonly guessed: boolean;
}

/** The id of the last record, if the request has such a parameter, or as a guess if nothing says where to go on. */
export const byLastRecord: Look = (page, { flag, all }) => {
  const { records } = page.place;
  const stop = flag === undefined ? {} : stopBy(flag);
  const given = givenIds(page);
  const ids = given.length > 0 ? given : all === "" && records.length > 1 ? guessedIds(page) : [];
  return ids.map(({ place, column, because, guessed }) => ({
    kind: "last record",
    label: `the last record's "${column}" sent as ${placeText(place)}`,
    because,
    guessed,
    paging:
      !guessed && isAscending(numbersOf(records, column))
        ? { method: "cursor", idKey: column, param: place, ...stop }
        : {
            method: "response.param",
            responseParam: { lastRecord: column },
            queryParam: place,
            ...(page.given.some((one) => !isHeader(one.place)) ? { includeParams: true } : {}),
            ...stop,
          },
    value: columnValue(records.at(-1) ?? null, column),
    drops: [],
  }));
};

function givenIds({ given, place: { records } }: FirstPage): LastId[] {
  return given.flatMap(({ place, name, plain }): LastId[] => {
    const column = isLastId(name) ? idName(records) : columnIn(plain, records);
    return column === undefined
      ? []
      : [{ place, column, because: `the request has ${placeText(place)}`, guessed: false }];
  });
}

/** Columns that no two records share: by others (`price_gt`), records of the same value would be left out. */
const unique = /^(.*id|seq(uence)?(no|number)?|offset|position|index|number|nr|no|version|rev(ision)?)$/;

/** The ascending column that a parameter speaks of: `seq` of `after_seq`. */
function columnIn(parameter: string, records: readonly Value[]): string | undefined {
  const word = parameter.replace(/^(after|since|last|from|startafter|startingafter|gt|min)|(after|since|gt)$/, "");
  if (word === parameter || !unique.test(word)) return undefined;
  const [first] = records;
  const names = isObject(first) ? Object.keys(first) : [];
  const column = names.find((name) => plainName(name) === word);
  return column !== undefined && isAscending(numbersOf(records, column)) ? column : undefined;
}

/** Words of parameters that take the last record's id, the likeliest first. */
const usual: readonly (readonly string[])[] = [
  ["starting", "after"],
  ["after"],
  ["since", "id"],
  ["after", "id"],
  ["last", "id"],
  ["since"],
  ["start", "after"],
  ["from", "id"],
  ["start", "id"],
  ["cursor"],
  ["min", "id"],
];

/** Words of such parameters if the newest record comes first. */
const usualBackwards: readonly (readonly string[])[] = [
  ["before"],
  ["max", "id"],
  ["before", "id"],
  ["until", "id"],
  ["last", "id"],
  ["ending", "before"],
  ["starting", "after"],
  ["after"],
  ["cursor"],
];

function guessedIds(page: FirstPage): LastId[] {
  const { records } = page.place;
  const column = idName(records);
  const led = page.fields.some(({ path, value }) => isNextTokenName(path.at(-1) ?? "") && value !== "" && value !== 0);
  if (column === undefined || led) return [];
  const newestFirst = isAscending(numbersOf(records, column).reverse());
  const because = "nothing says where to go on";
  const places = placesFor(newestFirst ? usualBackwards : usual, page);
  return [...places, "page[after]"].map((place) => ({ place, column, because, guessed: true }));
}

function numbersOf(records: readonly Value[], column: string): number[] {
  return records.map((record) => Number(columnValue(record, column)));
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every(
    (number, index) => Number.isFinite(number) && (index === 0 || number > (numbers[index - 1] ?? 0)),
  );
}

/** The id leads on. That nothing comes shows nothing, since the value may filter. */
export const lastRecord: PagingKind = { refine: followed.refine, refineWhole: async () => undefined };
