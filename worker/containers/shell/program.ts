// The interface of a simulated program: it reads, prints, takes time and ends with an exit code.
import type { Task } from "../../../shared/shell/task.ts";
import type { Process } from "./process.ts";
import type { Input, Shell, Sink } from "./shell.ts";

export interface ProgramCall {
  readonly shell: Shell;
  readonly process: Process;
  readonly name: string;
  /** The name or path with which the program was called. */
  readonly path: string;
  readonly args: readonly string[];
  readonly input: Input | undefined;
  readonly out: Sink;
  readonly err: Sink;
}

/** Runs a program. Returns its exit code. */
export type Program = (call: ProgramCall) => number | Task<number>;

export type Programs = Readonly<Record<string, Program>>;
