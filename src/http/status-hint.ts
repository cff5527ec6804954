/** Statuses that some APIs answer where the pages have ended. */
const pastTheEnd = [400, 404, 410, 416, 422];

const hints: Readonly<Record<number, string>> = {
  300: " without a choice of ours",
  301: " without a Location",
  302: " without a Location",
  303: " without a Location",
  304: ", though nothing conditional was asked",
  307: " without a Location",
  308: " without a Location",
};

/** Words of an answer about credentials that have died in mid-job: to ignore it would lose what follows. */
const credentials =
  /token|session|expir|credential|unauthori[sz]ed|not authori[sz]ed|authenticat|log.?in|signature|forbidden/i;

export interface Refused {
  /** Of the job. */
  readonly page?: number | undefined;
  /** By the body. */
  readonly said: string;
  /** The origin, that a download got no credentials from, since it is not trusted. */
  readonly stranger?: string | undefined;
}

/** What a status that fails a job may mean, to stand behind it in an error. */
export function statusHint(status: number, { page = 1, said, stranger }: Refused): string {
  if (stranger !== undefined && (status === 401 || status === 403)) {
    return ` (a signed address may have expired; if ${stranger} is the API's own and needs credentials, list it in api.allowedOrigins)`;
  }
  const isPastEnd = page > 1 && pastTheEnd.includes(status) && !credentials.test(said);
  return isPastEnd ? ` (if this is how the API ends its pages: "ignoreErrors": [${status}])` : (hints[status] ?? "");
}
