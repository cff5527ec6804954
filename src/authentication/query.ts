import { SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import { replaceParameter } from "../core/requests/request.ts";
import { pointerTo } from "../core/values/path.ts";
import { scalarText } from "../core/values/value.ts";
import { placeAt } from "../expression/place.ts";
import type { QueryAuthentication, UrlQueryAuthentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { evaluateAt } from "./evaluation.ts";
import { requestContexts } from "./request-context.ts";

const pointer = "/api/authentication/query";

/**
 * Adds query parameters, and replaces those of the request with the same names. They are part of the address even with POST and FORM
 * (contract C-11.1). Their expressions may read the contexts `query` and `request`.
 */
export const query = {
  create,
  places: (authentication, here) => placeAt(pointerTo(here, "query"), authentication.query, ["query", "request"]),
  headers: () => [],
  check: () => [],
} satisfies AuthenticationType<QueryAuthentication | UrlQueryAuthentication>;

function create(
  authentication: QueryAuthentication | UrlQueryAuthentication,
  options: AuthenticationOptions,
): Authenticator {
  const { serialize, secrets } = options;
  const parameters = Object.entries(authentication.query ?? {});
  if (parameters.length === 0) {
    throw new SpileError("configuration", `authentication of type "${authentication.type}" needs "query"`, {
      pointer,
    });
  }
  // A text that is not an expression is a key, so it must not be shown.
  for (const [, value] of parameters) secrets.add(scalarText(value) ?? "");
  return {
    authorize: async (request) => ({
      request() {
        const contexts = requestContexts(serialize(request));
        return {
          ...request,
          query: parameters.reduce(
            (items, [name, value]) =>
              replaceParameter(items, {
                name,
                value: evaluateAt(pointerTo(pointer, name), value, contexts, options),
              }),
            request.query,
          ),
        };
      },
    }),
    preview: undefined,
  };
}
