// What the edge asks of a cluster's object about its life: when it ends, whether its workloads run, and of what it was made.
import type { SandboxHealth } from "./hosted/admin.ts";
import type { InitializeOptions } from "./cluster-object.ts";
import type { NotReady } from "./sandbox.ts";

/** What a fresh cluster was made with; its nodes are the edge's to remember. */
export type ClusterOrigin = Pick<InitializeOptions, "settings" | "manifests" | "import" | "machines">;

export interface ClusterLifeRpc {
  /** From now on it ends then. False where there is no cluster any more. */
  setExpiry(expiresAtMs: number): Promise<boolean>;
  /** From now on nobody is answered, and nothing runs; with an empty reason, it goes on. */
  suspend(why: string): Promise<void>;
  /** The workloads that do not run, or not whole, each with the reason; undefined where there is no cluster any more. */
  notReady(): Promise<readonly NotReady[] | undefined>;
  /** Undefined where there is no cluster any more. */
  health(): Promise<SandboxHealth | undefined>;
  /** Undefined where there is no cluster any more. */
  origin(): Promise<ClusterOrigin | undefined>;
}
