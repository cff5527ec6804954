import { basename } from "node:path";
import { SpileError } from "../core/errors.ts";
import { describeAddress } from "./address.ts";
import { type CurlRequest, type ReadFile, readCurlCommand } from "./curl/command.ts";
import { shellWords } from "./curl/shell-words.ts";
import { isWindowsCommand, windowsWords } from "./curl/windows-words.ts";

/** The request that a text says: a curl command in the words of bash or cmd.exe, or an address. Throws usage errors. */
export function readRequestText(text: string, environment: NodeJS.ProcessEnv, readFile: ReadFile): CurlRequest {
  const plain = text
    .replace(/^\uFEFF/, "")
    .trim()
    .replace(/^[$%>]\s+/, "");
  if (/^https?:\/\/\S+$/i.test(plain)) return { description: describeAddress(plain), notes: [] };
  if (isWindowsCommand(plain)) return ofWords(windowsWords(plain), readFile, new Map(), "");
  const { words, variables, rest } = shellWords(plain, environment);
  return ofWords(words, readFile, variables, rest);
}

function ofWords(
  words: readonly string[],
  readFile: ReadFile,
  variables: ReadonlyMap<string, string>,
  rest: string,
): CurlRequest {
  // `TOKEN=abc curl ...` sets a variable for curl alone.
  const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (!/^curl(\.exe)?$/i.test(basename((words[at] ?? "").replaceAll("\\", "/")))) {
    throw new SpileError(
      "usage",
      "there is no curl command, address or HAR: what is given must begin with curl or https://",
    );
  }
  const { description, notes } = readCurlCommand(words.slice(at + 1), readFile);
  // A variable's value may be a part of a credential: `Bearer $TOKEN`.
  const left =
    rest === ""
      ? []
      : [`what stands behind the command is left out: ${rest.split(/\s+/).slice(0, 2).join(" ").slice(0, 40)}`];
  return { description: { ...description, variables }, notes: [...notes, ...left] };
}
