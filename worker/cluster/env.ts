// What a cluster's object reads of the Worker's bindings: see wrangler.toml.
import type { MetricsNamespace } from "../metrics/record.ts";
import type { PlaceBindings } from "../../shared/contract/hosted/object-place.ts";
import type { TenantRpc } from "../../shared/contract/tenant-object.ts";

/** The objects of tenants by name, to which clusters report their usage. */
export interface TenantNamespace {
  getByName(name: string): Pick<TenantRpc, "report">;
}

export interface ClusterEnv extends PlaceBindings {
  /** Absent in tests of a cluster alone. */
  readonly TENANTS?: TenantNamespace;
  /** Sums up the counts of all isolates. Absent in tests. */
  readonly METRICS?: MetricsNamespace;
  /** The certificate authority of the URL that kubeconfigs point at, as PEM, if no public one signed it. */
  readonly SANDBAR_CA?: string;
  /**
   * A run on the user's own machine has it: Node, which makes https requests as a `DirectCall` says. There private addresses may be
   * asked, and the authorities that a call brings are honoured.
   */
  readonly OUTSIDE?: Fetcher;
  /** `zero`: simulated kubelets do everything at once. For CI and benchmarks. */
  readonly SANDBAR_KUBELET_DELAYS?: string;
}
