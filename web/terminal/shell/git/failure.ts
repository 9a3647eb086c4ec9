// The errors of git, with its exit codes.
import { Failure } from "../failure.ts";

/** Prints its text without the name of the program, as git does. */
export class GitFailure extends Failure {
  override name = "GitFailure";
}

export function fatal(text: string): GitFailure {
  return new GitFailure(`fatal: ${text}`, 128);
}

/** An error of git's own parts. `code` is 1 for most of them. */
export function refusal(text: string, code = 1): GitFailure {
  return new GitFailure(`error: ${text}`, code);
}
