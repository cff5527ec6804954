import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, json, type Received, redirect, startApi, text } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { encoded, randomSecret } from "../helpers/encodings.ts";
import { createRandom, type Random } from "../helpers/random.ts";

/*
 * Tests of secrets that an API returns through random chains of encodings, in bodies, redirects and next addresses, whole and cut
 * off. No output of the run, and no request to another origin, may contain eight characters of a secret.
 */

/** An echo of a secret from a server: its encoded form, and how it was encoded. */
interface Echo {
  readonly secret: string;
  readonly form: string;
  readonly about: string;
}

const stretch = 8;

/** Yields the parts of an echo that must not appear: each stretch that represents eight characters of the secret. */
function* stretchesOf({ secret, form }: Echo): Generator<string> {
  const width = Math.max(stretch, Math.ceil((form.length * stretch) / [...secret].length));
  for (let at = 0; at + width <= form.length; at += 1) yield form.slice(at, at + width);
}

/** Returns a text, and the texts that its percent escapes represent, to any depth. */
function layers(text: string): string[] {
  const inner = text.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
  return inner === text ? [text] : [text, ...layers(inner)];
}

function assertUnseen(where: string, output: string, echoes: readonly Echo[]): void {
  for (const echo of echoes) {
    for (const part of stretchesOf(echo)) {
      assert.ok(
        !output.includes(part),
        `${where}: ${JSON.stringify(part)} of ${echo.about} in ${around(output, part)}`,
      );
    }
  }
}

function around(output: string, part: string): string {
  const at = output.indexOf(part);
  return output.slice(Math.max(0, at - 200), at + part.length + 100);
}

const jobs = 48;

for (const seed of [1, 2, 28, 57]) {
  test(`secrets that an API sends back in any encoding are in no output (seed ${seed})`, async () => {
    const random = createRandom(seed);
    const part = (): string => randomSecret(random, { escapes: false });
    const secrets = Array.from({ length: 6 }, () => `${part()}${part()}`);
    const echoes: Echo[] = [];
    const echo = (most?: number): string => {
      const secret = random.pick(secrets);
      const { text, from, to, chain } = encoded(secret, random, most);
      echoes.push({ secret, form: text.slice(from, to), about: `${JSON.stringify(secret)} by ${chain}` });
      return text;
    };
    await using elsewhere = await startApi(() => ({ items: [{ id: 1 }] }));
    await using api = await startApi((request) => answerOf(request, { api: elsewhere, random, echo }));
    await using folder = await temporaryFolder();
    const config = {
      api: {
        baseUrl: api.url,
        retryConfig: { maxRetries: 0 },
        pagination: { method: "response.url", urlKey: "next" },
        allowedOrigins: [],
      },
      config: {
        ...Object.fromEntries(secrets.map((secret, index) => [`#s${index}`, secret])),
        jobs: Array.from({ length: jobs }, (_, index) => ({ endpoint: `echo/${index}`, dataType: `d${index}` })),
      },
    };
    const file = await folder.write("config.json", config);
    const [summary, state] = [`${folder.path}/summary.json`, `${folder.path}/state.json`];
    const options = ["--keep-going", "--debug", "-v", "--log-format", "json", "--summary", summary, "--state", state];
    const { code, stderr } = await spileHere([file, ...options]);
    assert.notEqual(code, 70, stderr);
    assert.ok(api.log.length >= jobs && elsewhere.log.length > 4, `${api.log.length} ${elsewhere.log.length}`);

    const events = stderr.trim().split("\n");
    for (const line of events) {
      const { message, url = "", reason = "" } = JSON.parse(line);
      assertUnseen("an event", [message, url, reason].join("\n"), echoes);
    }
    for (const path of ["summary.json", "state.json"]) {
      assertUnseen(path, texts(JSON.parse(await folder.read(path).catch(() => "{}"))).join("\n"), echoes);
    }
    for (const { target, rawHeaders, body } of elsewhere.log) {
      const inner = echoes.map((one) => ({ ...one, form: layers(one.form).at(-1) ?? "" }));
      for (const layer of layers(target + JSON.stringify(rawHeaders) + body)) {
        assertUnseen("another origin", layer, [...echoes, ...inner.filter(({ form }) => form.length >= stretch)]);
      }
    }
  });
}

/** Returns every text of a document. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

interface Echoes {
  readonly api: Api;
  readonly random: Random;
  readonly echo: (most?: number) => string;
}

/** Returns an answer with an echo, of each kind in turn. */
function answerOf({ path }: Received, { api, random, echo }: Echoes): unknown {
  const index = Number(path.split("/").at(-1));
  const answers = [
    () => text(echo(), { status: 400 }),
    // The text is cut off after 300 characters.
    () => text(`${".,".repeat(random.between(120, 150))}${echo()}${echo()}`, { status: 400 }),
    // The text is cut off where the reading of the body stops.
    () => text(`${echo()}${" ".repeat(4096 - random.between(0, 60))}${echo()}`, { status: 400 }),
    () => text(`${"<".repeat(random.between(0, 90))}${echo()}`),
    () => ({ [echo()]: [1], [`${echo()}2`]: [2] }),
    () => redirect(`${api.url}/redirected?x=1&p=${inAddress(echo(2))}&y=2`),
    () => redirect(`/nowhere?p=${inAddress(echo(2))}`, 302),
    () => json({ items: [{ id: 1 }], next: `${api.url}/next?x=1&p=${unbroken(echo(2))}&y=2` }),
    () => json({ items: [{ id: 1 }], next: `gopher:${echo()}` }),
  ];
  return path.startsWith("/echo/") ? answers[index % answers.length]?.() : text("", { status: 404 });
}

/** Returns a text in a form that a header can carry. */
function inAddress(text: string): string {
  return unbroken(text).replace(/[^!-~]/gu, encodeURIComponent);
}

/** Returns a text without escapes such as `&#x17E;`, within which an address would end. */
function unbroken(text: string): string {
  return text.replaceAll("&#", "&%23");
}
