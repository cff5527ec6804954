import { nearest } from "../../core/text/nearest.ts";
import type { Alternative, ExplainedField } from "./fields.ts";

/** The fields that a word of the user's means, in the order of the schema. */
export interface FoundField {
  readonly fields: readonly ExplainedField[];
  readonly alternatives: readonly Alternative[];
}

/**
 * Fields of this place (`api.pagination.limit`), else alternatives of this name (`offset`), else fields of this name or
 * whose place ends so. Case does not matter, nor do the numbers of a list.
 */
export function find(word: string, { fields, alternatives }: FoundField): FoundField {
  // `links[rel=next].href` is an element of a list by what it holds.
  const fieldPath = /\[\w+=[^\]]+\]/.test(word) ? "api.pagination.urlkey.where" : plain(word);
  const steps: readonly (() => FoundField)[] = [
    () => ({
      fields: fields.filter(({ places }) => places.some((place) => plain(place) === fieldPath)),
      alternatives: [],
    }),
    () => ({ fields: [], alternatives: alternatives.filter(({ tag }) => plain(tag) === fieldPath) }),
    () => ({ fields: fields.filter(({ name }) => plain(name) === fieldPath), alternatives: [] }),
    () => ({
      fields: fields.filter(({ places }) => places.some((place) => plain(place).endsWith(`.${fieldPath}`))),
      alternatives: [],
    }),
  ];
  for (const step of steps) {
    const found = step();
    if (found.fields.length + found.alternatives.length > 0) return found;
  }
  return { fields: [], alternatives: [] };
}

/** The name that was probably meant: a place where the word is one, else a field or an alternative. */
export function meant(word: string, { fields, alternatives }: FoundField): string | undefined {
  const places = fields.flatMap((field) => field.places);
  const names = [...fields.map(({ name }) => name), ...alternatives.map(({ tag }) => tag)];
  return nearest(word, word.includes(".") ? places : names) ?? nearest(word.split(".").at(-1) ?? "", names);
}

/** `config.jobs[0].endpoint` and `/config/jobs/0/endpoint` are `config.jobs.endpoint`; so is it under `parameters`. */
function plain(word: string): string {
  return (
    word
      .replace(/\[\d*\]/g, "")
      .replace(/^\//, "")
      .replaceAll("/", ".")
      .replace(/\.\d+(?=\.|$)/g, "")
      .replace(/^parameters\.(?=.)/, "")
      .toLowerCase()
      // A child job has the fields of a job.
      .replace(/(\.children)+(?=\.)/, "")
  );
}
