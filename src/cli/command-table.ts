/** A word of the command line that is not an option. */
export interface Operand {
  /** The operand's name in the help, in brackets if the operand is optional. */
  readonly placeholder: string;
  readonly required: boolean;
  /** Kind of words that completion offers for the operand. "file": the command reads it, so no output may go to it. */
  readonly completes: "file" | "field" | "shell" | "topic" | "nothing";
}

export interface CommandRow {
  /** One line for the list of commands. */
  readonly describe: string;
  readonly operands: readonly Operand[];
  /** Paragraphs for the help of this command and for the man page. */
  readonly about: readonly string[];
  /** Command lines without the leading `spile`, each with its purpose. */
  readonly examples: readonly (readonly [line: string, what: string])[];
}

/** From this word on, the words form a command line of another program, and are passed on unchanged. */
export const foreignCommand = "curl";

const configuration: Operand = { placeholder: "CONFIG", required: true, completes: "file" };

const commandTable = {
  run: {
    describe: "Run a configuration: its records go to stdout, one line of JSON each",
    operands: [configuration],
    about: [
      "Without a command, spile runs the configuration: it logs in to the API, pages through every job and writes the records to stdout, one line of JSON each. CONFIG is a JSON file, or - for stdin. Everything else goes to stderr, and the exit code says whether all is well.",
    ],
    examples: [
      ["config.json > records.ndjson", "run every job of a configuration"],
      ["config.json --job users | jq -r .id", "one job only"],
      [
        "config.json --set '#token=abc' -o out.ndjson --summary end.json",
        "the records to one file, the verdicts to another",
      ],
    ],
  },
  get: {
    describe: "Fetch the records of one address; options take the place of a configuration",
    operands: [{ placeholder: "URL", required: true, completes: "nothing" }],
    about: [
      "Each option sets the field of the configuration that its description names in brackets. All options of a run work, too. Before an address, the word get may be left out.",
      "Without --paging, one page is fetched and nothing is guessed: if the API says that there is more, the last line names the option that fetches it. Values of headers and parameters whose names suggest credentials are masked everywhere.",
    ],
    examples: [
      ["get https://api.example.com/users --paging offset --limit 100 | jq -r .name", "pages by limit and offset"],
      ["get https://api.example.com/users --records data --paging response.url --next links.next", "follow an address"],
      ["get https://api.example.com/users -H 'Authorization: Bearer abc' --print-config", "the same as a file"],
    ],
  },
  init: {
    describe:
      "Write a configuration from a curl command, an address, a HAR, an OpenAPI description, an Airbyte manifest or a Postman collection",
    operands: [{ placeholder: "[curl ... | URL | -]", required: false, completes: "nothing" }],
    about: [
      "Put spile init before a curl command that works. spile sends the request, then at most --probes further requests to search for records and paging, and at most twice as many to follow a paging that it finds. The configuration goes to stdout: where the records are, how the API pages, the real page size. The findings, and the guesses that proved wrong, go to stderr. spile writes only what the answers have shown: without proof, the configuration has no paging, and a comment says what to look for.",
      "The options of spile come before the word curl; every word after it belongs to curl. - reads a curl command, or a HAR, from stdin. Credentials become variables; the commands that set them (export) go to stderr with masked values.",
    ],
    examples: [
      ["init curl https://api.example.com/users > users.json", "a configuration from a curl command"],
      ["init curl https://api.example.com/users -H 'Authorization: Bearer abc' > users.json", "with credentials"],
      ["init https://api.example.com/users > users.json", "from an address"],
      ["init --har session.har > users.json", "from a browser's recording"],
      ["init --openapi openapi.yaml --only '/users*' > users.json", "from a description"],
      ["init --airbyte manifest.yaml > connector.json", "from a low-code connector of Airbyte"],
    ],
  },
  check: {
    describe: "Check a configuration and list its jobs; sends nothing",
    operands: [configuration],
    about: [
      "Finds every mistake that can be found without sending anything: each is reported on one line of stderr with its place in the file, and the exit code is 78. The jobs go to stdout, a line each: name, method and endpoint, paging. check takes the options of a run that change what would be fetched.",
    ],
    examples: [
      ["check config.json", "find mistakes without sending anything"],
      ["check config.json --allow-unset-env --format json", "for a program that does not have the secrets"],
    ],
  },
  plan: {
    describe: "Print the requests a run would send first, as JSON lines, secrets masked; sends nothing",
    operands: [configuration],
    about: [
      "Prints the request of each iteration's login, if its jobs need one, and the request for the first page of each top-level job, or for a later page (--page). Without --send-login nothing is sent.",
    ],
    examples: [
      ["plan config.json | jq .", "the first request of every job, without sending it"],
      ["plan config.json --page 2", "the second request of every job, as far as it can be foreseen"],
      ["plan config.json --job users --curl", "the same as a curl command"],
      ["plan config.json --send-login", "the requests as they are after a real login"],
    ],
  },
  preview: {
    describe: "Show the first records of each job as a table",
    operands: [configuration],
    about: [
      "Fetches the first page of each job. A child job runs for the first parent that it accepts. Shows the job's paging, at most 20 records of the page, and the total that the API reports. If there are several iterations, it shows the first one unless --iteration names another.",
    ],
    examples: [
      ["preview config.json", "the first records of all jobs"],
      ["preview config.json --job users --columns id,name,address.city", "some columns of one job"],
      ["preview config.json --iteration 3", "a look at the third iteration"],
    ],
  },
  explain: {
    describe: "Explain a field of the configuration",
    operands: [{ placeholder: "[FIELD]", required: false, completes: "field" }],
    about: [
      "FIELD is a place (api.pagination.limitParam), a name (limitParam), or a value of method or type (offset). Without FIELD, the fields are listed.",
    ],
    examples: [
      ["explain api.pagination.limitParam", "one field"],
      ["explain offset", "a method of paging"],
      ["explain --json | jq -r '.places[0]'", "the places of all fields"],
    ],
  },
  schema: {
    describe: "Print the JSON Schema of the configuration",
    operands: [],
    about: [
      'Prints one document without references to others, for an editor or a validator. In a configuration, "$schema": "./schema.json" refers to it.',
    ],
    examples: [["schema -o schema.json", "for your editor"]],
  },
  demo: {
    describe: "Start a small built-in API and extract from it",
    operands: [],
    about: ["The API listens only on the loopback interface, and ends with the command."],
    examples: [
      ["demo | jq .", "records of a built-in API, to see how it works"],
      ["demo --serve --port 4280 > demo.json", "the API stays up; its configuration is in demo.json"],
    ],
  },
  shard: {
    describe: "Run one configuration on many machines: plan the shards, run each of them, merge their parts",
    operands: [
      { placeholder: "plan|run|merge", required: true, completes: "nothing" },
      { placeholder: "CONFIG|PLAN", required: true, completes: "file" },
      { placeholder: "[CONFIG|DIR]", required: false, completes: "file" },
    ],
    about: [
      "plan reads CONFIG, asks for the first page of each job that pages by offset or page number, and prints a plan for --count shards. run takes PLAN and CONFIG, fetches the share of one shard, and writes it into the folder of --to. The shard's index comes from --index, or from the variable that Kubernetes, Slurm, AWS Batch, Cloud Run, Google Batch or GNU parallel sets. merge takes PLAN and that folder, checks that every part is there and complete, and writes the records in the order of one run.",
      "spile starts nothing on other machines: a scheduler does. A shard may be started twice, or again after it has died: the first complete attempt counts. merge exits with 75 if shards are missing, and with 65 if the parts do not fit together.",
    ],
    examples: [
      ["shard plan config.json --count 4 > plan.json", "divide the work among four"],
      ["shard run plan.json config.json --to parts --index 0", "fetch the share of one of them"],
      ["shard merge plan.json parts > all.ndjson", "merge the parts"],
    ],
  },
  completion: {
    describe: "Print the completion script for bash, zsh or fish",
    operands: [{ placeholder: "[SHELL]", required: false, completes: "shell" }],
    about: ["Without SHELL, prints the script for the shell in the variable SHELL."],
    examples: [
      ["completion bash >> ~/.bashrc", "bash"],
      ["completion zsh >> ~/.zshrc", "zsh (after compinit)"],
      ["completion fish > ~/.config/fish/completions/spile.fish", "fish"],
    ],
  },
  help: {
    describe: "Show the help of a command, or a chapter of the manual",
    operands: [{ placeholder: "[TOPIC]", required: false, completes: "topic" }],
    about: ["TOPIC is a command, or one of the chapters paging, exit-codes, expressions and sources."],
    examples: [
      ["help paging", "which method of paging an API needs"],
      ["help exit-codes", "what the exit code means"],
    ],
  },
} as const satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof commandTable;

export interface Command extends CommandRow {
  readonly name: CommandName;
}

/** Every command; `run` has no name on the command line. */
export const commands: readonly Command[] = Object.entries<CommandRow>(commandTable).map(([name, row]) => ({
  ...row,
  name: name as CommandName,
}));

export function commandOf(name: CommandName): Command {
  return { ...commandTable[name], name };
}

/** Returns the command that a word of the command line names; undefined if it names none. */
export function commandNamed(word: string | undefined): CommandName | undefined {
  return commands.find(({ name }) => name !== "run" && name === word)?.name;
}

/** Returns the usage line of a command: `spile check [options] CONFIG`. */
export function usageOf({ name, operands }: Command): string {
  const words = [name === "run" ? "spile" : `spile ${name}`, "[options]", ...operands.map((one) => one.placeholder)];
  return words.join(" ");
}
