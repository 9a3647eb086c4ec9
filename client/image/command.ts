// A command of a RUN: what it is given, and what it changes.
import type { Layers } from "./layers.ts";

export interface CommandCall {
  readonly name: string;
  readonly args: readonly string[];
  /** The folder in which it is run. */
  folder: string;
  readonly layers: Layers;
  note(message: string): void;
  /** Ends the build of this instruction, with the reason. */
  refuse(reason: string): never;
  pathOf(path: string): string;
}

/** Returns what the command prints. */
export type BuildCommand = (call: CommandCall) => string | void;
