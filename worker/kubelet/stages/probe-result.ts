// The types of the results of a pod's probes, as far as they have been computed.
import type { Assumption, Beside, Wrote } from "../../containers/cri.ts";

/** Consecutive attempts of a probe with the same result, one in each period. */
export interface ResultSeries {
  /** The time when the first result is known; the worker sent the request at `askedMs`. */
  readonly firstMs: number;
  readonly askedMs: number;
  /** The number of attempts. */
  readonly attempts: number;
  readonly ok: boolean;
  readonly errored: boolean;
  readonly message: string;
  /** The lines that each attempt adds to servers' logs. */
  readonly wrote: readonly Wrote[];
  readonly assumed: readonly Assumption[];
}

/** A change of the container's health: the time of the attempt with which a result reached its threshold. */
export interface ResultChange {
  readonly atMs: number;
  readonly ok: boolean;
}

export interface ProbeHistory {
  readonly periodMs: number;
  readonly series: readonly ResultSeries[];
  readonly changes: readonly ResultChange[];
  /** The time up to which results were computed; Infinity if there are no further ones. */
  readonly computedUntilMs: number;
}

/** The histories of a sync's probes. Each is valid while the same containers run as when it was computed. */
export interface ProbeHistories {
  readonly byProbe: Map<string, { readonly history: ProbeHistory; readonly running: readonly Beside[] }>;
  /** The running containers, as of a move, followed up to a time. */
  running: { readonly move: number; readonly nowMs: number; readonly besides: readonly Beside[] } | undefined;
}
