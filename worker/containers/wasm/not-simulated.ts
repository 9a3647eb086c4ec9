// What is said where a program cannot be simulated: one plain line, and an exit code that nobody takes for success.
import type { ProgramCall } from "../shell/program.ts";

const notFound = 127;

/** Returns the exit code. */
export function notSimulated({ err, name }: Pick<ProgramCall, "err" | "name">): number {
  err(`${name}: not simulated in this sandbox\n`);
  return notFound;
}
