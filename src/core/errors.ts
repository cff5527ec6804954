/** Exit codes (contract C-9.1). */
export const exitCodes = {
  success: 0,
  suspect: 1,
  usage: 64,
  data: 65,
  refused: 69,
  bug: 70,
  output: 74,
  temporary: 75,
  authentication: 77,
  configuration: 78,
  hangup: 129,
  /** A program that uses the library aborted its signal. `cause` is the reason of the signal. */
  aborted: 130,
  interrupted: 130,
  closedPipe: 141,
  terminated: 143,
} as const;

export type ErrorKind = Exclude<keyof typeof exitCodes, "success">;

/** Stable codes that programs may match: `ERR_DATA`, `ERR_REFUSED`, ... */
export type ErrorCode = `ERR_${Uppercase<ErrorKind>}`;

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The job's label, if the job is known. */
  readonly job?: string;
  /** Number of the page in its job, from 1. */
  readonly page?: number;
  /** JSON pointer into the configuration. */
  readonly pointer?: string;
  readonly refusal?: Refusal;
}

/** An answer of the API with an error status. */
export interface Refusal {
  readonly status: number;
  /** The part of the message that advises accepting the status. Callers remove it if accepting the status would lose records. */
  readonly advice?: string;
  /** True if the run was resumed at this request, and another resumed run would be refused in the same way. */
  readonly isExpired?: boolean;
}

/**
 * An error for users. Its message is one line that says what happened, where, and what would be right. Bugs of spile
 * have the kind `bug`.
 */
export class SpileError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly exitCode: number;
  job: string | undefined;
  page: number | undefined;
  /** Name of the step that failed, if one did. */
  step: string | undefined;
  readonly pointer: string | undefined;
  /** The API's answer that caused the error, if it has an error status. */
  refusal: Refusal | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "SpileError";
    this.kind = kind;
    this.code = `ERR_${kind.toUpperCase() as Uppercase<ErrorKind>}`;
    this.exitCode = exitCodes[kind];
    this.job = details.job;
    this.page = details.page;
    this.pointer = details.pointer;
    this.refusal = details.refusal;
  }
}

/** A fault of the configuration: a JSON pointer, and a message with the value found there and the values that are allowed. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
  /** The name that was probably meant, for programs. The message contains it, too. */
  readonly suggestion?: string | undefined;
}

/** All faults of a configuration at once (contract C-2.2), one line each. */
export class ConfigurationError extends SpileError {
  readonly faults: readonly Fault[];
  /** Warnings that were found together with the faults. */
  readonly warnings: readonly Fault[];

  constructor(faults: readonly Fault[], warnings: readonly Fault[] = []) {
    super("configuration", faults.map(faultLine).join("\n"));
    this.name = "ConfigurationError";
    this.faults = faults;
    this.warnings = warnings;
  }
}

export function faultLine(fault: Fault): string {
  return `${fault.pointer === "" ? "/" : fault.pointer}: ${fault.message}`;
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error itself if it is a SpileError. A missing working folder is the user's error, anything else a bug of spile. */
export function asSpileError(error: unknown): SpileError {
  if (error instanceof SpileError) return error;
  const isFolderGone = error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
  if (!isFolderGone) return new SpileError("bug", messageOf(error), { cause: error });
  const message = "the working folder does not exist any more: change to another folder, or give absolute paths";
  return new SpileError("configuration", message, { cause: error });
}
