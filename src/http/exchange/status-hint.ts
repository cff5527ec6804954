/** Statuses with which some APIs answer a request for a page after the last one. */
const pastTheEnd = [400, 404, 410, 416, 422];

const hints: Readonly<Record<number, string>> = {
  300: ", a choice of several addresses",
  301: " without a Location",
  302: " without a Location",
  303: " without a Location",
  304: ", although the request was not conditional",
  307: " without a Location",
  308: " without a Location",
};

/**
 * Words in a response about credentials that expired during the job. `statusHint` then does not advise `ignoreErrors`, with which
 * the remaining records would be lost.
 */
const credentials =
  /token|session|expir|credential|unauthori[sz]ed|not authori[sz]ed|authenticat|log.?in|signature|forbidden/i;

export interface RefusedRequest {
  /** Number of the job's page. */
  readonly page?: number | undefined;
  /** Text of the response body. */
  readonly excerpt: string;
  /** The untrusted origin of a download, to which no credentials were sent. */
  readonly stranger?: string | undefined;
}

/** A hint about a status that fails a job, to be appended to the error. */
export interface StatusHint {
  readonly text: string;
  /** True if the hint advises accepting the status. */
  readonly isAdvice: boolean;
}

export function statusHint(status: number, { page = 1, excerpt, stranger }: RefusedRequest): StatusHint {
  if (stranger !== undefined && (status === 401 || status === 403)) {
    const text = ` (a signed address may have expired; if ${stranger} is the API's own and needs credentials, list it in api.allowedOrigins)`;
    return { text, isAdvice: false };
  }
  if (page > 1 && pastTheEnd.includes(status) && !credentials.test(excerpt)) {
    return { text: ` (if this is how the API ends its pages: "ignoreErrors": [${status}])`, isAdvice: true };
  }
  return { text: hints[status] ?? "", isAdvice: false };
}
