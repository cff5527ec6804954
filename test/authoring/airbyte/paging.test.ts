import assert from "node:assert/strict";
import { test } from "node:test";
import { pagingOf } from "../../../src/authoring/airbyte/paging.ts";
import { placeOf, requestOf } from "../../../src/authoring/airbyte/request.ts";
import type { ManifestScope } from "../../../src/authoring/airbyte/scope.ts";
import { createSettings } from "../../../src/authoring/airbyte/settings.ts";

const scope: ManifestScope = {
  settings: createSettings({}, "API", new Map()),
  parameters: {},
  slice: () => undefined,
};

/** Returns the place of a token that is sent as the member `after` of an object, which is at a path of the body. */
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

test("a name with a slash or a dot is one step of a place in the body", () => {
  assert.deepEqual(placeOf(["page", "after"]), { path: "page.after" });
  assert.deepEqual(placeOf(["page.of", "after"]), { path: "page.of/after", delimiter: "/" });
  assert.deepEqual(placeOf(["page.of", "a/b"]), { path: "page.of|a/b", delimiter: "|" });
});

test("a token that is a member of an object keeps the names around it", () => {
  assert.deepEqual(placeOfMember(["page"]), { path: "page.after" });
  assert.deepEqual(placeOfMember(["page", "cursor"]), { path: "page.cursor.after" });
  assert.deepEqual(placeOfMember(["page.of", "a/b"]), { path: "page.of|a/b|after", delimiter: "|" });
});
