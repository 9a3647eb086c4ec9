// The RPC interface of a cluster's Durable Object about its lifetime: expiry, availability of workloads, and origin.
import type { SandboxHealth } from "../hosted/admin.ts";
import type { InitializeOptions } from "../cluster-object.ts";
import type { NotReady } from "../sandbox.ts";
import type { KubernetesVersion } from "../../k8s/settings/release.ts";
import type { StateRefusal } from "../cluster-state.ts";
import type { GivenLimits } from "../sandbox-limits.ts";

/** The settings and content with which a cluster was created. `nodes` is undefined if the number was never changed; the edge stores it. */
export type ClusterOrigin = Pick<InitializeOptions, "settings" | "manifests" | "import" | "machines"> & {
  readonly nodes?: number;
};

/** The result of a change of the number of nodes. A refusal names the invalid field. */
export type SetNodes = { readonly ok: true } | (StateRefusal & { readonly field?: string });

/** The result of an upgrade. A refusal names the invalid field. */
export type SetVersion = SetNodes;

/** The tenant's state that applies to a sandbox. */
export interface SandboxStanding {
  /** The reason of a suspension, during which every request is refused and nothing runs. Empty if it is not suspended. */
  readonly suspended: string;
  /** The reason of a teacher's pause, which has the effect of a suspension. Empty ends the pause; undefined leaves it as it is. */
  readonly paused?: string;
  /** The limits that replace the service's defaults. Existing objects beyond them stay. */
  readonly limits: GivenLimits;
}

export interface ClusterLifeRpc {
  /** Sets the expiry. Returns false if the cluster does not exist. */
  setExpiry(expiresAtMs: number): Promise<boolean>;
  /** Adds or deletes simulated nodes until there are so many. `before`: the number that the edge has stored. */
  setNodes(count: number, before: number): Promise<SetNodes>;
  /** Upgrades the control plane; nodes follow. Setting the present version finishes an interrupted upgrade. */
  setVersion(version: KubernetesVersion): Promise<SetVersion>;
  /** Sets the tenant's state. Does nothing if the cluster does not exist. */
  setStanding(standing: SandboxStanding): Promise<void>;
  /**
   * Returns the workloads that are not fully available, with reasons: as soon as there are none, or after so many milliseconds. Returns
   * undefined if the cluster does not exist.
   */
  notReady(waitMs: number): Promise<readonly NotReady[] | undefined>;
  /** Returns undefined if the cluster does not exist. */
  health(): Promise<SandboxHealth | undefined>;
  /** Returns undefined if the cluster does not exist. */
  origin(): Promise<ClusterOrigin | undefined>;
}
