// What a command is given: its words and options, the client, and where it prints.
import type { Sandbar } from "../index.ts";

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly version: string;
  /** What was asked for. */
  print(text: string | Uint8Array): void;
  /** What is said beside it. */
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
