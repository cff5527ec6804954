import { spawnSync } from "node:child_process";
import { powershellWords } from "../../src/authoring/curl/powershell-words.ts";
import { windowsWords } from "../../src/authoring/curl/windows-words.ts";
import { copiedCommands } from "../authoring/curl/copied-commands.ts";
import { requestText } from "../authoring/curl/sent-request.ts";
import { type Received, startApi } from "../helpers/api.ts";
import { startCommand } from "../helpers/cli.ts";

/*
 * Compares the table of copied commands with the requests that curl itself sends: `npm run curl`. bash runs the commands of bash.
 * For commands of cmd and PowerShell, curl gets the words that spile reads, so that only the request is compared. Skips without
 * curl.
 */

const { stdout: version } = spawnSync("curl", ["--version"], { encoding: "utf8" });
const failures: string[] = [];
if (typeof version !== "string" || version === "") process.stdout.write("skipped: there is no curl\n");
else {
  for (const { from, command, request, leftOut = [], notes, shell, escapes } of copiedCommands) {
    await using api = await startApi(() => [{ id: 1 }]);
    const text = command.replaceAll("https://api.example.com", api.url);
    const [name, words] =
      shell === undefined
        ? ["bash", ["-c", `${text} -s -o /dev/null`]]
        : [
            "curl",
            [...(shell === "cmd" ? windowsWords(text) : powershellWords(text)).slice(1), "-s", "-o", "/dev/null"],
          ];
    const { code, stderr } = await startCommand(name ?? "", words as readonly string[], {
      env: { PATH: process.env.PATH ?? "", LC_ALL: "C.UTF-8" },
    }).finished;
    const [received] = api.log;
    const sent =
      received === undefined
        ? `nothing (${code}): ${stderr}`
        : essence(requestText(withoutHeaders(received, leftOut), command));
    const wanted = essence(request);
    // These are ignored: differences that spile reports, and escapes that bash does not read as the browser means them.
    if (sent !== wanted && notes === undefined && escapes === undefined)
      failures.push(`${from}\n  curl:  ${sent}\n  table: ${wanted}`);
  }
  process.stdout.write(
    `${[...failures, `${version.split(" ").slice(0, 2).join(" ")}: ${copiedCommands.length - failures.length} of ${copiedCommands.length} requests are the same as curl's`].join("\n")}\n`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function withoutHeaders(received: Received, names: readonly string[]): Received {
  return {
    ...received,
    headers: Object.fromEntries(Object.entries(received.headers).filter(([name]) => !names.includes(name))),
  };
}

/** Returns the meaning of a request: pairs of a query or form in any order, JSON as a value, a media type without parameters. */
function essence(text: string): string {
  const [head = "", body = ""] = text.split("\n\n", 2);
  const [line = "", ...headers] = head.split("\n");
  const [method = "", path = "", query = ""] = line.split(/[ ?]/);
  const types = headers.map((one) => (one.startsWith("content-type:") ? one.replace(/;.*/, "") : one));
  return JSON.stringify([
    method,
    path,
    query
      .replace(/%[0-9a-f]{2}/g, (hex) => hex.toUpperCase())
      .split("&")
      .sort(),
    types,
    bodyEssence(body),
  ]);
}

function bodyEssence(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return [...new URLSearchParams(body)].map((pair) => pair.join("=")).sort();
  }
}
