// What the edge asks of a cluster's object about its life: when it ends, whether its workloads run, and of what it was made.
import type { InitializeOptions } from "./cluster-object.ts";
import type { NotReady } from "./sandbox.ts";

/** What a fresh cluster was made with; its nodes are the edge's to remember. */
export type ClusterOrigin = Pick<InitializeOptions, "settings" | "manifests" | "import">;

export interface ClusterLifeRpc {
  /** From now on it ends then. False where there is no cluster any more. */
  setExpiry(expiresAtMs: number): Promise<boolean>;
  /** The workloads that do not run, or not whole, each with the reason; undefined where there is no cluster any more. */
  notReady(): Promise<readonly NotReady[] | undefined>;
  /** Undefined where there is no cluster any more. */
  origin(): Promise<ClusterOrigin | undefined>;
}
