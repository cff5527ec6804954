import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthoredManifest } from "../../../src/authoring/airbyte/assemble.ts";
import { authorManifest } from "../../../src/authoring/airbyte/author.ts";
import { objectOf, readManifest } from "../../../src/authoring/airbyte/manifest.ts";

/** A job as the tests look at it. */
interface Job {
  readonly endpoint: unknown;
  readonly recursionFilter?: string;
  readonly placeholders?: unknown;
  readonly params?: unknown;
  readonly windows?: unknown;
  readonly incremental?: unknown;
  readonly children?: readonly Job[];
}

/** Converts a manifest of these streams, which is JSON and therefore YAML. */
function author(
  streams: readonly object[],
  settings: object = {},
): { readonly authored: AuthoredManifest; readonly jobs: readonly Job[] } {
  const properties = { account: { type: "string" }, ...settings };
  const spec = { connection_specification: { required: ["account"], properties } };
  const manifest = readManifest(JSON.stringify({ type: "DeclarativeSource", streams, spec }), "manifest.json");
  const authored = authorManifest(manifest, { only: [], given: new Map(), refused: [] });
  const { config } = authored.configuration as unknown as { readonly config: { readonly jobs: readonly Job[] } };
  return { authored, jobs: config.jobs };
}

function stream(name: string, path: string, more: object = {}, members: object = {}): object {
  const requester = { type: "HttpRequester", url_base: "https://api.example.com/v2/", path };
  const record_selector = { extractor: { type: "DpathExtractor", field_path: ["data"] } };
  const retriever = { type: "SimpleRetriever", requester, record_selector, ...more };
  return { type: "DeclarativeStream", name, retriever, ...members };
}

/** A child of `parent`, one request for the value at `key` of each of its records. */
function child(parent: object, { path, key = "id" }: { readonly path: string; readonly key?: string }): object {
  const parent_stream_configs = [{ stream: parent, parent_key: key, partition_field: "parent" }];
  return stream("items", path, { partition_router: { type: "SubstreamPartitionRouter", parent_stream_configs } });
}

function filtered(condition: string): object {
  const record_selector = {
    extractor: { type: "DpathExtractor", field_path: [] },
    record_filter: { type: "RecordFilter", condition },
  };
  return stream("files", "files", { record_selector });
}

test("a path of several parts stays below the path of its base, and adjacent slashes are one", () => {
  const { jobs } = author([
    stream("tags", "/accounts/{{ config['account'] }}/tags"),
    stream("links", "groups//{{ config['account'] }}//links"),
    stream("all", "//all"),
    stream("other", "https://other.example.com//v1/items"),
  ]);
  assert.deepEqual(
    jobs.map(({ endpoint }) => endpoint),
    [
      { function: "concat", args: ["accounts/", { attr: "account" }, "/tags"] },
      { function: "concat", args: ["groups/", { attr: "account" }, "/links"] },
      "all",
      "https://other.example.com/v1/items",
    ],
  );
});

test("a slash alone adds none to the base", () => {
  const requester = { url_base: "https://api.example.com/graphql", path: "/" };
  const { jobs } = author([stream("items", "items", { requester })]);
  assert.equal(jobs[0]?.endpoint, "https://api.example.com/graphql");
});

test("a filter of the parent decides which of its records the child asks for", () => {
  const cases = [
    ["{{ record['type'] == 'file' }}", "type==file"],
    ["{{ record.size > 0 and record.status == 'finished' }}", "size>0&status==finished"],
    ["{{ record.id != None }}", "id!="],
    ["{{ record.id not in [None] }}", "id!="],
    ["{{ record.isShared == true }}", "isShared==1"],
    // An empty text is none of these: jq and a note stay.
    ["{{ record.owner != None }}", undefined],
    ["{{ record.isShared == false }}", undefined],
    ["{{ record.name | length > 3 }}", undefined],
    ["{{ record.name == 'a|b' }}", undefined],
    ["{{ record.get('name') == 'a' and record.get('kind', '') == 'b' }}", "name==a&kind==b"],
    // Records without a value would be left out, or looked for elsewhere.
    ["{{ record.get('name', 'a') == 'a' }}", undefined],
    ["{{ record.name | default('a') == 'a' }}", undefined],
    ["{{ record['full.name'] == 'a' }}", undefined],
    ["{{ record.name == 'a' or record.name == 'b' }}", undefined],
  ] as const;
  for (const [condition, expected] of cases) {
    const parent = filtered(condition);
    const { authored, jobs } = author([parent, child(parent, { path: "files/{{ stream_partition.parent }}/items" })]);
    assert.equal(jobs[0]?.children?.[0]?.recursionFilter, expected, condition);
    const remarks = authored.remarks.filter(({ stream: name }) => name === "items");
    assert.equal(remarks.length, expected === undefined ? 1 : 0, condition);
  }
});

test("a value that the parent's transformations cut out of a text is cut out for the child", () => {
  const placeholdersFor = (value: string): unknown => {
    const fields = [{ path: ["event"], value }];
    const parent = stream("events", "events", {}, { transformations: [{ type: "AddFields", fields }] });
    const items = child(parent, { path: "events/{{ stream_partition.parent }}/items", key: "event" });
    return author([parent, items]).jobs[0]?.children?.[0]?.placeholders;
  };
  assert.deepEqual(placeholdersFor("{{ record['uri'] }}"), { parent: "uri" });
  assert.deepEqual(placeholdersFor("{{ record['uri'] | regex_search('/([a-z0-9-]*)$') }}"), {
    parent: { path: "uri", function: "regex", args: [{ placeholder: "value" }, "/([a-z0-9-]*)$", 1] },
  });
  assert.equal(placeholdersFor("{{ record['uri'] ~ record['kind'] }}"), undefined);
});

test("a component that names a class and no type needs Python", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    authenticator: { class_name: "source.components.Authenticator" },
  };
  const { authored } = author([stream("open", "open"), stream("items", "items", { requester })]);
  assert.deepEqual(authored.streams, ["open"]);
  assert.match(authored.leftOut[0]?.reason ?? "", /it needs the authenticator source\.components\.Authenticator/);
});

test("a granularity of a day leaves no gap between windows whose edges have a time of day", () => {
  const windows = (datetime_format: string): unknown => {
    const incremental_sync = {
      type: "DatetimeBasedCursor",
      cursor_field: "at",
      datetime_format,
      start_datetime: "2024-01-01",
      step: "P10D",
      cursor_granularity: "P1D",
      start_time_option: { inject_into: "request_parameter", field_name: "from" },
      end_time_option: { inject_into: "request_parameter", field_name: "to" },
    };
    return author([stream("items", "items", {}, { incremental_sync })]).jobs[0]?.windows;
  };
  const common = { from: { incremental: "from" }, step: "P10D", bounds: "closed" };
  assert.deepEqual(windows("%Y-%m-%dT%H:%M:%SZ"), common);
  const to = { function: "strtotime", args: ["tomorrow"] };
  assert.deepEqual(windows("%Y-%m-%d"), { ...common, unit: "day", to });
});

test("each value of a list in a setting goes to the parameter that an expression of the stream fills", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    request_parameters: { symbol: "{{ stream_partition.symbol }}" },
  };
  const router = { type: "ListPartitionRouter", values: "{{ config['symbols'] }}", cursor_field: "symbol" };
  const items = stream("items", "items", { requester, partition_router: router });
  const { jobs } = author([items], { symbols: { type: "array" } });
  const list = { function: "split", args: [{ attr: "symbols" }, ","] };
  assert.deepEqual(jobs[0]?.endpoint, { function: "each", args: ["items?symbol={}", list] });
});

test("a setting that is an element of a list is named after the list", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    request_parameters: { country: "{{ config['country'][0] }}" },
  };
  const { authored, jobs } = author([stream("items", "items", { requester })], { country: { type: "array" } });
  assert.deepEqual(jobs[0]?.params, { country: { attr: "country_0" } });
  assert.deepEqual(authored.variables, [{ variable: "EXAMPLE_COUNTRY_0", title: "country_0" }]);
});

test("a variable is told with an example of the specification, a secret without", () => {
  const items = stream("items", "items/{{ config['since'] }}/{{ config['key'] }}");
  const { authored } = author([items], {
    since: { type: "string", title: "First day", examples: ["2024-05-01"] },
    key: { type: "string", airbyte_secret: true, examples: ["abc"] },
  });
  assert.deepEqual(
    authored.variables.map(({ title }) => title),
    ["First day, such as 2024-05-01", "key"],
  );
});

test("an increment of a form that no run reads begins at the first time", () => {
  const incremental_sync = { type: "DatetimeBasedCursor", cursor_field: "at", start_datetime: "2024-01-01" };
  const job = (form: string): Job | undefined =>
    author([stream("items", "items", {}, { incremental_sync: { ...incremental_sync, datetime_format: form } })])
      .jobs[0];
  assert.notEqual(job("%Y-%m-%d %H:%M:%S%z")?.incremental, undefined);
  assert.equal(job("%Y-%m-%d %H:%M:%S %z")?.incremental, undefined);
});

test("an optional setting is sent with its default, in Python's words", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    request_parameters: { spam: "{{ config['spam'] }}", more: "{{ config['more'] }}" },
  };
  const { authored, jobs } = author([stream("items", "items", { requester })], {
    spam: { type: "boolean", default: false },
    more: { type: "boolean" },
  });
  assert.deepEqual(jobs[0]?.params, { spam: { attr: "spam" } });
  assert.equal(objectOf(authored.configuration.config).spam, "False");
});
