import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { start, temporaryFolder } from "../helpers/cli.ts";

/*
 * Measures the shapes for which the corpus writes no configuration: a position in the query of a POST, and records in lists of
 * lists. Each is run with a configuration from here; it must write exactly the records of the shape and be complete. No
 * configuration can express an offset that counts the records inside elements: paging counts the elements.
 */

interface Place {
  readonly in: string;
  readonly name?: string;
  readonly path?: readonly string[];
}

interface Shape {
  readonly id: string;
  readonly method: string;
  readonly kind: string;
  readonly records: readonly string[];
  readonly size?: Place;
  readonly position: Place;
  readonly first?: number;
  readonly next?: Place;
}

/** The part of the corpus' server that is used here. */
interface Corpus {
  readonly size: number;
  load(): readonly Shape[];
  serve(shapes: readonly Shape[]): Promise<Server>;
  allRecords(shape: Shape): readonly string[];
}

const isNested = ({ records }: Shape): boolean => records.filter((step) => step === "*").length > 1;
const isInQuery = ({ method, kind, position }: Shape): boolean =>
  method === "POST" && position.in === "query" && !["link", "next-url"].includes(kind);

/** Runs the shapes for which the corpus has no configuration. Returns whether all are exact and complete. */
export async function measureUnwritten(folder: string): Promise<boolean> {
  const corpus: Corpus = await import(pathToFileURL(join(folder, "serve.mjs")).href);
  const shapes = corpus.load().filter((shape) => (isNested(shape) && shape.kind !== "offset") || isInQuery(shape));
  const server = await corpus.serve(shapes);
  let passed = 0;
  for (const shape of shapes) {
    const trouble = await troubleOf(shape, (server.address() as AddressInfo).port, corpus);
    if (trouble === "") passed += 1;
    else process.stdout.write(`d ${shape.id} (${shape.kind}): ${trouble}\n`);
  }
  server.close();
  server.closeAllConnections();
  process.stdout.write(`d, with the configurations of this repository: ${passed}/${shapes.length}\n`);
  return passed === shapes.length;
}

async function troubleOf(shape: Shape, port: number, corpus: Corpus): Promise<string> {
  await using folder = await temporaryFolder();
  const summary = join(folder.path, "summary.json");
  const configuration = await folder.write("configuration.json", {
    api: { baseUrl: `http://127.0.0.1:${port}/`, pagination: pagingOf(shape, corpus.size) },
    config: { jobs: [jobOf(shape, corpus.size)] },
  });
  const { code, stdout, stderr } = await start([configuration, "--strict", "--summary", summary]).finished;
  if (stdout.trimEnd() !== corpus.allRecords(shape).join("\n")) {
    return `other records: exit code ${code}: ${stderr.trim().split("\n").at(-1)}`;
  }
  const isComplete = /"verdict": ?"complete"/.test(await readFile(summary, "utf8"));
  return code === 0 && isComplete ? "" : `not complete: exit code ${code}: ${stderr.trim().split("\n").at(-1)}`;
}

function jobOf({ id, method, records, size }: Shape, pageSize: number): object {
  const star = records.indexOf("*");
  const path = (star === -1 ? records : records.slice(0, star)).join(".");
  const each = star === -1 ? {} : { each: records.slice(star + 1) };
  const sized = size?.name === undefined ? {} : { [size.name]: pageSize };
  return {
    endpoint: `d/${id}/records`,
    dataType: "records",
    method,
    ...(method === "POST" ? { query: sized } : { params: sized }),
    dataField: { path: path === "" ? "." : path, ...each },
  };
}

function pagingOf(shape: Shape, pageSize: number): object {
  const { method, kind, position, first = 1, next } = shape;
  const place = method === "POST" ? { query: position.name } : position.name;
  // Paging counts the outer elements, and the number of those on a page is unknown.
  const size = isNested(shape) ? { limit: "unknown" } : sizeOf(shape, pageSize);
  if (kind === "page") return { method: "pagenum", pageParam: place, firstPage: first, ...size };
  if (kind === "offset") return { method: "offset", limit: pageSize, offsetParam: place, ...size };
  const source = next?.path?.join(".");
  const responseParam = next?.in === "last record" ? { lastRecord: source } : source;
  return { method: "response.param", responseParam, queryParam: place, includeParams: true };
}

function sizeOf({ method, size }: Shape, limit: number): object {
  if (size?.name === undefined) return {};
  return { limit, limitParam: method === "POST" ? { query: size.name } : size.name };
}
