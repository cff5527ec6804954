import type { Cancellation } from "../../core/cancellation.ts";
import type { Authenticator } from "../../core/requests/authenticator.ts";
import type { Request, WireRequest } from "../../core/requests/request.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import type { Cookies } from "../requests/cookies.ts";
import { originOf, securedRequest, stripped } from "../requests/origin.ts";
import { serialize } from "../requests/request.ts";

/** A request as it would be sent, and the login's before it. */
export interface PreviewedRequest {
  /** Only if no login has been sent and the request would need one. */
  readonly login: WireRequest | undefined;
  readonly request: WireRequest;
}

export interface PreviewOptions {
  readonly signal: Cancellation;
  readonly authenticator: Authenticator | undefined;
  /** Really log in. */
  readonly sendLogin: boolean;
}

/** Returns the first form of a request: without what its origin may not see, with credentials and signatures. */
export async function preview(
  firstRequest: Request,
  { signal, authenticator, sendLogin }: PreviewOptions,
  context: { readonly secrets: Secrets; readonly cookies: Cookies; readonly isTrusted: (origin: string) => boolean },
): Promise<PreviewedRequest> {
  const request = securedRequest(firstRequest, context.isTrusted);
  if (!context.isTrusted(originOf(request.url))) {
    return { login: undefined, request: serialize(stripped(request, context.secrets)) };
  }
  const foreseen = sendLogin ? undefined : authenticator?.preview?.(request);
  const authorized = foreseen ?? (await authenticator?.authorize(request, signal));
  const wire = await context.cookies.add(serialize(authorized?.request ?? request));
  return {
    login: foreseen && serialize(foreseen.login),
    request: authorized?.sign?.(wire) ?? wire,
  };
}
