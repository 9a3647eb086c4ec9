// A program that a shell starts: it reads, prints and exits with a code.
import type { Task } from "../task.ts";
import type { Input, Shell, ShellProcess, Sink } from "./shell.ts";

export interface ProgramCall {
  readonly shell: Shell;
  readonly process: ShellProcess;
  readonly name: string;
  /** The name or the path by which the program was called. */
  readonly path: string;
  readonly args: readonly string[];
  readonly input: Input | undefined;
  readonly out: Sink;
  readonly err: Sink;
}

/** Runs the program. Returns its exit code. */
export type Program = (call: ProgramCall) => number | Task<number>;

export type Programs = Readonly<Record<string, Program>>;
