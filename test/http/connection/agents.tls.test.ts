import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { generate } from "selfsigned";
import { SpileError } from "../../../src/core/errors.ts";
import { startApi } from "../../helpers/api.ts";
import { clientFor } from "../client.ts";

const extensions = [
  { name: "subjectAltName" as const, altNames: [{ type: 7 as const, ip: "127.0.0.1" }] },
  { name: "basicConstraints" as const, cA: true },
];
const keyPair = await generate([{ name: "commonName", value: "127.0.0.1" }], { extensions });
const tls = { key: keyPair.private, cert: keyPair.cert };

const refused =
  (...messages: RegExp[]) =>
  (error: unknown) =>
    error instanceof SpileError && error.kind === "refused" && messages.every((message) => message.test(error.message));

test("a certificate of an unknown authority is refused at once, with its cause", async () => {
  await using api = await startApi(() => 1, { tls });
  using client = clientFor(api.url);
  const exchange = client.exchange("x");
  await assert.rejects(exchange.open(), refused(/certificate fault: self.signed certificate/i, /api.caCertificate/));
  assert.deepEqual([exchange.requests, api.log.length], [1, 0]);
});

test("a certificate for another name is refused", async () => {
  const other = await generate([{ name: "commonName", value: "other.example" }]);
  await using api = await startApi(() => 1, { tls: { key: other.private, cert: other.cert } });
  using client = clientFor(api.url, { caCertificate: other.cert });
  await assert.rejects(client.page("x"), refused(/ERR_TLS_CERT_ALTNAME_INVALID/));
});

test("api.caCertificate adds an authority", async () => {
  await using api = await startApi(() => 1, { tls });
  using client = clientFor(api.url, { caCertificate: keyPair.cert });
  assert.equal(await client.page("x"), "1");
  assert.equal(await client.page("y"), "1");
  assert.equal(api.connections(), 1);
});

test("NODE_EXTRA_CA_CERTS adds an authority, beside a caCertificate or without one", async () => {
  await using api = await startApi(() => 1, { tls });
  const other = await generate([{ name: "commonName", value: "other.example" }]);
  const folder = await mkdtemp(join(tmpdir(), "spile-"));
  const file = join(folder, "extra.pem");
  await writeFile(file, keyPair.cert);
  try {
    for (const authority of ["", other.cert]) {
      const script = fileURLToPath(new URL("../fetch-one.ts", import.meta.url));
      const child = spawn(process.execPath, ["--import", "tsx", script, `${api.url}/x`, authority], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [[out]] = await Promise.all([once(child.stdout, "data"), once(child, "exit")]);
      assert.equal(String(out), "1");
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("api.#clientCertificate is shown to a server that requests one; without it, the error says what is missing", async () => {
  const mutual = { ...tls, ca: keyPair.cert, requestCert: true, rejectUnauthorized: true };
  await using api = await startApi(() => 1, { tls: mutual });
  using known = clientFor(api.url, {
    caCertificate: keyPair.cert,
    clientCertificate: `${keyPair.cert}\n${keyPair.private}`,
  });
  assert.equal(await known.page("x"), "1");
  using unknown = clientFor(api.url, { caCertificate: keyPair.cert });
  await assert.rejects(unknown.page("x"), refused(/api.#clientCertificate/));
});

const handshakes: readonly [name: string, options: Record<string, unknown>, message: RegExp][] = [
  [
    "a version that the server does not speak",
    { maxVersion: "TLSv1.1", minVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" },
    /TLS/,
  ],
  ["no cipher in common", { ciphers: "NULL-SHA256:@SECLEVEL=0", maxVersion: "TLSv1.2" }, /handshake/],
  [
    "a missing client certificate under TLS 1.2",
    { maxVersion: "TLSv1.2", ca: keyPair.cert, requestCert: true, rejectUnauthorized: true },
    /api.#clientCertificate/,
  ],
];
for (const [name, options, message] of handshakes) {
  test(`${name} is refused at once, and the error names the alert`, async () => {
    await using api = await startApi(() => 1, { tls: { ...tls, ...options } });
    using client = clientFor(api.url, { caCertificate: keyPair.cert });
    const exchange = client.exchange("x");
    await assert.rejects(exchange.open(), refused(message, /alert|unsupported/i));
    assert.deepEqual([exchange.requests, api.log.length], [1, 0]);
  });
}

test("certificates that cannot be read are configuration errors before any request", () => {
  for (const options of [{ caCertificate: "nonsense" }, { clientCertificate: "nonsense" }]) {
    assert.throws(
      () => clientFor("https://127.0.0.1:1", options),
      (error) => error instanceof SpileError && error.kind === "configuration" && /cannot be read/.test(error.message),
    );
  }
});

test("https to a server without TLS is refused with a hint", async () => {
  await using api = await startApi(() => 1);
  using client = clientFor(api.url.replace("http:", "https:"));
  const exchange = client.exchange("x");
  await assert.rejects(exchange.open(), refused(/does not use TLS/));
  assert.equal(exchange.requests, 1);
});
