// Errors that end a command: refusals of the server or of kubectl, with their texts and exit codes.

export interface StatusCause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

/** The `metav1.Status` that the server returned. */
export interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** A refusal by the server. */
export class StatusError extends Error {
  override name = "StatusError";
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? "");
    this.status = status;
  }

  get isNotFound(): boolean {
    return this.status.reason === "NotFound";
  }
}

/** An error that ends the command with this exit code and prints its text unchanged. */
export class Exit extends Error {
  override name = "Exit";
  readonly code: number;

  constructor(code: number, text = "") {
    super(text);
    this.code = code;
  }
}

/** Several errors. Equal ones are printed once. */
export class Errors extends Error {
  override name = "Errors";
  readonly all: readonly Error[];

  constructor(all: readonly Error[]) {
    super(aggregateText(all));
    this.all = all;
  }
}

/** Throws the errors as one error. Does nothing if there are none. */
export function throwAll(errors: readonly Error[]): void {
  const flat = errors.flatMap((error) => (error instanceof Errors ? error.all : [error]));
  if (flat.length === 1 && flat[0]) throw flat[0];
  if (flat.length > 1) throw new Errors(flat);
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && error.isNotFound;
}

/** Prefixes the server's message with the operation: `error when creating "a.yaml": ...`. */
export function withSource(verb: string, source: string, error: unknown): Error {
  const text = `error when ${verb} ${JSON.stringify(source)}: ${asError(error).message}`;
  return error instanceof StatusError ? new StatusError({ ...error.status, message: text }) : new Error(text);
}

/** Returns the printed text of an error, with its newline, and the exit code. */
export function reportOf(error: unknown): { text: string; code: number } {
  if (error instanceof Exit) return { text: ended(error.message), code: error.code };
  if (error instanceof Errors) return { text: error.all.map((error) => `${messageOf(error)}\n`).join(""), code: 1 };
  if (error instanceof StatusError && error.status.reason === "Invalid")
    return { text: invalidText(error.status), code: 1 };
  const plain = asError(error).message;
  const standard = standardMessage(error);
  return { text: ended(standard ?? (plain.startsWith("error: ") ? plain : `error: ${plain}`)), code: 1 };
}

/** Returns the text of an error in a list of errors. */
export function messageOf(error: unknown): string {
  return standardMessage(error) ?? asError(error).message;
}

function standardMessage(error: unknown): string | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const { reason = "", message = "", details } = error.status;
  // The API server of the cluster's own control plane does not run.
  if (details?.causes?.some((cause) => cause.reason === "ConnectionRefused")) return message;
  if (reason === "Unauthorized") return `error: You must be logged in to the server (${message})`;
  return reason ? `Error from server (${reason}): ${message}` : `Error from server: ${message}`;
}

function invalidText({ message = "", details }: Status): string {
  let text = "The request is invalid";
  if (!details) return ended(message ? `${text}: ${message}` : text);
  const { kind = "", name = "", causes = [] } = details;
  if (kind || name) text = `The ${kind} ${JSON.stringify(name)} is invalid`;
  else if (message && causes.length === 0) text += `: ${message}`;
  const lines = [...new Set(causes.map((cause) => `${cause.field ?? ""}: ${cause.message ?? ""}`))];
  if (lines.length === 0) return ended(text);
  if (lines.length === 1) return `${text}: ${lines[0] ?? ""}\n`;
  return `${text}: \n${lines.map((line) => `* ${line}\n`).join("")}`;
}

function aggregateText(errors: readonly Error[]): string {
  const texts = [...new Set(errors.map((error) => error.message))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
