import { DocumentReader, IncompleteDocument } from "../../extract/document.ts";
import { type Answer, TransportFault } from "../../http/exchange/session.ts";

/**
 * Yields the body of an answer with an ignored error status: a JSON document as it is, any other text as `{"errorData": <text>}`
 * (`ignoreErrors`, contract C-11.10). A body longer than `most` bytes counts as JSON. Throws TransportFault if the end of its
 * connection has cut it.
 */
export async function* toleratedBody({ body, framed }: Answer, most: number): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes <= most) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= most) continue;
    yield* chunks.splice(0);
    if (chunks.length === 0 && bytes - chunk.length > most) yield chunk;
  }
  if (bytes > most) return;
  const whole = Buffer.concat(chunks);
  const text = whole.toString();
  if (isJson(text)) yield whole;
  else if (!framed && isCutJson(whole)) throw new TransportFault("the connection was closed before the document's end");
  // Byte by byte, so that bytes that are not UTF-8 are noticed as elsewhere.
  else yield Buffer.from(JSON.stringify({ errorData: whole.toString("latin1") }), "latin1");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the bytes are the beginning of a JSON list or object, and no more. */
function isCutJson(bytes: Buffer): boolean {
  if (!/^\s*[{[]/.test(bytes.toString("latin1", 0, 100))) return false;
  const reader = new DocumentReader({ dataField: [], watch: [], evidence: false, lines: () => undefined });
  try {
    reader.write(bytes);
    reader.end();
    return false;
  } catch (error) {
    return error instanceof IncompleteDocument;
  } finally {
    reader.close();
  }
}
