import assert from "node:assert/strict";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import { faultOf, TransportFault } from "../../../src/http/connection/fault.ts";

const thrown = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test("the error about an expired certificate gives no advice on authorities", () => {
  for (const code of ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]) {
    const fault = faultOf(thrown("certificate has expired", code), "GET x");
    assert.ok(fault instanceof SpileError);
    assert.match(fault.message, /renew its certificate, unless the clock of this machine is wrong$/);
  }
  assert.match(faultOf(thrown("unknown", "UNABLE_TO_GET_ISSUER_CERT"), "GET x").message, /api\.caCertificate/);
});

test("errors in code stay unchanged, and errors of the network become faults", () => {
  for (const error of [new TypeError("x"), new RangeError("x")]) assert.equal(faultOf(error, "GET x"), error);
  assert.ok(faultOf(thrown("read ECONNRESET", "ECONNRESET"), "GET x") instanceof TransportFault);
  assert.ok(faultOf(thrown("Proxy connection ended"), "GET x") instanceof TransportFault);
});
