// The surroundings of a program over texts: its arguments, files, its input, and where it prints.
import type { Metered } from "../meter.ts";
import type { Deferred, Task } from "../task.ts";

export interface TextCall {
  readonly name: string;
  readonly args: readonly string[];
  /** Who pays. */
  readonly process: Metered;
  /** Whose small tools they are. */
  readonly tools: "busybox" | "gnu" | "unknown";
  readonly files: TextFiles;
  /** All of it; `isAlone`: there is nothing else to read. Undefined: it is waited for, and the program is left where it is. */
  input(isAlone?: boolean): Task<string | undefined>;
  /** Opens a file, or the input (`-`), to read it piece by piece; undefined for what is no file. `isAlone`: see `input`. */
  open(name: string, isAlone?: boolean): TextSource | undefined;
  /** Gives others their turn, and waits until what was printed is taken. */
  turn(): Deferred<void>;
  /** Waits until a file may have changed; false if the program is left where it is. */
  changed(): Task<boolean>;
  /** Whether there is any at all. */
  readonly hasInput: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Variables that programs are told of. */
  environment(): Iterable<readonly [string, string]>;
  nowMs(): number;
  /** A number from 0 to below 1. */
  random(): number;
}

/** A text that is read piece by piece. */
export interface TextSource {
  /** The next piece; undefined at the end, and where the process is left waiting. */
  next(): Deferred<string | undefined>;
  /** Ends what writes the rest. */
  close(): void;
}

/** By names as they are given. */
export interface TextFiles {
  /** Undefined for what is no file. */
  read(name: string): string | undefined;
  isFolder(name: string): boolean;
  /** The files in a folder and in those within, by names that begin with the folder's. */
  below(name: string): readonly string[];
  write(name: string, text: string, appends?: boolean): void;
}

/** Returns its exit code. */
export type TextProgram = (call: TextCall) => number | Task<number>;

/** Its small tools are busybox', or nobody knows. */
export function isBusybox({ tools }: Pick<TextCall, "tools">): boolean {
  return tools !== "gnu";
}
