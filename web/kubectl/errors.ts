// What ends a command: refusals of the server and of kubectl itself, and the texts and exit codes that they are told with.

export interface StatusCause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

/** `metav1.Status`, as the server sends it. */
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

/** The server's answer was an error. */
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

/** Ends the command with this exit code; its text is printed as it is. */
export class Exit extends Error {
  override name = "Exit";
  readonly code: number;

  constructor(code: number, text = "") {
    super(text);
    this.code = code;
  }
}

/** Several errors; equal ones are told once. */
export class Errors extends Error {
  override name = "Errors";
  readonly all: readonly Error[];

  constructor(all: readonly Error[]) {
    super(aggregateText(all));
    this.all = all;
  }
}

/** Nothing where there are none, the one where there is one. */
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

/** The server's message with what was being done before it: `error when creating "a.yaml": ...`. */
export function withSource(verb: string, source: string, error: unknown): Error {
  const text = `error when ${verb} ${JSON.stringify(source)}: ${asError(error).message}`;
  return error instanceof StatusError ? new StatusError({ ...error.status, message: text }) : new Error(text);
}

/** What is printed of an error, with its newline, and the exit code. */
export function reportOf(error: unknown): { text: string; code: number } {
  if (error instanceof Exit) return { text: ended(error.message), code: error.code };
  if (error instanceof Errors) return { text: error.all.map((one) => `${messageOf(one)}\n`).join(""), code: 1 };
  if (error instanceof StatusError && error.status.reason === "Invalid")
    return { text: invalidText(error.status), code: 1 };
  const plain = asError(error).message;
  const standard = standardMessage(error);
  return { text: ended(standard ?? (plain.startsWith("error: ") ? plain : `error: ${plain}`)), code: 1 };
}

/** An error within a list of them. */
export function messageOf(error: unknown): string {
  return standardMessage(error) ?? asError(error).message;
}

function standardMessage(error: unknown): string | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const { reason = "", message = "" } = error.status;
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
