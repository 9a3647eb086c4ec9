// The events of a node's kubelet: at its start, and when the node's schedulability or pressure changes.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { EventRecorder } from "../runtime/events.ts";

/** Returns a reference whose uid is the node's name, as kubelets write it: `kubectl describe node` looks for events of both uids. */
function nodeRef(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
}

/** Records the events of a new kubelet, in upstream's order. `event`: the kubelet's recorder. */
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

/** Records that the node is under pressure. `resource`: the scarce resource, such as `memory`. */
export function tellPressure(name: string, resource: string, event: EventRecorder): void {
  event(nodeRef(name), "Warning", "EvictionThresholdMet", `Attempting to reclaim ${resource}`, { host: name });
}
