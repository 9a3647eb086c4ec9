// What a command may do between two turns of the page, and what is said past it.
import { type Metered, newPayer, Stopped } from "../../../shared/shell/meter.ts";
import { Failure } from "./shell.ts";
import { TooMuch } from "./streams.ts";

/** About a second in which the page answers nothing. */
const turnWork = 2_000_000;
const mostBytes = 128 * 1024 * 1024;
const mostDepth = 1000;

export function newBudget(): Metered {
  return newPayer(turnWork, mostBytes, mostDepth);
}

/** The page had its turn. */
export function renew({ meter }: Metered): void {
  meter.work = turnWork;
}

/** What is said of an error that ends a command; undefined: it is none of those that are known. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof TooMuch) return new Failure(error.message);
  if (error instanceof RangeError) return new Failure("it nests too deeply");
  if (!(error instanceof Stopped)) return undefined;
  if (error.how === "oom") return new Failure(new TooMuch().message);
  return new Failure(error.how === "spent" ? "it does more than it may here" : "it nests too deeply");
}
