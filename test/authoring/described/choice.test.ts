import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AuthoringOptions,
  authorAccepted,
  type CheckFault,
  pathFilter,
} from "../../../src/authoring/described/choice.ts";
import type { AuthoredStreams } from "../../../src/authoring/described/streams.ts";

const all = ["a", "b", "c"];

/** Writes the streams `all` as jobs, in order. Leaves out refused ones, except the stream `stays`. */
function authorWith({ only, refusedStreams }: AuthoringOptions, stays?: string): AuthoredStreams {
  const wanted = all.filter((stream) => only.length === 0 || only.includes(stream));
  const streams = wanted.filter((stream) => stream === stays || !refusedStreams.some((one) => one.stream === stream));
  const places = new Map(streams.map((stream, index) => [`/config/jobs/${index}`, stream]));
  return { streams, places, left: refusedStreams } as unknown as AuthoredStreams;
}

function accepted(check: (streams: readonly string[]) => CheckFault | undefined, stays?: string) {
  let checks = 0;
  const options = { only: [], settingValues: new Map<string, string>(), refusedStreams: [] };
  const author = (wanted: AuthoringOptions): AuthoredStreams =>
    wanted.refusedStreams.length > 0 && stays !== undefined && wanted.refusedStreams.length >= all.length
      ? authorWith(wanted)
      : authorWith(wanted, stays);
  const authored = authorAccepted(author, options, ({ streams }) => {
    checks += 1;
    assert.ok(checks < 50, "authorAccepted does not end");
    return check(streams);
  });
  const { left } = authored as unknown as { readonly left: readonly { readonly stream: string }[] };
  return { streams: authored.streams, left: left.map(({ stream }) => stream) };
}

const fault = (pointer: string): CheckFault => ({ pointer, message: "wrong" });

test("a stream that the check refuses is found by the fault's place or by a check of each stream alone, and is left out", () => {
  const byPlace = accepted((streams) =>
    streams.includes("b") ? fault(`/config/jobs/${streams.indexOf("b")}/params`) : undefined,
  );
  assert.deepEqual(byPlace, { streams: ["a", "c"], left: ["b"] });
  const alone = accepted((streams) => (streams.includes("b") ? fault("/api") : undefined));
  assert.deepEqual(alone, { streams: ["a", "c"], left: ["b"] });
});

test("all streams are left out if no single stream causes the refusal, or if the cause is a stream that must stay", () => {
  const together = accepted((streams) => (streams.length > 1 ? fault("/api") : undefined));
  assert.deepEqual(together, { streams: [], left: all });
  const stays = accepted((streams) => (streams.length > 0 ? fault("/config/jobs/0") : undefined), "a");
  assert.equal(stays.streams.length, 0);
});

test("a star in a pattern of paths matches any text, and the texts around it match separate parts of the path", () => {
  const rows: readonly (readonly [pattern: string, path: string, isWanted: boolean])[] = [
    ["/users", "/users", true],
    ["/users", "/users/1", false],
    ["/users*", "/users", true],
    ["*/users", "/v1/users", true],
    ["/v*/users*", "/v1/users/7", true],
    ["/v*/users", "/v1/users/7", false],
    ["*", "", true],
    ["/users*users", "/users", false],
    ["/aba*ba", "/aba", false],
    ["*ab*ab*", "/ab", false],
    ["*ab*ab*", "/abab", true],
    ["/a.b", "/axb", false],
  ];
  for (const [pattern, path, isWanted] of rows) {
    assert.equal(pathFilter([pattern])(path), isWanted, `${pattern} ${path}`);
    assert.equal(pathFilter(["/other", pattern])(path), isWanted, `${pattern} ${path}`);
  }
  assert.equal(pathFilter([])("/any"), true);
});
