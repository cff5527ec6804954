import { nearest } from "../../core/text/nearest.ts";
import type { Alternative, ExplainedField } from "./fields.ts";

/** The fields that the user may mean by a word, in the order of the schema. */
export interface FoundField {
  readonly fields: readonly ExplainedField[];
  readonly alternatives: readonly Alternative[];
}

/**
 * Finds the fields at a place (`api.pagination.limit`), else alternatives with the name (`offset`), else fields with the
 * name, else fields whose places end with the word. Case and the indices of list elements are ignored.
 */
export function find(word: string, { fields, alternatives }: FoundField): FoundField {
  // A path such as `links[rel=next].href` selects an element of a list. The field `where` describes this.
  const fieldPath = /\[\w+=[^[\]]+\]/.test(word) ? "api.pagination.urlkey.where" : plain(word);
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

/** Returns the name that the user probably meant: a place if the word has dots, else a field or an alternative. */
export function nearestName(word: string, { fields, alternatives }: FoundField): string | undefined {
  const places = fields.flatMap((field) => field.places);
  const names = [...fields.map(({ name }) => name), ...alternatives.map(({ tag }) => tag)];
  return nearest(word, word.includes(".") ? places : names) ?? nearest(word.split(".").at(-1) ?? "", names);
}

/** Converts `config.jobs[0].endpoint` and `/config/jobs/0/endpoint` to `config.jobs.endpoint`, also below `parameters`. */
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
