import { type ReadOptions, readConfiguration } from "../../src/compile/read.ts";
import type { LoadedConfiguration } from "../../src/config/loaded.ts";
import { ConfigurationError, faultLine } from "../../src/core/errors.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";

await loadPatterns('"matches"');

export function read(document: unknown, options: Partial<ReadOptions> = {}): LoadedConfiguration {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return readConfiguration(text, {
    name: "config.json",
    set: new Map(),
    environment: {},
    strict: false,
    secrets: new Secrets(),
    ...options,
  });
}

/** Returns the faults of a document, each as a line; an empty list if the document is accepted. */
export function faultsOf(document: unknown, options: Partial<ReadOptions> = {}): string[] {
  try {
    read(document, options);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split("\n");
    throw error;
  }
  return [];
}

export function warningsOf(document: unknown): string[] {
  return read(document).warnings.map(faultLine);
}

/** Returns a copy of `base` with changes at JSON pointers; undefined removes a field. */
export function changed(changes: Record<string, unknown>, base: unknown = sound): unknown {
  const document = structuredClone(base);
  for (const [at, value] of Object.entries(changes)) {
    const steps = at.split("/").slice(1);
    const last = steps.pop() ?? "";
    let place = document as Record<string, unknown>;
    for (const step of steps) {
      place[step] ??= {};
      place = place[step] as Record<string, unknown>;
    }
    if (value === undefined) delete place[last];
    else place[last] = value;
  }
  return document;
}

/** A document that is accepted without a message. */
export const sound = {
  api: {
    baseUrl: "https://api.example.com/v1/",
    authentication: {
      type: "login",
      format: "json",
      loginRequest: {
        endpoint: "login",
        method: "POST",
        headers: { "X-Client": "spile" },
        params: { user: { attr: "username" }, password: { attr: "#password" } },
      },
      apiRequest: { headers: { "X-Token": { response: "token" } }, query: { account: "account.id" } },
      expires: { response: "expires", relative: true },
    },
    pagination: {
      method: "offset",
      limit: 100,
      limitParam: "count",
      offsetParam: "skip",
      firstPageParams: true,
      offsetFromJob: false,
    },
    http: { headers: { "X-A": "1" }, defaultOptions: { headers: { "X-B": "2" }, params: { lang: "en" } } },
  },
  config: {
    outputBucket: "crm",
    incrementalOutput: false,
    debug: false,
    username: "joe",
    "#password": "hunter2hunter2",
    jobs: [
      { endpoint: "users", method: "GET", params: { status: "active" }, dataField: "data.users", dataType: "users" },
    ],
  },
};

export const oauth = {
  api: { baseUrl: "https://api.example.com/", authentication: { type: "oauth10" } },
  authorization: {
    oauth_api: {
      credentials: { appKey: 1234, "#appSecret": "s3cr3t-s3cr3t", "#data": '{"oauth_token":"tok-tok-tok"}' },
    },
  },
  config: { jobs: [{ endpoint: "a" }] },
};
