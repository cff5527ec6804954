import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

test("an id that a request cannot contain as a number is a data error", async () => {
  for (const id of ["0008", "+5", " 5 ", ".5", "5."]) {
    await using api = await startApi(() => [{ id }]);
    await using folder = await temporaryFolder();
    const file = await folder.write("config.json", {
      api: { baseUrl: api.url, pagination: { method: "cursor", idKey: "id", param: "since" } },
      config: { jobs: [{ endpoint: "a" }] },
    });
    const { code, stderr } = await spileHere([file]);
    assert.equal(code, 65, `${id}: ${stderr}`);
    assert.ok(stderr.includes(`a record has ${JSON.stringify(id)} at "id"; the cursor needs a JSON number`), stderr);
  }
});
