import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../../helpers/api.ts";
import { copiedCommands } from "./copied-commands.ts";
import { requestText, sendCommand } from "./sent-request.ts";

for (const { from, command, request, leftOut = [], notes = /^$/ } of copiedCommands) {
  test(`a copied command becomes the request that it describes: ${from}`, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    const sentNotes = await sendCommand(command.replaceAll("https://api.example.com", api.url));
    const [received] = api.log;
    assert.ok(received !== undefined);
    assert.equal(requestText(received, command), request);
    const otherNotes = sentNotes.filter((note) => !leftOut.some((name) => note.toLowerCase().includes(name)));
    assert.match(otherNotes.join("\n"), notes);
    for (const name of leftOut)
      assert.ok(
        sentNotes.some((note) => note.toLowerCase().includes(name)),
        `${name}: ${sentNotes}`,
      );
  });
}
