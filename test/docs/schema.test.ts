import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { bundleSchemas, type Schema } from "../../scripts/generate/bundle.ts";
import { referenceOf } from "../../scripts/generate/reference.ts";

const bundle = await bundleSchemas(new URL("../../schemas/", import.meta.url));
const ajv = new Ajv({ strict: false, allErrors: true, discriminator: true });
ajv.addSchema({ ...bundle, $id: "spile" });

test("each field has a title or a description", () => {
  const silent = fieldsOf(bundle).filter(({ schema }) => !isDescribed(schema));
  assert.deepEqual(
    silent.map(({ pointer }) => pointer),
    [],
  );
});

test("each example and each default of the schemas is valid", () => {
  const schemas = schemasOf(bundle, "");
  const examples = schemas.flatMap(({ schema, pointer }) =>
    [...(Array.isArray(schema.examples) ? schema.examples : []), ...("default" in schema ? [schema.default] : [])].map(
      (example) => ({ pointer, example }),
    ),
  );
  assert.ok(examples.length > 60);
  for (const { pointer, example } of examples) {
    const validate = ajv.getSchema(`spile#${encodeURI(pointer)}`);
    assert.ok(validate, pointer);
    assert.ok(validate(example), `${pointer}: ${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`);
  }
});

test("the reference has each field of each definition, under a title of its own", () => {
  const sections = referenceOf(bundle).split(/^## /m).slice(1);
  const titles = sections.map((section) => section.slice(0, section.indexOf("\n")));
  assert.deepEqual(titles, [...new Set(titles)]);
  // Keboola's envelope around the configuration is not part of the reference.
  const { WrappedConfiguration: _, ...definitions } = bundle.definitions;
  const missing = Object.entries(definitions).flatMap(([name, { title, properties }]) => {
    const fields = isSchema(properties) ? Object.keys(properties) : [];
    const found = sections.filter((_, index) => titles[index]?.split(": `")[0] === title);
    return fields.flatMap((field) =>
      found.some((section) => section.includes(`\n| \`${field}\` | `)) ? [] : [`${name}.${field}`],
    );
  });
  assert.deepEqual(missing, []);
});

test("a definition to which many fields refer has one section, with its description", () => {
  const [, section = ""] = referenceOf(bundle).split("\n## Condition on a response\n");
  assert.match(section, /^\nAt [^\n]+\n\nAll members must match\./);
  const [, places = ""] = referenceOf(bundle).split("\n## Place of the page size\n");
  assert.match(places, /\n\| `path` \| a path in the parameters \|/);
});

interface Found {
  readonly pointer: string;
  readonly schema: Schema;
}

/** Returns the properties of objects, without the constants that distinguish variants. */
function fieldsOf(root: Schema): Found[] {
  return schemasOf(root, "").filter(
    ({ pointer, schema }) => /\/properties\/[^/]+$/.test(pointer) && !("const" in schema),
  );
}

function isDescribed(schema: Schema): boolean {
  const name = String(schema.$ref ?? "").replace("#/definitions/", "");
  return (
    schema.title !== undefined || schema.description !== undefined || bundle.definitions[name]?.title !== undefined
  );
}

/** Returns a schema and all schemas in it. */
function schemasOf(schema: Schema, pointer: string): Found[] {
  const inner = Object.entries(schema).flatMap(([key, value]): Found[] => {
    if (["examples", "default", "const", "enum", "discriminator"].includes(key)) return [];
    if (Array.isArray(value))
      return value.flatMap((one, index) => (isSchema(one) ? schemasOf(one, `${pointer}/${key}/${index}`) : []));
    if (!isSchema(value)) return [];
    if (key !== "properties" && key !== "definitions") return schemasOf(value, `${pointer}/${key}`);
    return Object.entries(value).flatMap(([name, one]) =>
      isSchema(one) ? schemasOf(one, `${pointer}/${key}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`) : [],
    );
  });
  return [{ pointer, schema }, ...inner];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
