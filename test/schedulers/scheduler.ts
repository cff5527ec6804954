/** A scheduler to try with its script in docs/schedulers. */
export interface Scheduler {
  readonly name: string;
  /** Describes what is missing and how to install it; undefined if everything is installed. */
  missing(): string | undefined;
  /** Runs the shards to their end. Returns a description of the attempt. Rejects if they do not end. */
  run(site: Site): Promise<string>;
}

/** The surroundings in which a scheduler runs. */
export interface Site {
  /** Folder that contains `config.json`, and gets the files of the script. */
  readonly folder: string;
  readonly shards: number;
  /** Variables that a script needs: `spile` is on the path. */
  readonly variables: Readonly<Record<string, string>>;
  /** Returns the path of a script in docs/schedulers. */
  script(name: string): string;
  /** Kills up to `most` workers of the folder (`kill -9`), as they appear, at random moments. Returns their number when it is stopped. */
  killWorkers(most: number): { stop(): number };
  /** Runs a command in the folder to its end. Returns its output. Rejects unless it exits with 0, or it `mayFail`. */
  command(words: readonly string[], options?: CommandOptions): Promise<string>;
  /** Starts a process that runs as long as the scheduler is tried. */
  service(words: readonly string[], variables?: Readonly<Record<string, string>>): void;
}

export interface CommandOptions {
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** True if another exit code than 0 is accepted. */
  readonly mayFail?: boolean;
  /** File of the folder that gets the standard output. */
  readonly to?: string;
}
