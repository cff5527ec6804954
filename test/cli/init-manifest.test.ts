import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { parse } from "jsonc-parser";
import { json, type Received, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

const people = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, name: `p${index + 1}`, kind: index % 2 }));
const orders = [
  { id: 10, updated: "2024-01-05T00:00:00Z" },
  { id: 11, updated: "2024-02-10T00:00:00Z" },
];

/** A manifest with a parent, a child, a list of values, windows of time, a filter and transformations. */
function manifest(url: string, streams = ["people", "notes", "orders", "items"]): string {
  return `
version: 6.0.0
type: DeclarativeSource
check: { type: CheckStream, stream_names: [people] }
definitions:
  requester: &requester
    type: HttpRequester
    url_base: "{{ config['base'] or '${url}/v1' }}"
    http_method: GET
    authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_key'] }}" }
  selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
  pages:
    type: DefaultPaginator
    page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: page }
    page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: size }
    pagination_strategy: { type: PageIncrement, start_from_page: 1, page_size: 2 }
  streams:
    people:
      type: DeclarativeStream
      name: people
      primary_key: [id]
      retriever:
        type: SimpleRetriever
        requester: { $ref: "#/definitions/requester", path: "/people" }
        record_selector:
          $ref: "#/definitions/selector"
          record_filter: { type: RecordFilter, condition: "{{ record.kind == 0 }}" }
        paginator: { $ref: "#/definitions/pages" }
      transformations:
        - type: AddFields
          fields: [{ path: [label], value: "{{ record['name'] ~ '!' }}" }]
        - { type: RemoveFields, field_pointers: [[kind]] }
    notes:
      type: DeclarativeStream
      $parameters: { name: notes, path: notes }
      retriever:
        type: SimpleRetriever
        requester:
          <<: *requester
          path: "people/{{ stream_partition.person }}/{{ parameters.path }}"
        record_selector: { $ref: "#/definitions/selector" }
        partition_router:
          - type: SubstreamPartitionRouter
            parent_stream_configs:
              - { stream: { $ref: "#/definitions/streams/people" }, parent_key: id, partition_field: person }
          - type: ListPartitionRouter
            values: [new, old]
            cursor_field: state
            request_option: { inject_into: request_parameter, field_name: state }
    orders:
      type: DeclarativeStream
      name: orders
      retriever:
        type: SimpleRetriever
        requester: { $ref: "#/definitions/requester", path: orders }
        record_selector: { $ref: "#/definitions/selector" }
        paginator:
          type: DefaultPaginator
          page_token_option: { type: RequestPath }
          pagination_strategy:
            type: CursorPagination
            cursor_value: "{{ response.get('next', {}) }}"
            stop_condition: "{{ not response.get('next') }}"
      incremental_sync:
        type: DatetimeBasedCursor
        cursor_field: updated
        datetime_format: "%Y-%m-%d"
        cursor_datetime_formats: ["%Y-%m-%dT%H:%M:%SZ"]
        start_datetime: "{{ config['start'] }}"
        end_datetime: "2024-02-29"
        step: P1M
        cursor_granularity: P1D
        start_time_option: { inject_into: request_parameter, field_name: from }
        end_time_option: { inject_into: request_parameter, field_name: to }
    items:
      type: DeclarativeStream
      name: items
      retriever:
        type: CustomRetriever
        class_name: source.components.Items
streams: [${streams.map((name) => `{ $ref: "#/definitions/streams/${name}" }`).join(", ")}]
spec:
  connection_specification:
    required: [api_key, start]
    properties:
      api_key: { type: string, airbyte_secret: true, title: Key }
      start: { type: string, default: "2024-01-01" }
      base: { type: string }
`;
}

function answer({ path, params, headers }: Received): unknown {
  if (headers.authorization !== "Bearer s3cr3t") return json({ error: "no" }, { status: 401 });
  if (path === "/v1/people") {
    const page = Number(params.get("page") ?? 1);
    return { data: people.slice((page - 1) * 2, page * 2) };
  }
  if (path === "/v1/orders") {
    const [from = "", to = ""] = [params.get("from") ?? "", params.get("to") ?? ""];
    return { data: orders.filter(({ updated }) => updated.slice(0, 10) >= from && updated.slice(0, 10) <= to) };
  }
  const [, id] = /^\/v1\/people\/(\d+)\/notes$/.exec(path) ?? [];
  return id === undefined ? json({}, { status: 404 }) : { data: [{ note: `${id}-${params.get("state")}` }] };
}

test("--airbyte writes a job for each stream that spile can convert, and the job fetches the stream's records", async () => {
  await using api = await startApi(answer);
  await using folder = await temporaryFolder();
  const file = await folder.write("manifest.yaml", manifest(api.url));
  const { code, stdout, stderr } = await spileHere(["init", "--airbyte", file]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^note {2}items is left out: it needs the retriever source\.components\.Items$/m);
  assert.match(stderr, /^found 3 streams$/m);
  assert.match(
    stderr,
    /^people: jq 'select\(\(\.kind == 0\)\) \| \.label = .* \| del\(\.kind\)'$/m,
    "the filter and the transformations of people",
  );
  assert.match(stderr, /^export .*API_KEY='\*\*\*'$/m);
  assert.doesNotMatch(stdout, /s3cr3t/);
  const [variable = ""] = /\w+_API_KEY|API_KEY/.exec(stderr) ?? [];
  const configuration = await folder.write("people.json", stdout);
  const run = await spileHere([configuration, "--strict", "--tag"], { env: { [variable]: "s3cr3t" } });
  assert.equal(run.code, 0, run.stderr);
  const records = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const of = (name: string): unknown[] => records.filter((one) => one.dataType === name).map((one) => one.record);
  assert.deepEqual(of("people"), people);
  assert.deepEqual(of("orders"), orders);
  const asked = people.filter(({ kind }) => kind === 0);
  const notes = asked.flatMap(({ id }) => [`${id}-new`, `${id}-old`]).sort();
  assert.deepEqual(
    of("notes")
      .map((one) => (one as { note: string }).note)
      .sort(),
    notes,
  );
  assert.deepEqual(
    api.targets().filter((target) => target.includes("/people?")),
    ["/v1/people?size=2", "/v1/people?size=2&page=2", "/v1/people?size=2&page=3"],
  );
  assert.deepEqual(
    api.targets().filter((target) => target.includes("/orders")),
    ["/v1/orders?from=2024-01-01&to=2024-01-31", "/v1/orders?from=2024-02-01&to=2024-02-29"],
  );
});

test("the jq command of a stream does what its filter and transformations do", async () => {
  const { stderr } = await spileHere(["init", "--airbyte", "-"], { stdin: manifest("http://127.0.0.1:1") });
  const [, program = ""] = /^people: jq '(.*)'$/m.exec(stderr) ?? [];
  const input = people.map((one) => JSON.stringify(one)).join("\n");
  const { status, stdout, error } = spawnSync("jq", ["-c", program], { input, encoding: "utf8" });
  if (error !== undefined) return;
  assert.equal(status, 0);
  const expected = people.filter(({ kind }) => kind === 0).map(({ id, name }) => ({ id, name, label: `${name}!` }));
  assert.deepEqual(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    expected,
  );
});

test("with --only, the parents of a stream become jobs whose records are not written, and a manifest is recognised in a file and on stdin", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("manifest.yaml", manifest("http://127.0.0.1:1"));
  const only = await spileHere(["init", "--airbyte", file, "--only", "notes"]);
  assert.equal(only.code, 0, only.stderr);
  const [parent] = parse(only.stdout).config.jobs;
  assert.equal(parent.write, false);
  assert.equal(parent.children.length, 2);
  const whole = await spileHere(["init", file]);
  assert.equal(whole.stdout, (await spileHere(["init", "-"], { stdin: manifest("http://127.0.0.1:1") })).stdout);
  const wrong = await spileHere(["init", "--airbyte", file, "--only", "nots"]);
  assert.equal(wrong.code, 64);
  assert.match(wrong.stderr, /the manifest has no stream nots; it has people, notes, orders, items/);
});

test("a manifest without a convertible stream ends with 78 and writes nothing", async () => {
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: manifest("http://127.0.0.1:1", ["items"]) });
  assert.equal(code, 78);
  assert.equal(stdout, "");
  assert.match(stderr, /items is left out: .*\n.*no stream of - can become a job/s);
});

test("aliases that multiply, and references to themselves, are refused", async () => {
  const levels = Array.from({ length: 30 }, (_, index) => `l${index + 1}: &l${index + 1} [*l${index}, *l${index}]`);
  const bomb = `type: DeclarativeSource\nl0: &l0 [a]\n${levels.join("\n")}\nstreams: [*l30]\n`;
  const { code, stderr } = await spileHere(["init", "-"], { stdin: bomb });
  assert.equal(code, 64);
  assert.match(stderr, /more than 2000000 values, those of its aliases included/);
  const circle = "type: DeclarativeSource\na: { $ref: '#/b' }\nb: { $ref: '#/a' }\nstreams: [{ $ref: '#/a' }]\n";
  const round = await spileHere(["init", "-"], { stdin: circle });
  assert.equal(round.code, 64);
  assert.match(round.stderr, /the reference #\/a refers to itself/);
});

test("a list in a setting repeats the requests for each of its values", async () => {
  await using api = await startApi(({ path, params }) => ({ data: [{ path, symbol: params.get("symbol") }] }));
  await using folder = await temporaryFolder();
  const text = `
type: DeclarativeSource
streams:
  - type: DeclarativeStream
    name: quotes
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: "${api.url}", path: quote }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
      partition_router:
        type: ListPartitionRouter
        values: "{{ config['symbols'] }}"
        cursor_field: symbol
        request_option: { inject_into: request_parameter, field_name: symbol }
spec: { connection_specification: { required: [symbols], properties: { symbols: { type: array } } } }
`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  const file = await folder.write("quotes.json", stdout);
  const run = await spileHere([file], { env: { API_SYMBOLS: "A,B&C" } });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.stdout, '{"path":"/quote","symbol":"A"}\n{"path":"/quote","symbol":"B&C"}\n');
});

test("a child refuses a status that only its parent tolerates, and the API's budget becomes a rate", async () => {
  const text = `
type: DeclarativeSource
api_budget: { type: HTTPAPIBudget, policies: [{ rates: [{ limit: 10, interval: PT2S }, { limit: 10, interval: PT7S }, { limit: 1, interval: PT0.5S }] }] }
definitions:
  selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] }, schema_normalization: Default }
  parent:
    type: DeclarativeStream
    name: parent
    retriever:
      type: SimpleRetriever
      requester:
        type: HttpRequester
        url_base: http://127.0.0.1:1/
        path: parents
        error_handler: { response_filters: [{ http_codes: [404], action: IGNORE }] }
      record_selector: { $ref: "#/definitions/selector" }
streams:
  - { $ref: "#/definitions/parent" }
  - type: DeclarativeStream
    name: child
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: http://127.0.0.1:1/, path: "parents/{{ stream_slice.id }}" }
      record_selector: { $ref: "#/definitions/selector" }
      partition_router:
        type: SubstreamPartitionRouter
        parent_stream_configs: [{ stream: { $ref: "#/definitions/parent" }, parent_key: id, partition_field: id }]
`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  const { api, config } = parse(stdout);
  // 10 in 7 seconds are 85.7 a minute; the written rate never exceeds the budget.
  assert.deepEqual(api.http.rateLimit, ["300/m", "85/m", "2/s"]);
  const [{ responses, children }] = config.jobs;
  assert.equal(JSON.stringify(responses), '[{"when":{"status":404},"then":"empty"}]');
  assert.equal(JSON.stringify(children[0].responses), '[{"when":{"status":404},"then":"fail"}]');
  assert.match(
    stderr,
    /^note {2}child: its values are written as the API sends them, and are not converted to the types of its schema$/m,
  );
});

test("a stream whose template doubles itself, nests too deep or is not closed is left out, and a budget of days becomes a note", async () => {
  const doubled = `{% set a = 'x' %}${"{% set a = a ~ a %}".repeat(40)}{{ a }}`;
  const templates = [doubled, `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`, `{{ 1${" ~ 1".repeat(20_000)} }}`];
  templates.push("{{ 'a'", "a/{{ 1 }}/{% if 1", "{{ 1 }} {# b");
  const stream = (name: string, path: string): string => `
  - type: DeclarativeStream
    name: ${name}
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: http://127.0.0.1:1/, path: "${path}" }
      record_selector: { extractor: { type: DpathExtractor, field_path: [] } }`;
  const text = `
type: DeclarativeSource
api_budget:
  policies: [{ rates: [{ limit: 1000, interval: P1D }] }]
streams:${stream("plain", "items")}${templates.map((path, index) => stream(`odd${index}`, path)).join("")}
`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    parse(stdout).config.jobs.map(({ endpoint }: { endpoint: string }) => endpoint),
    ["items"],
  );
  assert.match(stderr, /odd0 is left out: .*becomes too long/);
  for (const name of ["odd3", "odd4", "odd5"]) assert.match(stderr, new RegExp(`${name} is left out: .*is not closed`));
  for (const name of ["odd1", "odd2"]) assert.match(stderr, new RegExp(`${name} is left out: .*nests too deep`));
  assert.match(stderr, /^note {2}budget: rateLimit cannot express 1000 requests in P1D$/m);
});

test("a path with a colon stays below the base address, and a page number without a place becomes a note", async () => {
  const text = `
type: DeclarativeSource
streams:
  - type: DeclarativeStream
    name: users
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: http://127.0.0.1:1/v1, path: "users:list" }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] } }
      paginator: { type: DefaultPaginator, pagination_strategy: { type: PageIncrement, page_size: 50 } }
`;
  const { code, stdout, stderr } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  assert.equal(parse(stdout).config.jobs[0].endpoint, "./users:list");
  assert.match(
    stderr,
    /^note {2}users: only one page is requested: no parameter contains the number of the next one$/m,
  );
});
