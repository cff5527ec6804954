import { createHash } from "node:crypto";
import { SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import { type WireRequest, withHeaders } from "../core/requests/request.ts";
import type { AwsCredentials, AwsSignatureAuthentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";

export const awsSignature = {
  create: ({ credentials }, options) => signerOf(credentials, options),
  places: () => [],
  headers: () => ["Authorization"],
  check: () => [],
} satisfies AuthenticationType<AwsSignatureAuthentication>;

/** Creates an authenticator that signs requests with AWS signature version 4 (contract C-11.1). */
async function signerOf(credentials: AwsCredentials, options: AuthenticationOptions): Promise<Authenticator> {
  const { default: aws4 } = await import("aws4");
  const { accessKeyId, serviceName: service, regionName: region } = credentials;
  const secretAccessKey = credentials["#secretKey"];
  options.secrets.add(secretAccessKey);

  const sign = (wire: WireRequest): WireRequest => {
    const url = new URL(wire.url);
    const body = wire.body ?? "";
    const datetime = dateText(options.now());
    const added: Record<string, string> = { "X-Amz-Date": datetime };
    if (service === "s3") added["X-Amz-Content-Sha256"] = createHash("sha256").update(body).digest("hex");
    const headers = withHeaders(wire.headers, Object.entries(added));
    const signer = new aws4.RequestSigner(
      {
        service,
        region,
        method: wire.method,
        path: escaped(url.pathname + url.search),
        body,
        headers: { host: url.host, ...signedHeaders({ ...wire, headers }) },
        doNotModifyHeaders: true,
      },
      { accessKeyId, secretAccessKey },
    );
    signer.datetime = datetime;
    return {
      ...wire,
      headers: withHeaders(headers, [["Authorization", authorization(() => signer.authHeader(), url)]]),
    };
  };
  return { authorize: async (request) => ({ request: () => request, sign }), preview: undefined };
}

/** Returns the headers that must be signed. A proxy may change others, and cookies are added later. */
function signedHeaders({ headers }: WireRequest): Record<string, string> {
  const names = [...headers.keys()].filter((name) => /^(host|content-type|x-amz-.*)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, headers.get(name)?.[1] ?? ""]));
}

/**
 * Escapes the characters that would make the library decode the address and encode it again. It would then sign another address than
 * the one that is sent.
 */
function escaped(path: string): string {
  return path.replace(/[^0-9A-Za-z;,/?:@&=+$\-_.!~*'()#%]/g, encodeURIComponent);
}

/** Returns a time in the form `20150830T123600Z`. */
function dateText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

function authorization(compute: () => string, url: URL): string {
  try {
    return compute();
  } catch (cause) {
    throw new SpileError("configuration", `the address ${url.origin}${url.pathname} cannot be signed for AWS`, {
      cause,
    });
  }
}
