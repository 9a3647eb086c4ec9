// Waits until all workloads of a cluster are available: looks again after each change, for a bounded time.
import { limits } from "../../../shared/base/limits.ts";
import type { NotReady } from "../../../shared/contract/sandbox.ts";
import type { Client } from "../../registry/client.ts";
import { notReadyIn } from "./readiness.ts";

interface WaitingCluster {
  readonly system: Client;
  readonly changeNews: { nextChange(): Promise<void> };
}

export interface Waiting {
  /** Returns the open cluster, which may be replaced meanwhile. */
  open(): WaitingCluster | undefined;
  pause(ms: number): Promise<void>;
  nowMs(): number;
  readonly endMs: number;
}

/** Returns the workloads that are not available at the end; empty as soon as all are. Returns undefined if there is no cluster. */
export async function whenNoneIsLeft({ open, pause, nowMs, endMs }: Waiting): Promise<NotReady[] | undefined> {
  const { least, most } = limits.readyCheckMs;
  for (let burstMs: number = least; ; burstMs = Math.min(2 * burstMs, most / 4)) {
    const cluster = open();
    if (!cluster) return undefined;
    const nextChange = cluster.changeNews.nextChange();
    const left = notReadyIn(cluster.system);
    const leftMs = endMs - nowMs();
    if (left.length === 0 || leftMs <= 0) return left;
    // The changes of a burst are checked once. A replaced cluster signals nothing, so the wait for a change is bounded.
    await pause(Math.min(burstMs, leftMs));
    await Promise.race([nextChange, pause(Math.max(0, Math.min(most, leftMs) - burstMs))]);
  }
}
