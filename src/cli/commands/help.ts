import { version } from "../../version.ts";
import { helpText } from "../help.ts";
import { completions, type Invocation, printCompletionScript } from "../options.ts";
import { print } from "../output.ts";

/** What the command tells about itself: `--help`, `--version`, and the two halves of completion. */
export async function helpCommand(command: Invocation["command"], words: readonly string[]): Promise<number> {
  if (command === "help") await print(helpText(process.stdout.columns ?? 100));
  else if (command === "version") await print(`${version}\n`);
  else if (command === "completion") printCompletionScript();
  else await print((await completions(words)).map((line) => `${line}\n`).join(""));
  return 0;
}
