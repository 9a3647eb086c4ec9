// The record of what a run assumes about software that the simulator lacks.

/**
 * The policy for missing software: `succeed` for what the pod's specification names, `say` for a command without a terminal, which says so
 * on stderr and succeeds, and `fail` for what a person types at a terminal.
 */
export type UnknownPolicy = "succeed" | "say" | "fail";

export interface Assumption {
  readonly atMs: number;
  /** The name or the path of what was assumed to exist. */
  readonly what: string;
}

/** Shared by all processes of a run. */
export interface Assumptions {
  readonly policy: UnknownPolicy;
  readonly list: Assumption[];
}
