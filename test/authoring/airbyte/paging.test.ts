import assert from "node:assert/strict";
import { test } from "node:test";
import { pagingOf } from "../../../src/authoring/airbyte/paging.ts";
import { placeOf, requestOf } from "../../../src/authoring/airbyte/request.ts";
import type { ManifestScope } from "../../../src/authoring/airbyte/scope.ts";
import { createSettings } from "../../../src/authoring/airbyte/settings.ts";

const scope: ManifestScope = {
  settings: createSettings({}, { prefix: "API", settingValues: new Map() }),
  parameters: {},
  slice: () => undefined,
};

/** Returns the place of a token that the manifest sends as member `after` of the object at `field_path` in the body. */
function placeOfMember(field_path: readonly string[]): unknown {
  const request = requestOf({ url_base: "https://api.example.com", http_method: "POST" }, scope);
  const paginator = {
    type: "DefaultPaginator",
    page_token_option: { inject_into: "body_json", field_path },
    pagination_strategy: {
      type: "CursorPagination",
      cursor_value: `{{ '{"after": "' + response.next + '"}' }}`,
    },
  };
  const { pagination } = pagingOf(paginator, { scope, request, records: [], isBareAfterFirst: false });
  return pagination?.queryParam;
}

test("a name with a slash or a dot stays one name on the path in the body", () => {
  assert.deepEqual(placeOf(["page", "after"]), { path: "page.after" });
  assert.deepEqual(placeOf(["page.of", "after"]), { path: "page.of/after", delimiter: "/" });
  assert.deepEqual(placeOf(["page.of", "a/b"]), { path: "page.of|a/b", delimiter: "|" });
});

test("a token that is sent as a member of an object keeps the names of the objects around it", () => {
  assert.deepEqual(placeOfMember(["page"]), { path: "page.after" });
  assert.deepEqual(placeOfMember(["page", "cursor"]), { path: "page.cursor.after" });
  assert.deepEqual(placeOfMember(["page.of", "a/b"]), { path: "page.of|a/b|after", delimiter: "|" });
});

test("a stop condition that only says that the header Link has no next page is dropped, and one about another relation or page is reported", () => {
  const next = "{{ headers.get('Link', '').split(',') | selectattr('contains', 'rel=next') | first }}";
  const cases = [
    ["{{ headers['link']['next']['cursor'] }}", "{{ headers['link']['next']['results'] == 'false' }}", 0],
    ["{{ headers['link']['next']['cursor'] }}", "{{ headers['link']['previous']['results'] == 'false' }}", 1],
    [next, "{{ not (headers.get('Link', '') | string | regex_search('rel=next')) }}", 0],
    [next, "{{ not (headers.get('Link', '') | string | regex_search('rel=last')) }}", 1],
  ] as const;
  const request = requestOf({ url_base: "https://api.example.com" }, scope);
  for (const [cursor_value, stop_condition, differences] of cases) {
    const paginator = {
      type: "DefaultPaginator",
      page_token_option: { inject_into: "request_parameter", field_name: "cursor" },
      pagination_strategy: { type: "CursorPagination", cursor_value, stop_condition },
    };
    const paging = pagingOf(paginator, { scope, request, records: [], isBareAfterFirst: false });
    assert.equal(paging.differences.length, differences, stop_condition);
  }
});

test("a token that the manifest reads at two places is reported, since paging follows only the first", () => {
  const request = requestOf({ url_base: "https://api.example.com" }, scope);
  const differences = (cursor_value: string): unknown =>
    pagingOf(
      {
        type: "DefaultPaginator",
        page_token_option: { type: "RequestPath" },
        pagination_strategy: { type: "CursorPagination", cursor_value },
      },
      { scope, request, records: ["data"], isBareAfterFirst: false },
    ).differences;
  const text = "its paging ends at a page where only response.cursor names the next page";
  assert.deepEqual(differences("{{ response.get('links', {}).get('next') or response.get('cursor') }}"), [text]);
  assert.deepEqual(differences("{{ response.next | default(response.cursor) }}"), [text]);
  assert.deepEqual(differences("{{ response.get('next', {}) or '' }}"), []);
  assert.deepEqual(differences("{{ response.next if response.next else None }}"), []);
});
