import type { Cookie, CookieJar } from "tough-cookie";
import { type WireRequest, withHeaders } from "../../core/requests/request.ts";
import type { Secrets } from "../../core/secrets/redact.ts";

/** The cookies from the responses to logins or, with `api.http.cookies`, from all responses of trusted origins. */
export interface Cookies {
  keep(setCookies: readonly string[], url: string): Promise<void>;
  /** Returns the request with the cookies for its address, after a configured Cookie header. */
  add(wire: WireRequest): WireRequest | Promise<WireRequest>;
}

/** Minimum length of a cookie's value that is masked as a secret. Masking a shorter value would hide half of every message. */
const shortestSecret = 8;

export function createCookies(secrets: Secrets): Cookies {
  let jar: CookieJar | undefined;
  return {
    async keep(setCookies, url) {
      if (setCookies.length === 0) return;
      jar ??= new (await import("tough-cookie")).CookieJar();
      for (const text of setCookies) {
        // A cookie that this address may not set is dropped, as in a browser.
        const cookie = await jar.setCookie(text, url, { ignoreError: true });
        if (cookie !== undefined) conceal(cookie, secrets);
      }
    },
    add(wire) {
      return jar === undefined ? wire : withKept(jar, wire, secrets);
    },
  };
}

/**
 * Registers a cookie's value as a secret that is forgotten after a while, since each login may set another value. A request that
 * sends the value registers it again.
 */
function conceal({ value }: Cookie, secrets: Secrets): void {
  if (value.length >= shortestSecret) secrets.add(value, true);
}

async function withKept(jar: CookieJar, wire: WireRequest, secrets: Secrets): Promise<WireRequest> {
  const cookies = await jar.getCookies(wire.url);
  for (const cookie of cookies) conceal(cookie, secrets);
  const cookieText = cookies.map((cookie) => cookie.cookieString()).join("; ");
  if (cookieText === "") return wire;
  const configured = wire.headers.get("cookie")?.[1] ?? "";
  const text = configured === "" ? cookieText : `${configured}; ${cookieText}`;
  return { ...wire, headers: withHeaders(wire.headers, [["Cookie", text]]) };
}
