// The open terminals of a learner's page.

/** An open terminal, under an id that no other page has. */
export interface PageTerminal {
  readonly id: string;
  /** The name of its tab. */
  readonly title: string;
  /** Shows the terminal, and types and runs a line in it after those that wait. */
  run(line: string): void;
  /** Presses Ctrl-C. */
  interrupt(): void;
}

export interface PageTerminals {
  /** The terminal that is visible, or was last. */
  readonly current: PageTerminal;
  readonly all: readonly PageTerminal[];
}

/** Receives the open terminals, or undefined if none is open. */
export type TerminalsListener = (terminals: PageTerminals | undefined) => void;
