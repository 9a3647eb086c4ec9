// Where the learner's terminal comes from: the one place that loads it. Where the build has none, the page has no such pane.

/** As far as the learner's page uses it. */
export interface Terminal {
  run(line: string): Promise<number>;
  focus(): void;
  resize(): void;
  dispose(): void;
}

export interface TerminalOptions {
  readonly cluster: { readonly id: string; readonly token: (stale: boolean) => Promise<string> };
  readonly namespace: string;
  readonly readOnly?: boolean;
  /** What files and history are kept under. */
  readonly storageKey?: string;
  onCommand?(line: string, exitCode: number): void;
}

export type OpenTerminal = (element: HTMLElement, options: TerminalOptions) => Terminal;

const found = Object.values(import.meta.glob<{ openTerminal: OpenTerminal }>("../terminal/terminal.ts"))[0];

export const hasTerminal = found !== undefined;

export async function loadTerminal(): Promise<OpenTerminal | undefined> {
  return (await found?.())?.openTerminal;
}
