// The results of a pod's probes, as far as they were computed.
import type { Assumption, Beside, Wrote } from "../../containers/cri.ts";

/** Ticks with the same result. */
export interface Stretch {
  /** When the first result is known; the worker asked for it at `askedMs`. */
  readonly firstMs: number;
  readonly askedMs: number;
  readonly count: number;
  readonly ok: boolean;
  readonly errored: boolean;
  readonly message: string;
  /** The lines that each tick leaves in servers' logs. */
  readonly wrote: readonly Wrote[];
  readonly assumed: readonly Assumption[];
}

/** The result becomes this, then. */
export interface Turn {
  readonly atMs: number;
  readonly ok: boolean;
}

export interface Course {
  readonly periodMs: number;
  readonly stretches: readonly Stretch[];
  readonly turns: readonly Turn[];
  /** The moment up to which results were computed; Infinity if there are no further ones. */
  readonly knownMs: number;
}

/** The courses of a look's probes, as long as the containers run that ran when they were worked out. */
export interface Courses {
  readonly known: Map<string, { readonly course: Course; readonly running: readonly Beside[] }>;
  /** The containers that run, as of a move and followed to a moment. */
  running: { readonly move: number; readonly nowMs: number; readonly besides: readonly Beside[] } | undefined;
}
