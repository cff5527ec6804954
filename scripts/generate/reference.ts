import type { Bundle, Schema } from "./bundle.ts";

const heading = `<!-- Made by scripts/generate.ts from schemas/. Never edited by hand. -->

# Reference

This page lists every field of the configuration, as its schema defines it. The other pages explain the fields; \`spile schema\`
prints the schema as JSON Schema, for editors.
`;

/** A part of the configuration that has fields, and all places where it may occur. */
interface Section {
  readonly title: string;
  readonly schema: Schema;
  readonly places: Set<string>;
}

/** Returns docs/reference.md: a section for every object of the configuration, in the order in which a reader meets them. */
export function referenceOf(bundle: Bundle): string {
  const sections = new Map<string, Section>();
  visit({ $ref: "#/definitions/Configuration" }, "", "Configuration");
  return [heading, ...[...sections.values()].map(sectionText)].join("\n");

  /** Collects the sections at and below a place. */
  function visit(property: Schema, place: string, fallback: string): void {
    const schema = whole(property);
    if (hasFields(schema) || isChoice(schema)) {
      const title = titleOf(property, fallback);
      const section = sections.get(title);
      section?.places.add(place);
      if (section !== undefined) return;
      // A definition that has its own description is described by it, and not by the first field that refers to it.
      sections.set(title, { title, schema: { ...schema, ...definitionOf(property) }, places: new Set([place]) });
    }
    for (const alternative of list(schema.oneOf)) visit(alternative, place, fallback);
    for (const [name, inner] of Object.entries(map(schema.properties))) visit(inner, below(place, name), name);
    if (isSchema(schema.items)) visit(schema.items, `${place}[]`, fallback);
    if (isSchema(schema.additionalProperties)) visit(schema.additionalProperties, below(place, "<name>"), fallback);
  }

  function sectionText({ title, schema, places }: Section): string {
    const placeNames = [...places].filter((place) => place !== "").map((place) => `\`${place}\``);
    const rows = Object.entries(map(schema.properties)).map(([name, property]) => {
      const field = whole(property);
      const required = list<string>(schema.required).includes(name);
      return row([
        `\`${name}\``,
        typeText(property, name),
        required ? "required" : jsonText(field.default),
        words(field),
      ]);
    });
    const choices = list(schema.oneOf).map((alternative) => {
      const fields = map(whole(alternative).properties);
      const chosen = Object.entries(fields).find(([, field]) => "const" in field);
      return `- ${chosen === undefined ? "" : `\`"${chosen[0]}": ${JSON.stringify(chosen[1].const)}\`: `}${link(titleOf(alternative, ""))}\n`;
    });
    return [
      `## ${title}\n`,
      ...(placeNames.length > 0 ? [`At ${placeNames.join(", ")}.\n`] : []),
      ...(text(schema.description) ? [`${text(schema.description)}\n`] : []),
      ...(choices.length > 0 ? [choices.join("")] : []),
      ...(rows.length > 0 ? [`| field | type | default | |\n|---|---|---|---|\n${rows.join("")}`] : []),
      ...list<unknown>(schema.examples).map(
        (example) => `\`\`\`text\n${JSON.stringify(example, undefined, 2)}\n\`\`\`\n`,
      ),
    ].join("\n");
  }

  function typeText(property: Schema, name: string): string {
    const schema = whole(property);
    if (hasFields(schema) || isChoice(schema)) {
      const scalar = types(schema).filter((type) => type !== "object" && type !== "array");
      const object = link(titleOf(property, name));
      return scalar.length > 0 ? `${text(schema.allowed)}: ${object}` : object;
    }
    if (isSchema(schema.items) && refersToFields(schema.items)) return `list of ${link(titleOf(schema.items, name))}`;
    if (isSchema(schema.additionalProperties) && refersToFields(schema.additionalProperties))
      return `names to ${link(titleOf(schema.additionalProperties, name))}`;
    if ("const" in schema) return `\`${JSON.stringify(schema.const)}\``;
    if (schema.enum !== undefined)
      return list<unknown>(schema.enum)
        .map((one) => `\`${JSON.stringify(one)}\``)
        .join(", ");
    if (text(schema.allowed)) return text(schema.allowed);
    return types(schema).join(" or ") || "any value";
  }

  function refersToFields(schema: Schema): boolean {
    const target = whole(schema);
    return hasFields(target) || isChoice(target);
  }

  /** Returns a schema merged with the schemas to which it refers. Its own keywords take precedence. */
  function whole(schema: Schema): Schema {
    const target = definitionOf(schema);
    return target === undefined ? schema : { ...whole(target), ...schema };
  }

  /** Returns the schema to which another one refers: a definition, or a property of one. */
  function definitionOf(schema: Schema): Schema | undefined {
    const [name = "", ...inner] = nameOf(schema)?.split("/") ?? [];
    return inner.reduce<Schema | undefined>((found, key) => map(found)[key], bundle.definitions[name]);
  }

  /** Returns the title of a section: the definition's title, else the property's, with the value of a constant field such as `type` after it. */
  function titleOf(property: Schema, fallback: string): string {
    const schema = definitionOf(property) ?? property;
    const discriminating = Object.values(map(schema.properties)).find((field) => "const" in field);
    const title = text(schema.title) || fallback;
    return discriminating === undefined ? title : `${title}: \`${String(discriminating.const)}\``;
  }
}

/** Returns the description of a field, or else its title, and its examples. */
function words(schema: Schema): string {
  const description = text(schema.description) || text(schema.title);
  const examples = hasFields(schema) || isChoice(schema) ? [] : list<unknown>(schema.examples);
  const exampleTexts = examples.map(jsonText).join(", ");
  return exampleTexts === "" ? description : `${description.replace(/\.?$/, ".")} Example: ${exampleTexts}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |\n`;
}

function link(title: string): string {
  const anchor = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
  return `[${title.replaceAll("`", "")}](#${anchor})`;
}

function jsonText(value: unknown): string {
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

function below(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}

function nameOf(schema: Schema): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.replace("#/definitions/", "") : undefined;
}

function hasFields(schema: Schema): boolean {
  return Object.keys(map(schema.properties)).length > 0;
}

function isChoice(schema: Schema): boolean {
  return schema.oneOf !== undefined;
}

function types(schema: Schema): string[] {
  return Array.isArray(schema.type) ? schema.type.map(String) : text(schema.type) === "" ? [] : [text(schema.type)];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function map(value: unknown): Readonly<Record<string, Schema>> {
  return isSchema(value) ? (value as Readonly<Record<string, Schema>>) : {};
}

function list<T = Schema>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
