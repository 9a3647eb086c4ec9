// What becomes of a program: how long it runs and with what it exits.

export interface Outcome {
  readonly runsMs: number;
  readonly exitCode: number;
  /** Absent: SIGTERM is ignored. */
  readonly heedsTerm?: boolean;
}

export const forever: Outcome = { runsMs: Number.POSITIVE_INFINITY, exitCode: 0 };
