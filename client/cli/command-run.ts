// The input of a command: its words and options, the client, and its output.
import type { Sandbar } from "../index.ts";

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly version: string;
  /** Prints the result, to standard output. */
  print(text: string | Uint8Array): void;
  /** Prints a message, to standard error. */
  say(text: string): void;
  readonly signal: AbortSignal;
}

export interface Run extends Surroundings {
  readonly client: Sandbar;
  readonly words: readonly string[];
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  has(option: string): boolean;
}
