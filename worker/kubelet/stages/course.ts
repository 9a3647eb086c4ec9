// The results of a pod's probes, as far as they have been computed.
import type { Assumption, Beside, Wrote } from "../../containers/cri.ts";

/** Consecutive ticks with the same result. */
export interface Stretch {
  /** The time when the first result is known; the worker sent the request at `askedMs`. */
  readonly firstMs: number;
  readonly askedMs: number;
  readonly count: number;
  readonly ok: boolean;
  readonly errored: boolean;
  readonly message: string;
  /** The lines that each tick adds to servers' logs. */
  readonly wrote: readonly Wrote[];
  readonly assumed: readonly Assumption[];
}

/** A change of a probe's result. */
export interface Turn {
  readonly atMs: number;
  readonly ok: boolean;
}

export interface Course {
  readonly periodMs: number;
  readonly stretches: readonly Stretch[];
  readonly turns: readonly Turn[];
  /** The time up to which results were computed; Infinity if there are no further ones. */
  readonly knownMs: number;
}

/** The courses of a sync's probes. Each is valid while the same containers run as when it was computed. */
export interface Courses {
  readonly byProbe: Map<string, { readonly course: Course; readonly running: readonly Beside[] }>;
  /** The running containers, as of a move, followed up to a time. */
  running: { readonly move: number; readonly nowMs: number; readonly besides: readonly Beside[] } | undefined;
}
