import assert from "node:assert/strict";
import { test } from "node:test";
import { authorManifest } from "../../../src/authoring/airbyte/author.ts";
import { readManifest } from "../../../src/authoring/airbyte/manifest.ts";
import type { AuthoredStreams } from "../../../src/authoring/described/streams.ts";
import { objectOf } from "../../../src/authoring/described/values.ts";

/** The parts of a job that tests examine. */
interface Job {
  readonly endpoint: unknown;
  readonly recursionFilter?: string;
  readonly placeholders?: unknown;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly windows?: unknown;
  readonly incremental?: unknown;
  readonly children?: readonly Job[];
}

/** Converts a manifest of these streams. Its text is JSON, which is valid YAML. */
function author(
  streams: readonly object[],
  settings: object = {},
  {
    required = [],
    given = {},
  }: { readonly required?: readonly string[]; readonly given?: Readonly<Record<string, string>> } = {},
): { readonly authored: AuthoredStreams; readonly jobs: readonly Job[] } {
  const properties = { account: { type: "string" }, ...settings };
  const spec = { connection_specification: { required: ["account", ...required], properties } };
  const manifest = readManifest(JSON.stringify({ type: "DeclarativeSource", streams, spec }), "manifest.json");
  const authored = authorManifest(manifest, {
    only: [],
    settingValues: new Map(Object.entries(given)),
    refusedStreams: [],
  });
  const { config } = authored.configuration as unknown as { readonly config: { readonly jobs: readonly Job[] } };
  return { authored, jobs: config.jobs };
}

function stream(name: string, path: string, more: object = {}, members: object = {}): object {
  const requester = { type: "HttpRequester", url_base: "https://api.example.com/v2/", path };
  const record_selector = { extractor: { type: "DpathExtractor", field_path: ["data"] } };
  const retriever = { type: "SimpleRetriever", requester, record_selector, ...more };
  return { type: "DeclarativeStream", name, retriever, ...members };
}

/** Returns a child of `parent`, with one request for the value at `key` of each record. */
function child(parent: object, { path, key = "id" }: { readonly path: string; readonly key?: string }): object {
  const parent_stream_configs = [{ stream: parent, parent_key: key, partition_field: "parent" }];
  return stream("items", path, { partition_router: { type: "SubstreamPartitionRouter", parent_stream_configs } });
}

function filteredStream(condition: string): object {
  const record_selector = {
    extractor: { type: "DpathExtractor", field_path: [] },
    record_filter: { type: "RecordFilter", condition },
  };
  return stream("files", "files", { record_selector });
}

test("values are compared as in Python: 10.0 equals 10, true equals 1, and a text equals no number", () => {
  const rows: readonly (readonly [condition: string, isTrue: boolean])[] = [
    ["10.0 == 10", true],
    ["10 != 10.00", false],
    ["10 in [1, 10.0]", true],
    ["10 in [1, 100]", false],
    ["true == 1", true],
    ["false == 1", false],
    ["'10' == 10", false],
    ["none == 0", false],
  ];
  for (const [condition, isTrue] of rows) {
    const { jobs } = author([stream("tags", `{{ 'yes' if ${condition} else 'no' }}`)]);
    assert.equal(jobs[0]?.endpoint, isTrue ? "yes" : "no", condition);
  }
});

test("a path of several parts is joined to the path of the base address, and adjacent slashes become one", () => {
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

test("a path of a single slash adds no slash to the base address", () => {
  const requester = { url_base: "https://api.example.com/graphql", path: "/" };
  const { jobs } = author([stream("items", "items", { requester })]);
  assert.equal(jobs[0]?.endpoint, "https://api.example.com/graphql");
});

test("a filter of the parent limits the records for which a child is requested, or is reported as a difference", () => {
  const cases = [
    ["{{ record['type'] == 'file' }}", "type==file"],
    ["{{ record.size > 0 and record.status == 'finished' }}", "size>0&status==finished"],
    ["{{ record.id != None }}", "id!="],
    ["{{ record.id not in [None] }}", "id!="],
    ["{{ record.isShared == true }}", "isShared==1"],
    // No `recursionFilter` means the same as these conditions: an empty text, for example, is not None.
    ["{{ record.owner != None }}", undefined],
    ["{{ record.isShared == false }}", undefined],
    ["{{ record.name | length > 3 }}", undefined],
    ["{{ record.name == 'a|b' }}", undefined],
    // A default that differs from the compared value changes nothing.
    ["{{ record.get('name') == 'a' and record.get('kind', '') == 'b' }}", "name==a&kind==b"],
    // With a `recursionFilter`, records without a value would be dropped, or their value would be looked up at another place.
    ["{{ record.get('name', 'a') == 'a' }}", undefined],
    ["{{ record.name | default('a') == 'a' }}", undefined],
    ["{{ record['full.name'] == 'a' }}", undefined],
    ["{{ record.name == 'a' or record.name == 'b' }}", undefined],
  ] as const;
  for (const [condition, expected] of cases) {
    const parent = filteredStream(condition);
    const { authored, jobs } = author([parent, child(parent, { path: "files/{{ stream_partition.parent }}/items" })]);
    assert.equal(jobs[0]?.children?.[0]?.recursionFilter, expected, condition);
    const differences = authored.differences.filter(({ stream: name }) => name === "items");
    assert.equal(differences.length, expected === undefined ? 1 : 0, condition);
  }
});

test("a child gets the value that its parent's transformations copy from a field or cut out of its text", () => {
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

test("a stream whose authenticator is a Python class is left out, and the reason names the class", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    authenticator: { class_name: "source.components.Authenticator" },
  };
  const { authored } = author([stream("open", "open"), stream("items", "items", { requester })]);
  assert.deepEqual(authored.streams, ["open"]);
  assert.match(authored.leftOut[0]?.reason ?? "", /it needs the authenticator source\.components\.Authenticator/);
});

test("a granularity of a day becomes windows of whole days if the API reads dates, and windows without gaps if it reads times", () => {
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

test("a partition router over a setting that is a list becomes one request for each value", () => {
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

test("a setting that is a list is repeated in a query, sent as a list in a body, and joined if the manifest joins it", () => {
  const ids = { ids: { type: "array" } };
  const job = (requester: object): unknown => {
    const url = { url_base: "https://api.example.com", path: "items", ...requester };
    const [first] = author([stream("items", "items", { requester: url })], ids, { required: ["ids"] }).jobs;
    const { params, lists } = (first ?? {}) as { readonly params?: unknown; readonly lists?: unknown };
    return { params, lists };
  };
  const split = { function: "split", args: [{ attr: "ids" }, ","] };
  const query = (id: string): object => ({ request_parameters: { id } });
  assert.deepEqual(job(query("{{ config['ids'] }}")), { params: { id: split }, lists: "repeat" });
  assert.deepEqual(job(query("{{ ','.join(config['ids']) }}")), { params: { id: { attr: "ids" } }, lists: undefined });
  const body = { http_method: "POST", request_body_json: { id: "{{ config['ids'] }}" } };
  assert.deepEqual(job(body), { params: { id: split }, lists: undefined });
});

test("the first value of an increment is written as a date-time, even if the manifest has Unix seconds", () => {
  const incremental_sync = {
    type: "DatetimeBasedCursor",
    cursor_field: "at",
    datetime_format: "%s",
    start_datetime: { datetime: "{{ day_delta(-30, '%s') }}" },
    start_time_option: { inject_into: "request_parameter", field_name: "since" },
  };
  const { jobs } = author([stream("items", "items", {}, { incremental_sync })]);
  const initial = { function: "date", args: ["Y-m-d\\TH:i:s\\Z", { function: "strtotime", args: ["-30 days"] }] };
  assert.deepEqual(jobs[0]?.incremental, { path: "at", initial });
});

test("a setting for an element of a list is named after the list", () => {
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    request_parameters: { country: "{{ config['country'][0] }}" },
  };
  const { authored, jobs } = author([stream("items", "items", { requester })], { country: { type: "array" } });
  assert.deepEqual(jobs[0]?.params, { country: { attr: "country_0" } });
  assert.deepEqual(authored.variables, [{ variable: "EXAMPLE_COUNTRY_0", title: "country_0" }]);
});

test("a variable is listed with its example, unless it is a secret", () => {
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

test("a stream whose cursor has an unknown format reads everything in each run", () => {
  const start_time_option = { inject_into: "request_parameter", field_name: "since" };
  const common = { type: "DatetimeBasedCursor", cursor_field: "at", start_datetime: "2024-01-01" };
  const incremental_sync = { ...common, start_time_option };
  const job = (form: string): Job | undefined =>
    author([stream("items", "items", {}, { incremental_sync: { ...incremental_sync, datetime_format: form } })])
      .jobs[0];
  assert.notEqual(job("%Y-%m-%d %H:%M:%S %z")?.incremental, undefined);
  assert.equal(job("%d.%m.%Y")?.incremental, undefined);
  const cursor_datetime_formats = ["%Y-%m-%dT%H:%MZ", "%d.%m.%Y"];
  const several = { ...incremental_sync, datetime_format: "%Y-%m-%d", cursor_datetime_formats };
  assert.equal(author([stream("items", "items", {}, { incremental_sync: several })]).jobs[0]?.incremental, undefined);
});

test("an optional setting gets its default, as Python writes it; without a default, its parameter is left out", () => {
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

/** Returns a stream whose POST sends an optional setting `sort` in its query, in a header and deep in its body. */
function sortingStream(members: object = {}): object {
  const sort = "{{ config['sort'] }}";
  const requester = {
    url_base: "https://api.example.com",
    path: "items",
    http_method: "POST",
    request_parameters: { order: sort },
    request_headers: { "X-Sort": sort },
    request_body_json: { params: { page: { sort } }, kind: "{{ 'all' }}" },
    ...members,
  };
  return stream("items", "items", { requester });
}

test("a note names each parameter that is left out for lack of an optional setting, in any part of a request", () => {
  const { authored } = author([sortingStream()], { sort: { type: "string" } });
  const note = "is left out: the optional setting sort has no value";
  assert.deepEqual(
    authored.notes.map(({ reason }) => reason),
    [`"order" ${note}`, `"X-Sort" ${note}`, `"params.page.sort" ${note}`],
  );
  // The comment begins with the name as it is, not with a capital.
  const comments = [...authored.comments.values()].flat();
  assert.ok(comments.includes(`"order" ${note}.`), comments.join());
  const form = { request_body_json: undefined, request_body_data: { filter: { sort: "{{ config['sort'] }}" } } };
  const { authored: inForm } = author([sortingStream(form)], { sort: { type: "string" } });
  assert.ok(inForm.notes.some(({ reason }) => reason === `"filter.sort" ${note}`));
  const authenticator = {
    type: "OAuthAuthenticator",
    token_refresh_endpoint: "https://api.example.com/token",
    refresh_request_body: { sort: "{{ config['sort'] }}" },
  };
  const { authored: inLogin } = author([sortingStream({ authenticator })], { sort: { type: "string" } });
  assert.ok(inLogin.notes.some(({ reason }) => reason === `in its login, "sort" ${note}`));
});

test("an optional setting that another stream requires is sent wherever the manifest sends it", () => {
  const sort = { sort: { type: "string" } };
  const needing = stream("sorts", "sorts/{{ config['sort'] }}");
  const { authored, jobs } = author([sortingStream(), needing], sort);
  const value = { attr: "sort" };
  assert.deepEqual(jobs[0]?.params, { params: { page: { sort: value } }, kind: "all" });
  assert.deepEqual(jobs[0]?.query, { order: value });
  assert.deepEqual(jobs[0]?.headers, { "X-Sort": value });
  assert.deepEqual(authored.notes, []);
  // A stream that is left out requires no setting.
  const unsupported = stream("sorts", "sorts/{{ config['sort'] }}/{{ record.id }}");
  const { authored: alone } = author([sortingStream(), unsupported], sort);
  assert.deepEqual(
    alone.leftOut.map(({ stream: name }) => name),
    ["sorts"],
  );
  assert.equal(alone.notes.length, 3);
  assert.deepEqual(alone.variables, []);
});

/** Returns the parameter that results from a template, or the reason why its stream is left out. */
function parameter(template: string, settings: object, options: Parameters<typeof author>[2] = {}): unknown {
  const requester = { url_base: "https://api.example.com", path: "items", request_parameters: { value: template } };
  const { authored, jobs } = author([stream("items", "items", { requester })], settings, options);
  const { value } = (jobs[0]?.params ?? {}) as { readonly value?: unknown };
  return authored.leftOut[0]?.reason ?? value;
}

test("if a condition reads a required setting without a default, its stream needs a value from --set", () => {
  const latitude =
    "{% if -90.00 <= config['lat']|float <= 90.00 %}{{ config['lat'] }}{% else %}WRONG LATITUDE{% endif %}";
  const lat = { lat: { type: "string" } };
  const decided = (value: string): unknown => parameter(latitude, lat, { required: ["lat"], given: { lat: value } });
  assert.equal(
    parameter(latitude, lat, { required: ["lat"] }),
    "its value: it depends on the setting lat, which has no default: give it with --set lat=VALUE",
  );
  assert.deepEqual(decided("45.7603"), { attr: "lat" });
  assert.equal(decided("-91"), "WRONG LATITUDE");
  assert.match(String(decided("north")), /it compares north with -90/);
  const region = "{{ 'a' if config['region'] == 'eu' else 'b' }}";
  const open = { region: { type: "string" } };
  assert.match(String(parameter(region, open, { required: ["region"] })), /--set region=VALUE$/);
  assert.equal(parameter(region, open), "b");
  assert.equal(parameter(region, { region: { type: "string", enum: ["eu", "us"] } }, { required: ["region"] }), "a");
  const limit = "{{ 100 if 'test_' in config['secret'] else 25 }}";
  assert.match(
    String(parameter(limit, { secret: { type: "string" } }, { required: ["secret"] })),
    /--set secret=VALUE$/,
  );
});

test("a chain of comparisons is true if each comparison is, and a number from --set is compared as a number", () => {
  assert.equal(parameter("{{ 'a' if 5 > 3 > 4 else 'b' }}", {}), "b");
  assert.equal(parameter("{{ 'a' if 5 > 4 > 3 else 'b' }}", {}), "a");
  const size = { size: { type: "integer" } };
  assert.equal(parameter("{{ 'a' if config['size'] == 10 else 'b' }}", size, { given: { size: "10" } }), "a");
  assert.equal(parameter("{{ 'a' if config['size'] > 9 else 'b' }}", size, { given: { size: "10" } }), "a");
});

test("if a duration comes from a required setting without a default, its stream needs a value from --set", () => {
  const incremental_sync = {
    type: "DatetimeBasedCursor",
    cursor_field: "at",
    datetime_format: "%Y-%m-%d",
    start_datetime: "2024-01-01",
    lookback_window: "P{{ config['days'] }}D",
    start_time_option: { inject_into: "request_parameter", field_name: "since" },
  };
  const items = stream("items", "items", {}, { incremental_sync });
  const days = { days: { type: "integer" } };
  assert.match(author([items], days, { required: ["days"] }).authored.leftOut[0]?.reason ?? "", /--set days=VALUE$/);
  const { jobs } = author([items], days, { required: ["days"], given: { days: "3" } });
  assert.deepEqual(jobs[0]?.incremental, { path: "at", initial: "2024-01-01", lookback: 259_200 });
});

test("an increment that no request reads is left out, with its settings", () => {
  const incremental_sync = {
    type: "DatetimeBasedCursor",
    cursor_field: "at",
    datetime_format: "%Y-%m-%d",
    start_datetime: { datetime: "{{ config['start'] }}", min_datetime: "2020-01-01" },
    step: "P1M",
  };
  const settings = { start: { type: "string" } };
  const required = ["start"];
  const unread = author([stream("items", "items", {}, { incremental_sync })], settings, { required });
  assert.equal(unread.jobs[0]?.incremental, undefined);
  assert.equal(unread.jobs[0]?.windows, undefined);
  assert.deepEqual(unread.authored.variables, []);
  assert.deepEqual(unread.authored.differences, []);
  assert.deepEqual(unread.authored.notes, [
    { stream: "items", reason: "each run reads all its records: no request sends the last value of at" },
  ]);
  const counted = { type: "IncrementingCountCursor", cursor_field: "number", start_value: "{{ config['start'] }}" };
  const count = author([stream("items", "items", {}, { incremental_sync: counted })], settings, { required });
  assert.equal(count.jobs[0]?.incremental, undefined);
  assert.deepEqual(count.authored.variables, []);
  // A job that drops older records, or stops at them, uses the increment.
  for (const used of [{ is_client_side_incremental: true }, { is_data_feed: true }]) {
    const items = stream("items", "items", {}, { incremental_sync: { ...incremental_sync, ...used } });
    assert.notEqual(author([items], settings, { required }).jobs[0]?.incremental, undefined);
  }
  const record_selector = {
    extractor: { type: "DpathExtractor", field_path: [] },
    record_filter: { condition: "{{ record['at'] >= stream_interval['start_time'] }}" },
  };
  const filter = stream("items", "items", { record_selector }, { incremental_sync });
  const { incremental } = author([filter], settings, { required }).jobs[0] ?? {};
  assert.equal((incremental as { readonly filter?: boolean } | undefined)?.filter, true);
});

test("if a parent's transformation builds an object, a child reads the members from their original fields", () => {
  const fields = [
    { path: ["project"], value: "{{ stream_partition.parent }}" },
    {
      path: ["both"],
      value: "{{ { 'project': record['project'], 'id': record.item.id, 'sum': record.a + record.b } }}",
    },
  ];
  const childOf = (path: string): readonly Job[] => {
    const projects = stream("projects", "projects");
    const parent = { ...child(projects, { path: "projects/{{ stream_partition.parent }}/lists" }), name: "lists" };
    const lists = { ...parent, transformations: [{ type: "AddFields", fields }] };
    const parent_stream_configs = [{ stream: lists, parent_key: "both", partition_field: "list" }];
    const partition_router = { type: "SubstreamPartitionRouter", parent_stream_configs };
    const { jobs } = author([projects, lists, stream("entries", path, { partition_router })]);
    return jobs[0]?.children?.[0]?.children ?? [];
  };
  const [entries] = childOf(
    "projects/{{ stream_partition.list.project }}/lists/{{ stream_partition.list.id }}/entries",
  );
  assert.equal(entries?.endpoint, "projects/{2:parent}/lists/{list_id}/entries");
  assert.deepEqual(entries?.placeholders, { "2:parent": "id", list_id: "item.id" });
  for (const member of ["list.sum", "list.other", "list"])
    assert.deepEqual(childOf(`lists/{{ stream_partition.${member} }}`), [], member);
});
