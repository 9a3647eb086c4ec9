// The record of what a run assumes about software that the simulator lacks.

/**
 * The policy for missing software. `succeed` applies to names in the pod's specification. `say` applies to a command without a terminal: it
 * prints a note to stderr and succeeds. `fail` applies to commands that a person types at a terminal.
 */
export type UnknownPolicy = "succeed" | "say" | "fail";

export interface Assumption {
  readonly atMs: number;
  /** The name or the path of the software. */
  readonly what: string;
}

/** The assumptions of a run, shared by all its processes. */
export interface Assumptions {
  readonly policy: UnknownPolicy;
  readonly list: Assumption[];
}
