import { type Answer, broken, chunked, empty, encoded, json, odd, pause, raw, text } from "../helpers/answers.ts";
import { type Api, type Received, startApi } from "../helpers/api.ts";
import { tokens } from "../helpers/datasets.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { type Dataset, hash } from "./dataset.ts";
import type { Scenario } from "./scenario.ts";

/** The API of a scenario. */
export interface ChaosApi {
  readonly api: Api;
  /** Number of requests for each page, by "endpoint@offset". */
  readonly asked: ReadonlyMap<string, number>;
  /** Number of good answers to them. */
  readonly answered: ReadonlyMap<string, number>;
}

/** Starts the API. `doomed`: "endpoint@offset" of the page that never gets a good answer. */
export async function startChaosApi(scenario: Scenario, doomed: string | undefined): Promise<ChaosApi> {
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  const { login, seed, delay } = scenario;
  // Tokens live longer than reported: a request that is a little late is not the client's fault.
  const credentials = tokens(login?.lifetime === undefined ? {} : { lifetime: 1 });
  let served = 0;

  const handle = async (request: Received): Promise<unknown> => {
    const key = keyOf(request, scenario);
    const attempt = count(asked, key) - 1;
    const random = createRandom(hash(`${seed} ${key} ${attempt}`));
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, random.below(delay + 1)));
    if (request.path === "/login") {
      const mishap = mishapOf(random, scenario, attempt, undefined);
      if (mishap !== undefined) return mishap;
      const { token } = credentials.login(request) as { token: string };
      return { token, ...(login?.lifetime === undefined ? {} : { expires_in: login.lifetime }) };
    }
    const dataset = scenario.datasetAt(request.path.slice(1));
    if (dataset === undefined) return json({ error: "no such job" }, { status: 404 });
    if (login !== undefined && !credentials.alive(request.headers["x-apitoken"])) {
      return json({ error: "token is not alive" }, { status: 401 });
    }
    served += 1;
    if (served === login?.revokeAfter) credentials.revoke();
    const size = Number(request.params.get("limit"));
    const at = atOf(request, scenario);
    const records = dataset.page(at, size);
    if (key === doomed) {
      const answer = doomedAnswer(scenario, dataset, records, attempt, random);
      if (answer !== undefined) return answer;
    }
    const body = bodyOf(dataset, records);
    const mishap = mishapOf(random, scenario, attempt, body);
    if (mishap !== undefined) return mishap;
    count(answered, key);
    return records.length === 0 && dataset.noContent ? empty() : scenario.odd ? good(random, body) : text(body);
  };
  return { api: await startApi(handle), asked, answered };
}

function keyOf(request: Received, scenario: Scenario): string {
  return request.path === "/login" ? "login" : `${request.path.slice(1)}@${atOf(request, scenario)}`;
}

function atOf({ params }: Received, { method }: Scenario): number {
  if (method === "offset") return Number(params.get("offset"));
  return (Number(params.get("page")) - 1) * Number(params.get("limit"));
}

function bodyOf({ shape, reportsTotal, records: all, pretty }: Dataset, records: readonly string[]): string {
  const gap = pretty ? "\r\n\t " : "";
  const array = `[${gap}${records.map((record) => (pretty ? record.replace(/^\{"id":/, '{ "id" :\n') : record)).join(`${gap},${gap}`)}]`;
  const total = reportsTotal ? `"total":${gap}${all.length},` : "";
  if (shape === "root") return `${gap}${array}${gap}`;
  if (shape === "items") return `{${total}"items":${array}${gap}}`;
  return `{"skip":[1,{"items":[{}]}],"data":{${total}"x":{},"items":${gap}${array}},"after":"é"${gap}}`;
}

/** Returns a record of the failing page as it is changed in the answer to the second request. */
export function changed(record: string): string {
  if (record.startsWith('"')) return '"changed"';
  return record.replace(/^\{"data":"[^"]*"/, '{"data":"changed"').replace(/"n":[^,]*/, '"n":"changed"');
}

function doomedAnswer(
  { doom }: Scenario,
  dataset: Dataset,
  records: readonly string[],
  attempt: number,
  random: Random,
): Answer | undefined {
  const body = bodyOf(dataset, records);
  const within = random.below(Buffer.byteLength(body));
  switch (doom?.kind) {
    case "refused":
      return json({ error: "gone" }, { status: 404 });
    case "busy":
      return json({ error: "busy" }, { status: 503 });
    case "unauthorised":
      return json({ error: "who?" }, { status: 401 });
    case "html":
      return text("<html>maintenance</html>", { headers: { "content-type": "text/html" } });
    case "garbled":
      return text(`${body.slice(0, -1)}@`);
    case "reset":
      return broken.resetInBody(body, within);
    case "changed":
      if (dataset.repeats) return undefined;
      return attempt === 0 ? broken.resetInBody(body, within) : text(bodyOf(dataset, records.map(changed)));
    default:
      return undefined;
  }
}

const faults: readonly ((body: string, within: number) => Answer)[] = [
  () => broken.resetBeforeHeaders(),
  () => broken.closedBeforeHeaders(),
  () => broken.headersCut(),
  broken.resetInBody,
  broken.resetInChunk,
  broken.cutInBody,
  broken.cutWithoutLength,
  broken.cutWithoutTerminator,
  broken.badChunkHeader,
  broken.lengthTooLarge,
  broken.gzipCut,
  broken.gzipCutWithoutLength,
  broken.gzipGarbled,
  broken.lengthTooSmallInOnePacket,
  () => json({ error: "busy" }, { status: 500 }),
  () => json({ error: "busy" }, { status: 503, headers: { "retry-after": "0" } }),
  () => json({ error: "slow down" }, { status: 429, headers: { "retry-after": "0.02" } }),
  () => json({ error: "slow down" }, { status: 429, headers: { "retry-after": "0" } }),
  () => raw("HTTP/1.1 503 X\r\ncontent-length: 1000\r\n\r\nhalf", pause(1), { act: (socket) => void socket.end() }),
];

const stalls: readonly ((body: string, within: number) => Answer)[] = [
  () => broken.stalledBeforeHeaders(),
  broken.stalledAfterHeaders,
  broken.stalledInBody,
];

/** Number of attempts at a page that may meet a fault: a fifth one succeeds, so that the budget of retries lasts. */
const worstLuck = 4;

function mishapOf(random: Random, scenario: Scenario, attempt: number, body: string | undefined): Answer | undefined {
  if (attempt >= worstLuck || random.below(100) >= scenario.trouble) return undefined;
  // A reader cannot distinguish a complete login from one that the end of its connection has cut.
  if (body === undefined)
    return random.pick([broken.resetBeforeHeaders(), broken.cutInBody("{}"), json(0, { status: 503 })]);
  // An empty chunk would be the last one, and nobody can notice missing white space after the document.
  const within = random.between(1, Buffer.byteLength(body.trimEnd()) - 1);
  if (scenario.stalls && random.oneIn(4)) return random.pick(stalls)(body, within);
  return random.pick(faults)(body, within);
}

/** Returns a complete answer, sent in one of many ways. */
function good(random: Random, body: string): Answer {
  const bytes = Buffer.from(body);
  const ways: readonly (() => Answer)[] = [
    () => text(body),
    () => text(body),
    () => text(body),
    () => chunked(pieces(random, bytes)),
    () => odd.closeDelimited(body),
    () => odd.resetAfterTerminator(body),
    () => odd.resetAfterLength(body),
    () => odd.terminatorThenFin(body),
    () => odd.closedAfterAnswer(body),
    () => (bytes.length < 200 ? odd.byteByByte(body) : text(body)),
    () => odd.gzipTwoMembers(body),
    () => odd.informational(body),
    () => odd.strangeHeaders(body),
    () => odd.gzipDeclaredButPlain(body),
    () => encoded(random.pick(["gzip", "deflate", "deflate-raw", "br"] as const), body),
    () => text(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
  ];
  return random.pick(ways)();
}

function pieces(random: Random, bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random.below(Math.max(bytes.length / 3, 2));
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  return parts;
}

function count(counts: Map<string, number>, key: string): number {
  const now = (counts.get(key) ?? 0) + 1;
  counts.set(key, now);
  return now;
}
