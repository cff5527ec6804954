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
  if (/^["'`\u2018-\u201f]\s*curl\s/.test(plain)) throw quotedCommandError();
  if (isPowershellCommand(plain)) return requestOfWords(powershellWords(plain), readFile, new Map(), "");
  if (isWindowsCommand(plain)) return requestOfWords(windowsWords(plain), readFile, new Map(), "");
  const { words, variables, rest } = shellWords(plain, environment);
  return requestOfWords(words, readFile, variables, rest);
}

/** Returns the error for a curl command that is in quotes as a whole, so that a shell passes it as a single word. */
export function quotedCommandError(): SpileError {
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
  // `TOKEN=abc` before `curl` sets a variable for curl alone. It does not change the request.
  const index = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (!/^curl(\.exe)?$/i.test(basename((words[index] ?? "").replaceAll("\\", "/")))) {
    throw new SpileError(
      "usage",
      "this is not a curl command, an address or a HAR: the text must begin with curl or https://",
    );
  }
  const { description, notes, target } = readCurlCommand(words.slice(index + 1), readFile);
  return {
    description: { ...description, variables },
    notes: [...notes, ...leftOutNotes(rest)],
    ...(target === undefined ? {} : { target }),
  };
}

/**
 * Returns a note about the text after the command. If quotes are missing, the text may contain a secret: the note shows at most
 * the name of a program after a pipe. Throws a usage error if the text is the rest of an address, after an `&`.
 */
function leftOutNotes(rest: string): string[] {
  if (/^&[\w.[\]%$-]+=/.test(rest)) {
    throw new SpileError(
      "usage",
      "the address has an & outside quotes, which ends a command: put the address in quotes",
    );
  }
  const [, program] = /^\|\s*([a-z]{1,12})(?=\s|$)/.exec(rest) ?? [];
  const pipe = program === undefined ? "" : `: | ${program}`;
  return rest === "" ? [] : [`the text after the command is left out${pipe}`];
}
