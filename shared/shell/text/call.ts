// The environment of a text program: its arguments, files, input and output.
import type { Metered } from "../meter.ts";
import type { Deferred, Task } from "../task.ts";

export interface TextCall {
  readonly name: string;
  readonly args: readonly string[];
  /** The process that is charged. */
  readonly process: Metered;
  /** The origin of the small tools. */
  readonly tools: "busybox" | "gnu" | "unknown";
  readonly files: TextFiles;
  /** Reads the complete input. `isAlone`: the program reads nothing else. Undefined if the program is left waiting. */
  input(isAlone?: boolean): Task<string | undefined>;
  /** Opens a file, or the input (`-`), to read it piece by piece; undefined if it is not a file. `isAlone`: see `input`. */
  open(name: string, isAlone?: boolean): TextSource | undefined;
  /** Lets others run, and waits until the output is consumed. */
  turn(): Deferred<void>;
  /** Waits until a file may have changed. Returns false if the program is left waiting. */
  changed(): Task<boolean>;
  /** Whether the program has an input. */
  readonly hasInput: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Returns the environment variables. */
  environment(): Iterable<readonly [string, string]>;
  nowMs(): number;
  /** Returns a random number from 0 to below 1. */
  random(): number;
}

/** A text that is read piece by piece. */
export interface TextSource {
  /** Returns the next piece; undefined at the end, and if the process is left waiting. */
  next(): Deferred<string | undefined>;
  /** Stops the writer of the rest. */
  close(): void;
}

/** Files by their names as given. */
export interface TextFiles {
  /** Returns the text of a file; undefined if the name is not that of a file. */
  read(name: string): string | undefined;
  isFolder(name: string): boolean;
  /** Returns the files in a folder and its subfolders, by names that begin with the folder's. */
  below(name: string): readonly string[];
  write(name: string, text: string, appends?: boolean): void;
}

/** Runs the program. Returns its exit code. */
export type TextProgram = (call: TextCall) => number | Task<number>;

/** Reports whether the small tools are busybox', or unknown. */
export function isBusybox({ tools }: Pick<TextCall, "tools">): boolean {
  return tools !== "gnu";
}
