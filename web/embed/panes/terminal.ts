// The terminal of a frame: the one place that knows where it comes from, loaded when it is shown.
import type { Connection } from "../frame/access.ts";

export interface TerminalOptions {
  readonly cluster: Connection;
  readonly namespace: string;
  readonly readOnly: boolean;
  /** Under which what was typed is kept. */
  readonly storageKey: string;
  /** After each line that was run. */
  onCommand(line: string, exitCode: number): void;
}

export interface Terminal {
  /** Types a line for everybody to see, and runs it; resolves with its exit code. */
  run(line: string): Promise<number>;
  focus(): void;
  resize(): void;
  dispose(): void;
}

/** Nothing, where this build has none: the live view is shown in its place. */
export async function openTerminalPane(
  _element: HTMLElement,
  _options: TerminalOptions,
): Promise<Terminal | undefined> {
  return undefined;
}
