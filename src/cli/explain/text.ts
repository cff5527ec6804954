import { type ManualPart, rows, type Section, text } from "../manual/parts.ts";
import type { Alternative, ExplainedField } from "./fields.ts";
import type { FoundField } from "./find.ts";

/** Returns the address of a section in the documents. */
export function documentOf(section: string): string {
  const anchor = section
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
  return `docs/reference.md#${anchor}`;
}

/** Returns the found fields as sections for the terminal. */
export function foundSections({ fields, alternatives }: FoundField): readonly Section[] {
  return [...fields.map(fieldSection), ...alternatives.map(alternativeSection)];
}

function fieldSection(field: ExplainedField): Section {
  const [place = "", ...others] = field.places;
  const parts: readonly ManualPart[] = [
    ...text(field.description),
    rows(
      ["type", field.type],
      ...(field.required ? ([["required", "yes"]] as const) : []),
      ...(field.default === undefined ? [] : ([["default", JSON.stringify(field.default)]] as const)),
      ...field.examples.map((example) => ["example", JSON.stringify(example)] as const),
      ...(field.inner.length === 0 ? [] : ([["in it", field.inner.join(", ")]] as const)),
      ...(others.length === 0 ? [] : ([["also at", others.join(", ")]] as const)),
      ["see", documentOf(field.section)],
    ),
  ];
  return { title: field.alternative === undefined ? place : `${place}   with ${field.alternative}`, parts };
}

function alternativeSection({ tag, places, description, examples, fields, section }: Alternative): Section {
  return {
    title: `${tag}   at ${places.join(", ")}`,
    parts: [
      ...text(description),
      rows(["fields", fields.join(", ")], ...examples.map((example) => ["example", JSON.stringify(example)] as const), [
        "see",
        documentOf(section),
      ]),
    ],
  };
}

/** Returns the main sections of the configuration with their fields, for `spile explain` without a field. */
export function overview(fields: readonly ExplainedField[]): readonly Section[] {
  const sectionPaths = ["", "api", "config", "config.jobs", "api.pagination", "api.authentication", "api.http"];
  return sectionPaths.flatMap((parent) => {
    const sectionFields = fields.filter(({ places, alternative }) =>
      places.some(
        (place) =>
          alternative === undefined && place === (parent === "" ? lastOf(place) : `${parent}.${lastOf(place)}`),
      ),
    );
    const lines = sectionFields.map(({ name, description }) => [name, firstSentence(description)] as const);
    return lines.length === 0
      ? []
      : [{ title: parent === "" ? "The configuration:" : `${parent}:`, parts: [rows(...lines)] }];
  });
}

function lastOf(place: string): string {
  return place.split(".").at(-1) ?? "";
}

function firstSentence(description: string): string {
  return /^.*?[.](?= |$)/.exec(description)?.[0] ?? description;
}
