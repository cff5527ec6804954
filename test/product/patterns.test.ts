import assert from "node:assert/strict";
import { test } from "node:test";
import { readTime } from "../../src/core/instant.ts";
import { transcoder } from "../../src/http/charset.ts";
import { compressionOf } from "../../src/http/decode.ts";
import { faultOf } from "../../src/http/fault.ts";
import { retryAfter } from "../../src/http/retry.ts";
import { limitHeadersOf, usedUp } from "../../src/http/told-limit.ts";
import { hidesNextLink, linkTarget } from "../../src/knowledge/link-header.ts";

/*
 * Functions that hold text of an API against patterns, each with the texts that are worst for it. A pattern that is not linear
 * takes minutes for them. Headers are bounded by Node to 16 KiB, and get twice that here.
 */

const headerLength = 32_768;
const textLength = 200_000;

interface Row {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Each is repeated to the length. */
  readonly worst: readonly string[];
  readonly length: number;
}

const limits = limitHeadersOf(undefined) ?? [];
const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const rows: readonly Row[] = [
  {
    name: "Link",
    read: (text) => linkTarget(text, "next"),
    worst: ["<", '"', ";", "; ", '\\"', "<a>;", ",", "'"],
    length: headerLength,
  },
  {
    name: "Link with a relation",
    read: (text) => hidesNextLink(`<a>;rel=${text}`),
    worst: ["rel", "rel=", " ", ';"', "a "],
    length: headerLength,
  },
  {
    name: "RateLimit",
    read: (text) => usedUp(() => text, limits, 0),
    worst: ['"', '\\"', '"\\', "r=0;", ",", "0"],
    length: headerLength,
  },
  {
    name: "Retry-After",
    read: (text) => retryAfter(text, 0),
    worst: ["1", "1.", " ", "Mon ", "2024-"],
    length: headerLength,
  },
  {
    name: "Content-Type",
    read: (text) => attempt(() => transcoder(text, () => "")),
    worst: [";", "; ", "; charset", " ", "="],
    length: headerLength,
  },
  {
    name: "Content-Encoding",
    read: (text) => attempt(() => compressionOf(text, () => "")),
    worst: [",", " ", ", ", "gzip,"],
    length: headerLength,
  },
  {
    name: "a time",
    read: (text) => readTime(text),
    worst: ["1", "1.", "2024-05-01 ", "2024-05-01T10:30:00.1", "-"],
    length: textLength,
  },
  {
    name: "a fault's message",
    read: (text) => faultOf(new Error(text), ""),
    worst: [":SSL routines:", "alert ", ":", "wrong version "],
    length: textLength,
  },
];

for (const { name, read, worst, length } of rows) {
  test(`${name} is read in linear time`, () => {
    const began = performance.now();
    for (const piece of worst) {
      const text = piece.repeat(Math.ceil(length / piece.length));
      for (const one of [text, `${text}\u0000`]) assert.doesNotThrow(() => read(one));
    }
    // Some milliseconds; a pattern that is not linear takes minutes.
    assert.ok(performance.now() - began < 10_000);
  });
}
