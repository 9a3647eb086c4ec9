// What a program over texts is given: its arguments, files, its input, and where it prints. It runs at once and to its end.
import type { Metered } from "../meter.ts";
import type { Task } from "../task.ts";

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
  /** Whether there is any at all. */
  readonly hasInput: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Variables that programs are told of. */
  environment(): Iterable<readonly [string, string]>;
  nowMs(): number;
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
