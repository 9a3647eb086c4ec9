// The interface of a RUN command: its input, and the image that it changes.
import type { ImageState } from "./layers.ts";

export interface CommandCall {
  readonly name: string;
  readonly args: readonly string[];
  /** The current folder. */
  folder: string;
  readonly layers: ImageState;
  note(message: string): void;
  /** Ends the build of this instruction with a reason. */
  refuse(reason: string): never;
  pathOf(path: string): string;
}

/** Runs the command. Returns its output. */
export type BuildCommand = (call: CommandCall) => string | void;
