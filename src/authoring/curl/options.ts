/** The parts of a curl command that have been read so far. */
export interface CurlState {
  readonly urls: string[];
  readonly headers: string[];
  readonly cookies: string[];
  readonly data: { readonly kind: DataKind; readonly text: string }[];
  /** Pieces of `--url-query`. */
  readonly query: string[];
  readonly notes: string[];
  get?: true;
  globOff?: true;
  method?: string;
  user?: string;
  bearer?: string;
  agent?: string;
  referer?: string;
  proxy?: string;
  authority?: string;
  certificate?: string;
  key?: string;
  connectTimeout?: string;
  maxTime?: string;
}

/** Ways in which the value of a data option becomes a part of the body. */
export type DataKind = "data" | "raw" | "binary" | "urlencode" | "json";

export interface CurlOption {
  readonly short?: string;
  /** True if the option takes a value, in the same word or in the next one. */
  readonly value?: true;
  /** Stores the option's value; undefined if the option does not change the request. */
  readonly set?: (state: CurlState, value: string) => void;
  /** Reason why a command with this option is refused. */
  readonly refusal?: string;
  /** Reason why the option is left out, for a note. */
  readonly ignored?: string;
}

const data =
  (kind: DataKind) =>
  (state: CurlState, text: string): void => {
    state.data.push({ kind, text });
  };

const flag =
  (field: "get" | "globOff") =>
  (state: CurlState): void => {
    state[field] = true;
  };

type TextField = Exclude<
  keyof CurlState,
  "urls" | "headers" | "cookies" | "data" | "query" | "notes" | "get" | "globOff"
>;

const text =
  (field: TextField) =>
  (state: CurlState, value: string): void => {
    state[field] = value;
  };

const oneFile = "spile writes to stdout: put > file after the command";
const multipart = "spile sends JSON objects and forms, no multipart bodies";
const otherLogin = "spile supports Basic, headers, logins and OAuth, see api.authentication";
const system = "spile leaves that to the system";
const socks = "spile uses http proxies only: give one with -x";
const noRequest = "it makes no request";

/** Options without a value that have a letter. */
const ignoredLetters = {
  s: "silent",
  S: "show-error",
  L: "location",
  i: "include",
  v: "verbose",
  f: "fail",
  "#": "progress-bar",
  N: "no-buffer",
  "0": "http1.0",
  "4": "ipv4",
  "6": "ipv6",
  "1": "tlsv1",
  p: "proxytunnel",
  Z: "parallel",
  R: "remote-time",
  J: "remote-header-name",
  j: "junk-session-cookies",
  q: "disable",
} as const;

const ignoredFlags = `
  compressed fail-with-body fail-early no-progress-meter basic http0.9 http1.1 http2 http2-prior-knowledge http3 http3-only
  tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 ssl-no-revoke path-as-is no-keepalive tcp-nodelay tcp-fastopen create-dirs
  retry-all-errors retry-connrefused raw tr-encoding styled-output parallel-immediate post301 post302 post303 no-alpn
  no-sessionid ssl ssl-reqd trace-time xattr remote-name-all no-clobber remove-on-error suppress-connect-headers
  disallow-username-in-url ca-native ignore-content-length proxy-basic`;

const ignoredWithValue = `
  max-redirs retry retry-delay retry-max-time keepalive-time limit-rate stderr proto proto-default proto-redir parallel-max
  trace trace-ascii libcurl hsts alt-svc etag-save expect100-timeout happy-eyeballs-timeout-ms output-dir cert-type key-type
  create-file-mode`;

/** Returns a row for each name, all with the same option. */
function rows(names: string, option: CurlOption): readonly (readonly [name: string, option: CurlOption])[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [name, option] as const);
}

/** The options of curl by their long names, as in its manual. */
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
  ["get", { short: "G", set: flag("get") }],
  ["url-query", { value: true, set: (state, value) => void state.query.push(value) }],
  ["globoff", { short: "g", set: flag("globOff") }],
  ["user", { short: "u", value: true, set: text("user") }],
  ["oauth2-bearer", { value: true, set: text("bearer") }],
  ["cookie", { short: "b", value: true, set: (state, value) => void state.cookies.push(value) }],
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
      refusal:
        "the server's certificate is always checked: give that of its authority with --cacert FILE (api.caCertificate)",
    },
  ],
  ["form", { short: "F", value: true, refusal: multipart }],
  ["form-string", { value: true, refusal: multipart }],
  ["upload-file", { short: "T", value: true, refusal: "spile reads, it does not upload" }],
  ["head", { short: "I", refusal: "an answer to HEAD has no records: leave -I out" }],
  ["config", { short: "K", value: true, refusal: "give the options themselves, not a file with options" }],
  ["next", { short: ":", refusal: "give the command of one request" }],
  ["range", { short: "r", value: true, refusal: "a part of an answer is not a JSON document" }],
  ["netrc", { short: "n", refusal: "give name and password with -u" }],
  ["netrc-file", { value: true, refusal: "give name and password with -u" }],
  ["digest", { refusal: otherLogin }],
  ["ntlm", { refusal: otherLogin }],
  ["negotiate", { refusal: otherLogin }],
  ["anyauth", { refusal: otherLogin }],
  ["aws-sigv4", { value: true, refusal: "write aws.signature in the configuration" }],
  ["unix-socket", { value: true, refusal: "spile connects to hosts, not to sockets" }],
  ["resolve", { value: true, refusal: "spile gets the addresses of hosts from the system" }],
  ["connect-to", { value: true, refusal: "spile gets the addresses of hosts from the system" }],
  [
    "proxy-user",
    { short: "U", value: true, refusal: "write name and password into the proxy's address: http://name:password@host" },
  ],

  ["pass", { value: true, refusal: "give a key without a passphrase" }],
  ["capath", { value: true, refusal: "give one file of certificates: --cacert FILE" }],
  ["proxy-header", { value: true, refusal: "spile sends no additional headers to a proxy" }],
  ["request-target", { value: true, refusal: "spile requests the path of the address" }],
  ["continue-at", { short: "C", value: true, refusal: "a part of an answer is not a JSON document" }],
  ["variable", { value: true, refusal: "use variables of the shell" }],
  ["help", { short: "h", refusal: noRequest }],
  ["manual", { short: "M", refusal: noRequest }],
  ["version", { short: "V", refusal: noRequest }],
  ...rows("socks4 socks4a socks5 socks5-hostname preproxy", { value: true, refusal: socks }),

  ["output", { short: "o", value: true, ignored: oneFile }],
  ["remote-name", { short: "O", ignored: oneFile }],
  ["cookie-jar", { short: "c", value: true, ignored: "spile keeps only the cookies of a login" }],
  ["dump-header", { short: "D", value: true, ignored: "spile -v logs the requests" }],
  ["write-out", { short: "w", value: true, ignored: "spile reports how a run ended on stderr, and with --summary" }],
  ["location-trusted", { ignored: "spile follows redirects, but sends credentials only to the API's own host" }],
  ["time-cond", { short: "z", value: true, ignored: "it asks for an answer only if something has changed" }],
  ["etag-compare", { value: true, ignored: "it asks for an answer only if something has changed" }],
  ["noproxy", { value: true, ignored: "set the variable NO_PROXY instead" }],
  ["rate", { value: true, ignored: "set api.http.rateLimit instead" }],
  ["max-filesize", { value: true, ignored: "use the option --max-response-bytes instead" }],
  [
    "pinnedpubkey",
    { value: true, ignored: "the server's certificate is checked as usual, or against api.caCertificate" },
  ],
  ...rows("ciphers curves tls-max tls13-ciphers interface local-port dns-servers dns-interface doh-url", {
    value: true,
    ignored: system,
  }),

  // The options below are left out without a note.
  ...Object.entries(ignoredLetters).map(([short, name]) => [name, { short }] as const),
  ...rows(ignoredFlags, {}),
  ...rows(ignoredWithValue, { value: true }),
  ["speed-limit", { short: "Y", value: true }],
  ["speed-time", { short: "y", value: true }],
]);
