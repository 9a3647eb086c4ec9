// Errors that end a command.
import { Stopped } from "../../../shared/shell/meter.ts";
import { TooMuch } from "./streams.ts";

/** An error that ends a command with this code; the message follows `bash: ` or the program's name. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: number;

  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}

/** Returns the error that ends a command, or undefined for an unexpected one. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof TooMuch) return new Failure(error.message);
  if (error instanceof RangeError) return new Failure("it nests too deeply");
  if (!(error instanceof Stopped)) return undefined;
  if (error.how === "oom") return new Failure(new TooMuch().message);
  return new Failure(error.how === "spent" ? "it does more than it may here" : "it nests too deeply");
}
