/** The parts of HTTP Archive 1.2 that are read and written. Names that begin with `_` are spile's own, as the format allows. */
export interface Archive {
  readonly log: {
    readonly version: "1.2";
    readonly creator: { readonly name: string; readonly version: string };
    readonly pages?: readonly ArchivePage[];
    readonly entries: readonly ArchiveEntry[];
  };
}

export interface ArchivePage {
  readonly startedDateTime: string;
  readonly id: string;
  readonly title: string;
  readonly pageTimings: Readonly<Record<string, never>>;
}

export interface Named {
  readonly name: string;
  readonly value: string;
}

/** One request as it was sent, and its answer. Each redirect and each retry has its own entry. */
export interface ArchiveEntry {
  readonly pageref?: string;
  readonly startedDateTime: string;
  /** Duration in milliseconds. */
  readonly time: number;
  readonly request: ArchiveRequest;
  readonly response: ArchiveResponse;
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number };
  /** Times that the run's clock returned since the previous request was sent, in Unix milliseconds. */
  readonly _clock?: readonly number[];
}

export interface ArchiveRequest {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly cookies: readonly never[];
  readonly headers: readonly Named[];
  readonly queryString: readonly Named[];
  readonly postData?: { readonly mimeType: string; readonly text: string };
  readonly headersSize: -1;
  readonly bodySize: number;
}

export interface ArchiveResponse {
  /** Status of the response. If there was no response, it is 0, and `_error` has the reason. */
  readonly status: number;
  readonly statusText: string;
  readonly httpVersion: string;
  readonly cookies: readonly never[];
  readonly headers: readonly Named[];
  readonly content: ArchiveContent;
  readonly redirectURL: string;
  readonly headersSize: -1;
  readonly bodySize: number;
  /** Present if only the end of the connection marked the end of the message. */
  readonly _framed?: false;
  /** Present if, in addition, the connection was reset instead of closed. */
  readonly _reset?: true;
  readonly _error?: { readonly message: string; readonly code?: string; readonly outlook?: "unreachable" | "garbled" };
}

export interface ArchiveContent {
  /** Number of bytes after decoding; -1 if the body was too long to be kept. */
  readonly size: number;
  readonly mimeType: string;
  readonly text?: string;
  readonly encoding?: "base64";
  readonly comment?: string;
  /** Present if the text is not the whole body but its beginning, which may be empty. */
  readonly _truncated?: true;
  /** Present if the body is still in its content encoding, which could not be decoded. */
  readonly _encoded?: true;
}
