import { isObject, type Value } from "../../../core/values/value.ts";
import { isLastId, meaningOf } from "../../../knowledge/parameters.ts";
import { plainName } from "../../../knowledge/words.ts";
import { type FirstPage, placeText } from "../first-answer/first-page.ts";
import { isNextTokenName, namesIn } from "../first-answer/names.ts";
import { columnValue, idName } from "../first-answer/same-records.ts";
import { placesFor } from "../first-answer/style.ts";
import { nextInAnswer } from "./follow.ts";
import {
  type Hypothesis,
  type HypothesisSearch,
  type PagingKind,
  responseParamPaging,
  secondIsEmpty,
  stopBy,
} from "./kind.ts";

/** A parameter that takes the value of a column in the last record. */
interface LastId {
  readonly place: Value;
  readonly column: string;
  readonly reason: string;
  readonly isGuess: boolean;
}

/**
 * Looks for parameters that take the last record's id: those of the request and fields that only the last record has, else
 * guesses. There are no guesses if the answer says that these are all records, or contains a token.
 */
export const byLastRecord: HypothesisSearch = (page, { flag, all }) => {
  const { records } = page.place;
  const stop = flag === undefined ? {} : stopBy(flag);
  const shownIds = [...requestIds(page), ...cursorsOf(page)];
  const ids = shownIds.length > 0 ? shownIds : all === "" && records.length > 1 ? guessedIds(page) : [];
  return ids.map((id) => {
    const { place, column, isGuess } = id;
    const isCounter = !isGuess && isAscending(numbersOf(records, column));
    const hypothesis = hypothesisOf(page, id);
    return isCounter
      ? { ...hypothesis, paging: { method: "cursor", idKey: column, param: place, ...stop } }
      : { ...hypothesis, paging: { ...hypothesis.paging, ...stop } };
  });
};

function hypothesisOf(page: FirstPage, { place, column, reason, isGuess }: LastId): Hypothesis {
  return {
    kind: "last record",
    label: `the last record's "${column}" sent as ${placeText(place)}`,
    reason,
    isGuess,
    paging: responseParamPaging(page, { lastRecord: column }, place),
    value: columnValue(page.place.records.at(-1) ?? null, column),
    drops: [],
  };
}

/** Returns the fields that only the last record has, if they have the name of a token: `cursor`. */
function cursorsOf(page: FirstPage): LastId[] {
  const { records } = page.place;
  const [last, ...others] = [...records].reverse();
  if (!isObject(last) || others.length === 0) return [];
  return Object.keys(last)
    .filter((name) => meaningOf([name]) === "token" && others.every((one) => columnValue(one, name) === undefined))
    .map((column) => ({ place: column, column, reason: `only the last record has "${column}"`, isGuess: false }));
}

/** Maximum number of other columns that are tried if the API refuses an id. */
const maxColumns = 3;

/** Returns hypotheses that send another column of the last record: the API knows the parameter, but refused the id. */
export function byOtherColumns({ paging, reason }: Hypothesis, page: FirstPage): readonly Hypothesis[] {
  const [first] = page.place.records;
  const triedColumn = isObject(paging.responseParam) ? paging.responseParam.lastRecord : paging.idKey;
  const columns = isObject(first) ? Object.keys(first).filter((name) => name !== triedColumn) : [];
  return columns
    .filter((name) => isOpaque(page.place.records.map((record) => columnValue(record, name))))
    .slice(0, maxColumns)
    .map((column) => hypothesisOf(page, { place: paging.queryParam ?? "", column, reason, isGuess: false }));
}

/** Returns whether all values are distinct texts that contain no spaces and are not times. */
function isOpaque(values: readonly (string | undefined)[]): boolean {
  return (
    new Set(values).size === values.length &&
    values.every((value) => value !== undefined && /^\S+$/.test(value) && !/^[0-9]{4}-[0-9]{2}-/.test(value))
  );
}

function requestIds({ requestParameters, place: { records } }: FirstPage): LastId[] {
  return requestParameters.flatMap(({ place, name, plain }): LastId[] => {
    const column = isLastId(name) ? idName(records) : columnIn(plain, records);
    return column === undefined
      ? []
      : [{ place, column, reason: `the request has ${placeText(place)}`, isGuess: false }];
  });
}

/** Matches names of columns without duplicates. Paging by another column (`price_gt`) would skip records with the same value. */
const uniqueNames = /^(.*id|seq(uence)?(no|number)?|offset|position|index|number|nr|no|version|rev(ision)?)$/;

/** Returns the column that the name of a parameter contains, if its values ascend: `seq` for `after_seq`. */
function columnIn(parameter: string, records: readonly Value[]): string | undefined {
  const word = parameter.replace(/^(after|since|last|from|startafter|startingafter|gt|min)|(after|since|gt)$/, "");
  if (word === parameter || !uniqueNames.test(word)) return undefined;
  const [first] = records;
  const names = isObject(first) ? Object.keys(first) : [];
  const column = names.find((name) => plainName(name) === word);
  return column !== undefined && isAscending(numbersOf(records, column)) ? column : undefined;
}

/** Names of parameters that take the last record's id, the likeliest first. */
const usualParameters = namesIn(
  "starting after, after, since id, after id, last id, since, start after, from id, start id, cursor, min id",
);

/** Names of such parameters for lists that begin with the newest record. */
const usualBackwards = namesIn(
  "before, max id, before id, until id, last id, ending before, starting after, after, cursor",
);

function guessedIds(page: FirstPage): LastId[] {
  const { records } = page.place;
  const column = idName(records);
  const hasNextToken = page.fields.some(
    ({ path, value }) => isNextTokenName(path.at(-1) ?? "") && value !== "" && value !== 0,
  );
  if (column === undefined || hasNextToken) return [];
  const isNewestFirst = isAscending(numbersOf(records, column).reverse());
  const reason = "nothing in the answer leads to a next page";
  const places = placesFor(isNewestFirst ? usualBackwards : usualParameters, page);
  return [...places, "page[after]"].map((place) => ({ place, column, reason, isGuess: true }));
}

function numbersOf(records: readonly Value[], column: string): number[] {
  return records.map((record) => Number(columnValue(record, column)));
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every(
    (number, index) => Number.isFinite(number) && (index === 0 || number > (numbers[index - 1] ?? 0)),
  );
}

/** Paging by the last record's id. An empty second page proves nothing, since the parameter may be a filter. */
export const lastRecord: PagingKind = { refine: nextInAnswer.refine, refineWhole: async () => secondIsEmpty };
