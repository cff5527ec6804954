/** What a curl command has been read to say so far. */
export interface CurlState {
  readonly urls: string[];
  readonly headers: string[];
  readonly data: { readonly kind: DataKind; readonly text: string }[];
  readonly notes: string[];
  get?: true;
  method?: string;
  user?: string;
  bearer?: string;
  cookie?: string;
  agent?: string;
  referer?: string;
  proxy?: string;
  authority?: string;
  certificate?: string;
  key?: string;
  connectTimeout?: string;
  maxTime?: string;
}

/** How the value of a data option becomes a piece of the body. */
export type DataKind = "data" | "raw" | "binary" | "urlencode" | "json";

export interface CurlOption {
  readonly short?: string;
  /** It takes a value, in the same word or the next. */
  readonly value?: true;
  /** What it does to the request; an option without it changes nothing that matters here. */
  readonly set?: (state: CurlState, value: string) => void;
  /** Why a command with it cannot be taken. */
  readonly refused?: string;
  /** What is said where it is left out. */
  readonly ignored?: string;
}

const data =
  (kind: DataKind) =>
  (state: CurlState, text: string): void => {
    state.data.push({ kind, text });
  };

type TextField = Exclude<keyof CurlState, "urls" | "headers" | "data" | "notes" | "get">;

const text =
  (field: TextField) =>
  (state: CurlState, value: string): void => {
    state[field] = value;
  };

const oneFile = "spile writes to stdout: put > file behind the command";
const multipart = "spile sends JSON objects and forms, no multipart bodies";
const otherLogin = "spile knows Basic, headers, logins and OAuth, see api.authentication";
const noShort = {} as const;
const takes = { value: true } as const;

/** curl's options by their long names, as curl's manual has them. */
export const curlOptions: ReadonlyMap<string, CurlOption> = new Map<string, CurlOption>([
  ["request", { short: "X", value: true, set: text("method") }],
  ["url", { value: true, set: (state, value) => void state.urls.push(value) }],
  ["header", { short: "H", value: true, set: (state, value) => void state.headers.push(value) }],
  ["data", { short: "d", value: true, set: data("data") }],
  ["data-ascii", { value: true, set: data("data") }],
  ["data-raw", { value: true, set: data("raw") }],
  ["data-binary", { value: true, set: data("binary") }],
  ["data-urlencode", { value: true, set: data("urlencode") }],
  ["json", { value: true, set: data("json") }],
  [
    "get",
    {
      short: "G",
      set: (state) => {
        state.get = true;
      },
    },
  ],
  ["user", { short: "u", value: true, set: text("user") }],
  ["oauth2-bearer", { value: true, set: text("bearer") }],
  ["cookie", { short: "b", value: true, set: text("cookie") }],
  ["user-agent", { short: "A", value: true, set: text("agent") }],
  ["referer", { short: "e", value: true, set: text("referer") }],
  ["proxy", { short: "x", value: true, set: text("proxy") }],
  ["cacert", { value: true, set: text("authority") }],
  ["cert", { short: "E", value: true, set: text("certificate") }],
  ["key", { value: true, set: text("key") }],
  ["connect-timeout", { value: true, set: text("connectTimeout") }],
  ["max-time", { short: "m", value: true, set: text("maxTime") }],

  [
    "insecure",
    {
      short: "k",
      refused: "certificates are always checked: give the authority's as api.caCertificate (curl: --cacert FILE)",
    },
  ],
  ["form", { short: "F", value: true, refused: multipart }],
  ["form-string", { value: true, refused: multipart }],
  ["upload-file", { short: "T", value: true, refused: "spile reads, it does not upload" }],
  ["head", { short: "I", refused: "an answer to HEAD has no records: leave -I out" }],
  ["config", { short: "K", value: true, refused: "give the options themselves, not a file of them" }],
  ["next", { short: ":", refused: "one request only" }],
  ["range", { short: "r", value: true, refused: "a part of an answer is no JSON document" }],
  ["netrc", { short: "n", refused: "give name and password with -u" }],
  ["netrc-file", { value: true, refused: "give name and password with -u" }],
  ["digest", { refused: otherLogin }],
  ["ntlm", { refused: otherLogin }],
  ["negotiate", { refused: otherLogin }],
  ["anyauth", { refused: otherLogin }],
  ["aws-sigv4", { value: true, refused: "write aws.signature in the configuration" }],
  ["unix-socket", { value: true, refused: "spile connects to hosts" }],
  ["resolve", { value: true, refused: "spile asks the system for addresses" }],
  ["connect-to", { value: true, refused: "spile asks the system for addresses" }],
  [
    "proxy-user",
    { short: "U", value: true, refused: "write them into the proxy's address: http://name:password@host" },
  ],

  ["output", { short: "o", value: true, ignored: oneFile }],
  ["remote-name", { short: "O", ignored: oneFile }],
  ["cookie-jar", { short: "c", value: true, ignored: "only cookies of a login are kept" }],
  ["dump-header", { short: "D", value: true, ignored: "spile -v tells of requests" }],
  ["write-out", { short: "w", value: true, ignored: "spile tells how a run ended on stderr, and with --summary" }],

  ["silent", { short: "s" }],
  ["show-error", { short: "S" }],
  ["location", { short: "L" }],
  ["location-trusted", noShort],
  ["compressed", noShort],
  ["include", { short: "i" }],
  ["verbose", { short: "v" }],
  ["fail", { short: "f" }],
  ["fail-with-body", noShort],
  ["progress-bar", { short: "#" }],
  ["no-progress-meter", noShort],
  ["no-buffer", { short: "N" }],
  ["globoff", { short: "g" }],
  ["basic", noShort],
  ["http1.0", { short: "0" }],
  ["http1.1", noShort],
  ["http2", noShort],
  ["http2-prior-knowledge", noShort],
  ["http3", noShort],
  ["ipv4", { short: "4" }],
  ["ipv6", { short: "6" }],
  ["tlsv1", { short: "1" }],
  ["tlsv1.2", noShort],
  ["tlsv1.3", noShort],
  ["ssl-no-revoke", noShort],
  ["path-as-is", noShort],
  ["no-keepalive", noShort],
  ["tcp-nodelay", noShort],
  ["create-dirs", noShort],
  ["max-redirs", takes],
  ["retry", takes],
  ["retry-delay", takes],
  ["retry-max-time", takes],
  ["retry-all-errors", noShort],
  ["retry-connrefused", noShort],
  ["keepalive-time", takes],
  ["speed-limit", { short: "Y", value: true }],
  ["speed-time", { short: "y", value: true }],
  ["limit-rate", takes],
  ["stderr", takes],
]);
