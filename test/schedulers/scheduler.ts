/** A scheduler that is tried with its script in docs/schedulers. */
export interface Scheduler {
  readonly name: string;
  /** Describes what is missing and how to get it; undefined where everything is installed. */
  missing(): string | undefined;
  /** Runs the shards to their end. Returns a description of the attempt. Rejects where they do not end. */
  run(site: Site): Promise<string>;
}

/** The site of a scheduler's run. */
export interface Site {
  /** Holds `config.json`; the script leaves its files here. */
  readonly folder: string;
  readonly shards: number;
  /** Variables that a script needs: `spile` is on the path. */
  readonly variables: Readonly<Record<string, string>>;
  /** Path of a script in docs/schedulers. */
  script(name: string): string;
  /** Kills so many workers of the folder (`kill -9`), as they come, at random moments; answers how many, when it is stopped. */
  killWorkers(most: number): { stop(): number };
  /** Runs a command in the folder to its end; answers what it printed. Rejects unless it exits with 0, or it `mayFail`. */
  command(words: readonly string[], options?: CommandOptions): Promise<string>;
  /** A process that lasts as long as the scheduler is tried. */
  service(words: readonly string[], variables?: Readonly<Record<string, string>>): void;
}

export interface CommandOptions {
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Another exit code than 0 is right too. */
  readonly mayFail?: boolean;
  /** Standard output goes to this file of the folder. */
  readonly to?: string;
}
