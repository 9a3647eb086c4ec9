// The phases of a sandbox's life. Contains no schema, because the console loads this first.

/**
 * The phases of a sandbox that exists. `Pending`: some of its workloads have not been available yet. `Running`: all have been. `Paused`: its
 * clock is paused. `Unknown`: the organisation's counts, which hold the phase, cannot be read or do not have the sandbox.
 */
export const sandboxPhases = ["Pending", "Running", "Paused", "Unknown"] as const;

export type SandboxPhase = (typeof sandboxPhases)[number];

/** The phases in events, which also report the end of a sandbox. */
export const eventPhases = [...sandboxPhases, "Expired", "Deleted"] as const;

export type EventPhase = (typeof eventPhases)[number];
