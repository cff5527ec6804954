import { DocumentReader } from "../../src/extract/document.ts";
import { leaseScanner } from "../../src/extract/scanner.ts";
import { block, blockRecords, type Style, styles } from "./records.ts";

/*
 * Measures the speed of the scanner alone, and of the whole reading of a document in memory, in chunks of 64 KiB. Lines are
 * dropped. The figures are medians of 9 runs over 100 MB, in MB of input per second of processor time.
 *
 *                                    compact   pretty-printed
 *   scanner, checking only              2,450   2,694
 *   scanner, lines taken out            1,286   1,519
 *   document, records at data.items     1,244   1,460
 *   document, nothing of it wanted      2,413   2,635
 *   a document of 30 KB: about 0.1 ms
 * Measured with Node 20.20, two idle cores, and records of about 1 KB with many small fields. For records that are mostly text,
 * the scanner checks 11,000. Most of the cost of taking lines out is the new memory for them. The command frees that memory early
 * (`src/cli/young-buffers.ts`), and takes lines out at 2,200 MB per second.
 */
const chunkSize = 65_536;
const runs = 9;

for (const style of ["compact", "pretty"] as const) {
  const records = block(blockRecords, style);
  const blocks = Math.ceil(100e6 / records.text.length);
  const body = Buffer.concat([...Array.from({ length: blocks }, () => records.text)]).subarray(0, -1);
  const text = Buffer.concat([
    Buffer.from(styles[style].head),
    body,
    Buffer.from(styles[style].tail(blocks * blockRecords)),
  ]);
  const array = Buffer.concat([body, Buffer.from("]")]);
  report(style, "check", array, () => scan(array, false));
  report(style, "lines", array, () => scan(array, true));
  report(style, "document", text, () => read(text, ["data", "items"]));
  report(style, "document, nothing wanted", text, () => read(text, ["nowhere"]));
}

/** 3,000 pages of 30 KB, which show the cost of each new reader, beyond that of its bytes. */
{
  const text = page(30, "compact");
  const chunks = chunksOf(text);
  const started = processor();
  for (let count = 0; count < 3000; count += 1) readChunks(chunks, ["data", "items"]);
  const each = (processor() - started) / 3000;
  console.log(`pages of ${text.length} bytes: ${(each * 1000).toFixed(0)} µs each`);
}

function report(style: Style, what: string, text: Buffer, run: () => void): void {
  const times = Array.from({ length: runs }, () => {
    const started = processor();
    run();
    return processor() - started;
  }).sort((a, b) => a - b);
  const median = times[(runs - 1) / 2] ?? 0;
  console.log(`${style}, ${what}: ${(text.length / 1000 / median).toFixed(0)} MB/s`);
}

/** Returns the processor time so far, in milliseconds. It is nearly the same on a busy machine. */
function processor(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function scan(text: Buffer, keep: boolean): void {
  const { scanner, release } = leaseScanner(() => {});
  scanner.reset(1e9);
  scanner.begin("records", keep, 1000);
  for (const chunk of chunksOf(text)) scanner.scan(chunk, 0);
  release();
}

function read(text: Buffer, dataField: readonly string[]): void {
  readChunks(chunksOf(text), dataField);
}

function readChunks(chunks: readonly Buffer[], dataField: readonly string[]): void {
  const reader = new DocumentReader({ dataField, watch: [["meta", "total"]], evidence: true, lines: () => {} });
  for (const chunk of chunks) reader.write(chunk);
  if (reader.end().watched.size !== 1) throw new Error("the total was not seen");
}

function page(records: number, style: Style): Buffer {
  const text = block(records, style).text.subarray(0, -1);
  return Buffer.concat([Buffer.from(styles[style].head), text, Buffer.from(styles[style].tail(records))]);
}

function chunksOf(text: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < text.length; at += chunkSize) chunks.push(text.subarray(at, at + chunkSize));
  return chunks;
}
