// The runs of a pod's containers, as connections and visits read them.
import type { Placed } from "./run/shared.ts";
import type { Trace } from "./shell/trace.ts";

/** The runs of a pod's containers, each computed once and continued from there. */
export interface PodRuns {
  at(nowMs: number): readonly { readonly placed: Placed; readonly run: Trace }[];
  /** Reports whether all runs are computed that far, so that `at` computes nothing. */
  knows(nowMs: number): boolean;
  /** Returns when something begins to listen at a port; Infinity if that is not known. */
  nextListenMs(port: number, afterMs: number): number;
  /** Returns when files of the pod's containers change next, or the end of what is known of them; Infinity if they do not change. */
  nextChangeMs(afterMs: number): number;
  /** Reports whether the runs depend on nothing outside the pod: no program has connected to others, and no API object is mounted. */
  haveNoConnections(): boolean;
  /** Returns the work of computing the runs so far, in microseconds. */
  work(): number;
}
