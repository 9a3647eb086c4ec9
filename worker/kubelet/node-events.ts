// What a node's kubelet tells of it: when it starts, and when pods may or may not be placed on it.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { EventRecorder } from "../runtime/events.ts";

/** To a kubelet the name of its node is its uid, too: `kubectl describe node` looks for events of both. */
function nodeRef(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
}

/** In the order in which a new kubelet comes to it. `event`: the kubelet's recorder. */
export function tellStart(name: string, event: EventRecorder): void {
  const node = nodeRef(name);
  const host = { host: name };
  event(node, "Normal", "Starting", "Starting kubelet.", host);
  event(node, "Warning", "InvalidDiskCapacity", "invalid capacity 0 on image filesystem", host);
  for (const reason of ["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"]) {
    tellStatus(name, reason, event);
  }
  event(node, "Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods", host);
  tellStatus(name, "NodeReady", event);
}

export function tellStatus(name: string, reason: string, event: EventRecorder): void {
  event(nodeRef(name), "Normal", reason, `Node ${name} status is now: ${reason}`, { host: name });
}

/** `resource`: what the node is short of, `memory`. */
export function tellPressure(name: string, resource: string, event: EventRecorder): void {
  event(nodeRef(name), "Warning", "EvictionThresholdMet", `Attempting to reclaim ${resource}`, { host: name });
}
