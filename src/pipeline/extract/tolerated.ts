import type { Answer } from "../../http/session.ts";

/**
 * The body of an answer with an error status that is ignored: a JSON document as it is, any other text as
 * `{"errorData": <text>}` (`ignoreErrors`, contract C-11.10). What is longer than `most` bytes is taken for JSON.
 */
export async function* toleratedBody({ body }: Answer, most: number): AsyncGenerator<Buffer> {
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
  const text = Buffer.concat(chunks).toString();
  yield Buffer.from(isJson(text) ? text : JSON.stringify({ errorData: text }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
