import { basename } from "node:path";
import { SpileError } from "../core/errors.ts";
import { describeAddress } from "./address.ts";
import { type CurlRequest, type ReadFile, readCurlCommand } from "./curl/command.ts";
import { isPowershellCommand, powershellWords } from "./curl/powershell-words.ts";
import { shellWords } from "./curl/shell-words.ts";
import { isWindowsCommand, windowsWords } from "./curl/windows-words.ts";

/** Reads a request from a text: a curl command for bash, cmd.exe or PowerShell, or an address. Throws usage errors. */
export function readRequestText(text: string, environment: NodeJS.ProcessEnv, readFile: ReadFile): CurlRequest {
  const plain = text
    .replace(/^\uFEFF/, "")
    .trim()
    .replace(/^[$%>]\s+/, "");
  if (/^https?:\/\/\S+$/i.test(plain)) return { description: describeAddress(plain), notes: [] };
  if (/^["'`\u2018-\u201f]\s*curl\s/.test(plain)) throw quotedWhole();
  if (isPowershellCommand(plain)) return requestOfWords(powershellWords(plain), readFile, new Map(), "");
  if (isWindowsCommand(plain)) return requestOfWords(windowsWords(plain), readFile, new Map(), "");
  const { words, variables, rest } = shellWords(plain, environment);
  return requestOfWords(words, readFile, variables, rest);
}

/** Returns the error for a curl command that is in quotes as a whole and therefore is only one word. */
export function quotedWhole(): SpileError {
  return new SpileError(
    "usage",
    "the whole curl command is in quotes: remove them, or give it on stdin (spile init -)",
  );
}

function requestOfWords(
  words: readonly string[],
  readFile: ReadFile,
  variables: ReadonlyMap<string, string>,
  rest: string,
): CurlRequest {
  // `TOKEN=abc curl ...` sets a variable for curl alone.
  const index = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (!/^curl(\.exe)?$/i.test(basename((words[index] ?? "").replaceAll("\\", "/")))) {
    throw new SpileError(
      "usage",
      "this is not a curl command, an address or a HAR: the text must begin with curl or https://",
    );
  }
  const { description, notes, target } = readCurlCommand(words.slice(index + 1), readFile);
  // A variable's value may be a part of a credential: `Bearer $TOKEN`.
  return {
    description: { ...description, variables },
    notes: [...notes, ...leftOutNotes(rest)],
    ...(target === undefined ? {} : { target }),
  };
}

/** Returns a note about text after the command. The note does not show the text: if quotes are missing, it may hold a secret. */
function leftOutNotes(rest: string): string[] {
  if (/^&[\w.[\]%$-]+=/.test(rest)) {
    throw new SpileError(
      "usage",
      "the address has an & outside quotes, which ends a command: put the address in quotes",
    );
  }
  const [, program] = /^\|\s*([a-z]{1,12})(?=\s|$)/.exec(rest) ?? [];
  const what = program === undefined ? "" : `: | ${program}`;
  return rest === "" ? [] : [`the text after the command is left out${what}`];
}
