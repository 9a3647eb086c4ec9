// The terminal of a frame: the one place that knows where it comes from, loaded when it is shown.
import type { ClusterAccess } from "../../api/cluster.ts";

export interface TerminalOptions {
  readonly cluster: ClusterAccess;
  /** Empty: `default`. */
  readonly namespace: string;
  readonly readOnly: boolean;
  /** Under which what was typed is kept. */
  readonly storageKey: string;
  onCommand(line: string, exitCode: number): void;
}

export interface Terminal {
  /** Types a line for everybody to see, and runs it. */
  run(line: string): Promise<{ exitCode: number; output: string }>;
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
