// What a program of the simulated images is: it reads, prints, takes time and ends with a code.
import type { Task } from "../../../shared/shell/task.ts";
import type { Process } from "./process.ts";
import type { Input, Shell, Sink } from "./shell.ts";

export interface ProgramCall {
  readonly shell: Shell;
  readonly process: Process;
  readonly name: string;
  /** As it was asked for: the name, or a path. */
  readonly path: string;
  readonly args: readonly string[];
  readonly input: Input | undefined;
  readonly out: Sink;
  readonly err: Sink;
}

/** Returns its exit code. */
export type Program = (call: ProgramCall) => number | Task<number>;

export type Programs = Readonly<Record<string, Program>>;
