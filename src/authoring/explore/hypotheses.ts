import { decodeForm, splitAddress } from "../../core/request.ts";
import { isNumber, isObject, type Value, type ValueObject } from "../../core/value.ts";
import { linkTarget } from "../../pagination/link-header.ts";
import type { Field, FirstPage, Given, Observed } from "./first-page.ts";
import { delimiterOf, pathValue } from "./first-page.ts";
import type { Hypothesis } from "./hypothesis.ts";
import {
  lastIdNames,
  lastingTokenNames,
  nextNames,
  nextTokenNames,
  offsetNames,
  pageNames,
  plainName,
  sizeNames,
  tokenNames,
} from "./names.ts";
import { columnValue, idName } from "./same-records.ts";
import { tokenParameters } from "./token-parameters.ts";
import { sourceOf, type Told } from "./told.ts";

type Look = (page: FirstPage, told: Told) => readonly Hypothesis[];

/**
 * What may lead to the second page, the surest first: what the API gives to be followed, then what its answer or the
 * request speaks for, then names that many APIs use.
 */
export function hypothesesOf(page: FirstPage, told: Told): readonly Hypothesis[] {
  const all = looks.flatMap((look) => look(page, told));
  const guesses = all.filter(({ guessed }) => guessed);
  // A `limit` goes with an offset, a `per_page` with a page number.
  const size = page.given.find(({ plain }) => sizeNames.has(plain))?.plain ?? "";
  const first = /^(limit|top|take|rows|max|count)$/.test(size) ? "offset" : "page number";
  const sorted = [...guesses.filter(({ kind }) => kind === first), ...guesses.filter(({ kind }) => kind !== first)];
  return [...all.filter(({ guessed }) => !guessed), ...sorted];
}

/** The header `Link`. */
const byLink: Look = ({ header, description }) => {
  const target = linkTarget(header("link") ?? "", "next");
  if (target === undefined) return [];
  return [
    {
      kind: "link",
      label: "the Link header's next address",
      because: "the answer has a Link header with rel=next",
      guessed: false,
      paging: { method: "link", ...keeping(description, target) },
      drops: [],
    },
  ];
};

/** An address in the response. */
const byAddress: Look = ({ fields, description, document }) =>
  [...fields, ...hypermediaLinks(document)]
    .filter(({ plain, path, value }) => {
      const named = nextNames.has(plain) || path.slice(0, -1).some((step) => plainName(step) === "next");
      return named && typeof value === "string" && /^(https?:\/\/|\/|\?)/i.test(value);
    })
    .slice(0, 2)
    .map(({ path, value }) => ({
      kind: "address",
      label: `the address at "${path.join(".")}"`,
      because: `"${path.join(".")}" holds an address`,
      guessed: false,
      paging: { method: "response.url", ...urlKey(path), ...keeping(description, String(value)) },
      drops: [],
    }));

function urlKey(path: readonly string[]): ValueObject {
  const delimiter = delimiterOf(path);
  return { urlKey: path.join(delimiter), ...(delimiter === "." ? {} : { delimiter }) };
}

/** A token in the response's body or headers, to be sent in the next request. */
const byToken: Look = (page, { flag }) => {
  const ofBody = page.fields.filter(
    ({ plain, value }) =>
      nextTokenNames.has(plain) &&
      (typeof value === "number"
        ? value > 0 && plain !== "offset"
        : typeof value === "string" && value !== "" && !/^https?:\/\//i.test(value)),
  );
  const ofHeaders = [
    "X-Next-Cursor",
    "X-Next-Page",
    "X-Next-Token",
    "X-Next-Page-Token",
    "X-Continuation-Token",
  ].flatMap((name) => {
    const value = page.header(name);
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
  const stop = flag?.more === true ? { nextPageFlag: { field: flagField(flag.field), stopOn: flag.stopOn } } : {};
  return [
    ...ofBody.flatMap((field) =>
      tokenParameters(field.path.at(-1) ?? "", page).map((place) =>
        sending(
          page,
          sourceOf(field.path),
          `"${field.path.join(".")}"`,
          place,
          lastingTokenNames.has(field.plain) ? stop : {},
        ),
      ),
    ),
    ...ofHeaders.flatMap(({ name }) =>
      tokenParameters(name.replace(/^x-/i, ""), page).map((place) =>
        sending(page, { header: name }, `the header ${name}`, place, {}),
      ),
    ),
  ];
};

function sending(page: FirstPage, source: Value, shown: string, place: Value, stop: ValueObject): Hypothesis {
  return {
    kind: "token",
    label: `the value at ${shown} sent as ${placeText(place)}`,
    because: `${shown} holds a value`,
    guessed: false,
    paging: {
      method: "response.param",
      responseParam: source,
      queryParam: place,
      ...(page.given.length > 0 ? { includeParams: true } : {}),
      ...stop,
    },
    drops: [],
  };
}

/** The id of the last record, where the request has such a parameter, or a flag says that there is more and nothing how. */
const byLastRecord: Look = (page, { flag }) => {
  const { records } = page.place;
  const id = idName(records);
  if (id === undefined) return [];
  const given = page.given.filter(({ plain }) => lastIdNames.has(plain));
  const led = page.fields.some(({ plain, value }) => nextTokenNames.has(plain) && value !== "" && value !== 0);
  const guesses = flag?.more === true && !led && given.length === 0 ? ["starting_after", "after"] : [];
  const stop = flag === undefined ? {} : { nextPageFlag: { field: flagField(flag.field), stopOn: flag.stopOn } };
  const numbers = records.map((record) => Number(columnValue(record, id)));
  const ascending = numbers.every(
    (number, index) => Number.isFinite(number) && (index === 0 || number > (numbers[index - 1] ?? 0)),
  );
  return [...given.map(({ place }) => place), ...guesses].map((place) => ({
    kind: "last record",
    label: `the last record's "${id}" sent as ${placeText(place)}`,
    because:
      given.length > 0
        ? `the request has ${placeText(place)}`
        : `"${flag?.field.path.join(".")}" is ${flag?.field.value}, and nothing says where to go on`,
    guessed: false,
    paging:
      ascending && given.length > 0
        ? { method: "cursor", idKey: id, param: place, ...stop }
        : {
            method: "response.param",
            responseParam: { lastRecord: id },
            queryParam: place,
            ...(page.given.length > 0 ? { includeParams: true } : {}),
            ...stop,
          },
    drops: [],
  }));
};

/** Records to skip. */
const byOffset: Look = (page) => {
  const count = page.place.records.length;
  const given = page.given.find(({ plain, value }) => offsetNames.has(plain) && isCount(value));
  const seen = movedBy(page, count);
  const echo = page.fields.find(
    ({ plain, value }) => offsetNames.has(plain) && (value === 0 || value === 1 || String(value) === "0"),
  );
  const size = sizeParameter(page);
  const label = (place: Value): string => `offset paging by ${placeText(place)} (page size ${placeText(size.place)})`;
  const first = Number(given?.value ?? seen?.before ?? echo?.value ?? 0) === 1 ? 1 : 0;
  const offset = (place: Value, because: string, guessed: boolean): Hypothesis => ({
    kind: "offset",
    label: label(place),
    because,
    guessed,
    paging: {
      method: "offset",
      limit: count,
      ...(size.place === "limit" ? {} : { limitParam: size.place }),
      ...(place === "offset" ? {} : { offsetParam: place }),
      ...(first === 1 ? { offsetFromJob: true } : {}),
      // What is asked for is not what is given: then the first request too must ask for less.
      ...(size.asked === undefined || size.asked === count ? { firstPageParams: false } : {}),
    },
    drops: size.asked === undefined || size.asked === count ? [] : [nameOf(size.place)],
    sets: first === 1 ? { [nameOf(place)]: 1 } : undefined,
    echo: echo === undefined ? undefined : { field: echo, by: count },
  });
  if (seen !== undefined) return [offset(seen.place, seenText(seen), false)];
  if (given !== undefined) return [offset(given.place, `the request has ${placeText(given.place)}`, false)];
  if (echo !== undefined) {
    return [offset(placeLike(page, echo), `the answer tells its "${echo.path.join(".")}"`, false)];
  }
  const usual = offsetsOf[plainName(nameOf(size.place))] ?? ["offset", "skip", "start"];
  return usual.map((name) => offset(name, "many APIs page so", true));
};

/** Offsets that go with a page size of that name. */
const offsetsOf: Readonly<Record<string, readonly string[]>> = {
  top: ["skip", "offset"],
  take: ["skip", "offset"],
  rows: ["start", "offset"],
  maxresults: ["startAt", "offset", "start"],
  count: ["offset", "skip", "start"],
};

/** Pages by number. */
const byPageNumber: Look = (page) => {
  const given = page.given.find(({ plain, value }) => pageNames.has(plain) && isCount(value));
  const seen = movedBy(page, 1);
  const echo = page.fields.find(
    ({ plain, value }) => pageNames.has(plain) && isCount(value as Value) && Number(value) <= 1,
  );
  const size = page.given.find(({ plain, value }) => sizeNames.has(plain) && isCount(value));
  const count = page.place.records.length;
  // A page size of that name counts as the paging's own: one that the API does not give would end it on the first page.
  const capped = size?.place === "limit" && Number(size.value) !== count;
  const number = (place: Value, because: string, guessed: boolean): Hypothesis => ({
    kind: "page number",
    label: `page numbers by ${placeText(place)}`,
    because,
    guessed,
    paging: {
      method: "pagenum",
      ...(place === "page" ? {} : { pageParam: place }),
      firstPage: seen === undefined ? Number(given?.value ?? echo?.value ?? 1) : Number(seen.after) - 1,
      ...(capped ? { limit: count } : { firstPageParams: false }),
    },
    drops: capped ? ["limit"] : [],
    echo: echo === undefined ? undefined : { field: echo, by: 1 },
  });
  if (seen !== undefined) return [number(seen.place, seenText(seen), false)];
  if (given !== undefined) return [number(given.place, `the request has ${placeText(given.place)}`, false)];
  if (echo !== undefined) {
    return [number(placeLike(page, echo), `the answer tells its "${echo.path.join(".")}"`, false)];
  }
  return [number("page", "many APIs page so", true)];
};

const looks: readonly Look[] = [byLink, byAddress, byToken, byLastRecord, byPageNumber, byOffset];

/** `includeParams` where the next address lacks parameters that the request has. */
function keeping({ address, params }: FirstPage["description"], target: string): ValueObject {
  const next = URL.canParse(target, address) ? new URL(target, address) : undefined;
  const kept = new Set(
    next === undefined ? [] : splitAddress(next).query.map(({ name }) => plainName(decodeForm(name))),
  );
  return params.every(({ name }) => kept.has(plainName(name)) || kept.has(plainName(name.replace(/\[.*$/, ""))))
    ? {}
    : { includeParams: true };
}

/** Links of hypermedia answers that stand in lists: `links: [{"rel": "next", "href": ...}]`. */
export function hypermediaLinks(document: Value): Field[] {
  if (!isObject(document)) return [];
  return Object.entries(document).flatMap(([key, list]) => {
    if (!Array.isArray(list) || !/^_?links?$/i.test(key)) return [];
    return list.flatMap((link, index): Field[] => {
      if (!isObject(link) || (link.rel ?? link.relation) !== "next") return [];
      const name = ["href", "url", "uri"].find((one) => typeof link[one] === "string");
      return name === undefined ? [] : [{ path: [key, String(index), name], plain: "next", value: String(link[name]) }];
    });
  });
}

/** The parameter that was seen to grow by so much, from 0 or 1 where it was not sent at first. */
function movedBy({ observed }: FirstPage, by: number): Observed | undefined {
  if (observed === undefined || !isCount(observed.after)) return undefined;
  const after = Number(observed.after);
  const moved =
    observed.before === undefined ? after === by || after === by + 1 : after - Number(observed.before) === by;
  return moved ? observed : undefined;
}

function seenText({ place, before, after }: Observed): string {
  return `${placeText(place)} was seen to go from ${before ?? "nothing"} to ${after}`;
}

interface SizeParameter {
  readonly place: Value;
  /** How many records the request asks for. */
  readonly asked: number | undefined;
}

/** The parameter of the page size: the request's own, else one the answer names with its number of records, else `limit`. */
function sizeParameter(page: FirstPage): SizeParameter {
  const given = page.given.find(({ plain, value }) => sizeNames.has(plain) && isCount(value) && Number(value) > 0);
  if (given !== undefined) return { place: given.place, asked: Number(given.value) };
  const count = page.place.records.length;
  const echo = page.fields.find(
    ({ plain, value }) => sizeNames.has(plain) && plain !== "count" && Number(value) === count,
  );
  return { place: echo === undefined ? "limit" : placeLike(page, echo), asked: undefined };
}

/** A field's name as a parameter: beside the others of a JSON body, where they are nested. */
function placeLike(page: FirstPage, field: Field): Value {
  const name = field.path.at(-1) ?? "";
  const sibling = page.given.find(
    ({ place, plain }) => isObject(place) && (sizeNames.has(plain) || pageNames.has(plain) || offsetNames.has(plain)),
  );
  if (!isObject(sibling?.place) || typeof sibling.place.path !== "string") return name;
  const steps = sibling.place.path.split(".");
  return pathValue([...steps.slice(0, -1), name]);
}

function isCount(value: Value | undefined): boolean {
  const text = typeof value === "string" ? value : isNumber(value) ? value.toString() : "";
  return /^[0-9]{1,7}$/.test(text);
}

export function flagField(field: Field): Value {
  return field.path.length === 1 ? (field.path[0] ?? "") : pathValue(field.path);
}

export function nameOf(place: Value): string {
  return typeof place === "string" ? place : isObject(place) && typeof place.path === "string" ? place.path : "";
}

export function placeText(place: Value): string {
  if (typeof place === "string") return `"${place}"`;
  if (isObject(place) && typeof place.header === "string") return `the header ${place.header}`;
  return `"${nameOf(place)}" of the body`;
}

/** Parameters that say where to begin, so that `given` may be taken back to the first page. */
export function isPosition({ plain, value }: Given): "page" | "offset" | "token" | undefined {
  if (pageNames.has(plain) && isCount(value)) return "page";
  if (offsetNames.has(plain) && isCount(value)) return "offset";
  // `after`, `since_id` and the like may just as well be filters.
  const sure = tokenNames.has(plain) && !lastIdNames.has(plain) && !/^(before|maxid|pageid)$/.test(plain);
  return (sure || plain === "startingafter") && typeof value === "string" && value !== "" ? "token" : undefined;
}
