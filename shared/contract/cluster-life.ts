// What the edge asks of a cluster's object about its life: when it ends, whether its workloads run, and of what it was made.
import type { SandboxHealth } from "./hosted/admin.ts";
import type { InitializeOptions } from "./cluster-object.ts";
import type { NotReady } from "./sandbox.ts";
import type { GivenLimits } from "./sandbox-limits.ts";

/** What a fresh cluster was made with; its nodes are the edge's to remember. */
export type ClusterOrigin = Pick<InitializeOptions, "settings" | "manifests" | "import" | "machines">;

/** What a sandbox is told of its tenant. */
export interface SandboxStanding {
  /** Why nobody is answered, and nothing runs; empty: it goes on. */
  readonly suspended: string;
  /** In place of the service's own; what is there and past them stays. */
  readonly limits: GivenLimits;
}

export interface ClusterLifeRpc {
  /** From now on it ends then. False where there is no cluster any more. */
  setExpiry(expiresAtMs: number): Promise<boolean>;
  /** What its tenant may do from now on. Nothing where there is no cluster any more. */
  setStanding(standing: SandboxStanding): Promise<void>;
  /** The workloads that do not run, or not whole, each with the reason; undefined where there is no cluster any more. */
  notReady(): Promise<readonly NotReady[] | undefined>;
  /** Undefined where there is no cluster any more. */
  health(): Promise<SandboxHealth | undefined>;
  /** Undefined where there is no cluster any more. */
  origin(): Promise<ClusterOrigin | undefined>;
}
