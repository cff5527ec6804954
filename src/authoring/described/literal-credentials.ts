import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import type { Authored } from "../configuration-draft.ts";
import { credentialPlaces } from "../credential-places.ts";
import { variablePrefix } from "../variable-names.ts";
import { createHide, type Hide, headerValue, type SettingCredential, withoutSecrets } from "../without-credentials.ts";
import { objectOf } from "./values.ts";

/**
 * Returns a configuration in which settings replace the credentials that a description contains as plain text. `secretHeaders`:
 * names of headers whose values are credentials, whatever the names suggest.
 */
export function withoutLiteralCredentials(configuration: ValueObject, secretHeaders: readonly string[] = []): Authored {
  const api = objectOf(configuration.api);
  const { jobs = [], ...settings } = objectOf(configuration.config);
  const { baseUrl } = api;
  const prefix = typeof baseUrl === "string" && URL.canParse(baseUrl) ? variablePrefix(baseUrl) : "API";
  const credentials: SettingCredential[] = [];
  const hide = createHide(credentials, { prefix, settings });
  const hiddenSettings = Object.entries(settings).map(([name, value]): [string, Value] => {
    const plainName = name.replace(/^#/, "");
    const isSecret = name !== plainName || isCredential(name);
    if (typeof value !== "string" || value === "" || (!isSecret && credentialPlaces(value).length === 0))
      return [name, value];
    hide(value, plainName, plainName, name);
    return [name, { env: credentials.at(-1)?.variable ?? "" }];
  });
  const hidden = { api: hiddenIn(api, hide, secretHeaders), jobs: hiddenIn(jobs, hide, secretHeaders) };
  const config = {
    ...Object.fromEntries(hiddenSettings),
    ...Object.fromEntries(credentials.map(({ setting, variable }) => [setting, { env: variable }])),
    jobs: hidden.jobs,
  };
  return { configuration: { ...configuration, api: hidden.api, config }, credentials };
}

/** Hides the credentials of the requests in a part of a configuration, at any depth. */
function hiddenIn(part: Value, hide: Hide, secretHeaders: readonly string[]): Value {
  if (Array.isArray(part)) return part.map((item: Value) => hiddenIn(item, hide, secretHeaders));
  if (!isObject(part)) return part;
  const hidden = (name: string, value: Value): Value => {
    // A plain text in `apiRequest` is a path into the answer to the login.
    if (name === "apiRequest") return value;
    if (["endpoint", "baseUrl", "password"].includes(name)) return withoutSecrets(name, value, hide, isOpen);
    if (!isObject(value) || !["params", "query", "headers"].includes(name)) return hiddenIn(value, hide, secretHeaders);
    const areSecret = name === "query" && part.type === "query";
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const isSecret = areSecret || (name === "headers" && secretHeaders.includes(key));
        return [
          key,
          name === "headers" && typeof inner === "string" && (isCredential(key) || !isSecret)
            ? headerValue(key, inner, hide, isOpen)
            : withoutSecrets(key, inner, hide, isOpen, isSecret ? key : undefined),
        ];
      }),
    );
  };
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, hidden(name, value)]));
}

const isOpen = (): boolean => false;
