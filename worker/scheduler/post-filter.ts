// What can be done when no node can take a pod: devices are given back, or pods of less importance make room (upstream: PostFilter).
import type { Random } from "../../shared/base/random.ts";
import type { ResourceClaim } from "../../shared/k8s/api/resource-v1.ts";
import { deallocation, dynamicResources } from "./plugins/dynamicresources/plugin.ts";
import type { Found } from "./find.ts";
import type { Cycle } from "./framework.ts";
import { plugins } from "./plugins/catalogue.ts";
import type { PodInfo } from "./pod-info.ts";
import { preempt } from "./preemption.ts";

export interface Afterwards {
  /** Follows the reasons in what is said of the failure. */
  readonly message: string;
  /** The node to keep for the pod; "" keeps none any more, absent leaves that as it is. */
  readonly nominate?: string;
  /** Pods that have to go from that node. */
  readonly victims?: readonly PodInfo[];
  /** A claim whose devices are given back. */
  readonly deallocate?: ResourceClaim;
}

export function postFilter(cycle: Cycle, found: Found, random: Pick<Random, "next">, nowMs: number): Afterwards {
  // Upstream's plugin for devices is asked first, and finds nothing prepared where an earlier plugin excluded all nodes.
  const { all } = found.diagnosis;
  if (all && orderOf(all.plugin) < orderOf(dynamicResources.name)) return { message: "not found" };
  const devices = deallocation(cycle, found);
  const preemption = preempt(cycle, found, random, nowMs);
  if (preemption.victims) return { ...preemption, ...(devices.claim ? { deallocate: devices.claim } : {}) };
  return {
    ...preemption,
    message: `${devices.message}, preemption: ${preemption.message}`,
    ...(devices.claim ? { deallocate: devices.claim } : {}),
  };
}

function orderOf(plugin: string): number {
  return plugins.findIndex(({ name }) => name === plugin);
}
