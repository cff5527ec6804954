import { homedir } from "node:os";
import { loadDocument } from "../../config/load.ts";
import { configSections } from "../../config/settings.ts";
import { readWhole } from "../../core/files/read-whole.ts";
import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { commands } from "../command-table.ts";
import { chapterNames } from "../manual/chapters.ts";
import type { Names } from "./complete.ts";

/**
 * Reads the names of jobs and settings from a configuration, and those of topics and fields from spile itself. If values in the
 * configuration are faulty, every name that can be read is listed.
 */
export const names: Names = {
  async jobs(file) {
    const jobs = (await configs(file)).flatMap((config) => withChildren(config.jobs));
    const found = jobs.flatMap(({ dataType, endpoint, id }) => [dataType, endpoint, id]);
    return [...new Set(found.filter((name): name is string => typeof name === "string" && name !== ""))];
  },
  async settings(file) {
    const found = (await configs(file)).flatMap((config) => Object.keys(config));
    return [...new Set(found)].filter((name) => !configSections.includes(name));
  },
  async topics() {
    const chapters = chapterNames.map((name) => [name, "chapter"] as const);
    return [...chapters, ...commands.map(({ name, describe }) => [name, describe] as const)];
  },
  async fields(current) {
    const { readFields } = await import("../explain/fields.ts");
    const { fields, alternatives } = readFields();
    const depth = current.split(".").length;
    const places = fields.flatMap((field) => field.places.map((place) => [place, field.name] as const));
    const near = places.filter(([place]) => place.split(".").length === depth).map(([place]) => place);
    const words = depth > 1 ? [] : [...fields.map(({ name }) => name), ...alternatives.map(({ tag }) => tag)];
    return [...new Set([...near, ...words])].map((word) => [word, ""] as const);
  },
};

/** Returns `config` and the iterations of a file; empty if the file is missing or its JSON is broken. */
async function configs(file: string): Promise<readonly ValueObject[]> {
  try {
    const path = file.replace(/^~(?=\/)/, homedir());
    const document = loadDocument((await readWhole(path)).toString(), file);
    const sections = isObject(document) && isObject(document.parameters) ? document.parameters : document;
    if (!isObject(sections)) return [];
    return [sections.config, ...elements(sections.iterations)].filter((one): one is ValueObject =>
      isObject(one ?? null),
    );
  } catch {
    return [];
  }
}

/** Returns jobs and all jobs below them. */
function withChildren(jobs: Value | undefined): readonly ValueObject[] {
  return elements(jobs).flatMap((job) => (isObject(job) ? [job, ...withChildren(job.children)] : []));
}

function elements(value: Value | undefined): readonly Value[] {
  if (Array.isArray(value)) return value;
  return isObject(value ?? null) ? Object.values(value as ValueObject) : [];
}
