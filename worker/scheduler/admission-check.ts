// Decides whether a node's kubelet admits a pod that is bound to it (upstream: `lifecycle.predicateAdmitHandler`).
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodeFactsOf } from "./node-info.ts";
import { requiredNodeMatch, targetOf } from "../controllers/common/node-selector.ts";
import { conflict, type HostPort, hostPortsOf } from "./pod-info.ts";
import { pressureRefusal } from "./pressure-refusal.ts";
import { addResources, noResources, podRequests, type Resources } from "./resources.ts";
import { sysctlRefusal } from "./sysctls.ts";
import { tolerates } from "../controllers/common/tolerations.ts";

export interface AdmissionResult {
  readonly reason: string;
  readonly message: string;
}

/** The pods that a node has admitted and that have not ended. Sums are updated with each pod, so a check does not read the others. */
export class AdmittedPods {
  readonly #byUid = new Map<string, Resources>();
  readonly #hostPorts = new Map<string, readonly HostPort[]>();
  readonly #used = noResources();

  /** Adds a pod, or replaces its earlier state. */
  set(pod: Pod): void {
    this.delete(pod);
    const { uid = "" } = pod.metadata;
    const { requests } = podRequests(pod, { asRunning: true });
    this.#byUid.set(uid, requests);
    addResources(this.#used, requests);
    const hostPorts = hostPortsOf(pod);
    if (hostPorts.length > 0) this.#hostPorts.set(uid, hostPorts);
  }

  delete({ metadata: { uid = "" } }: Pick<Pod, "metadata">): void {
    const requests = this.#byUid.get(uid);
    if (!requests) return;
    this.#byUid.delete(uid);
    this.#hostPorts.delete(uid);
    addResources(this.#used, requests, -1);
  }

  /** Returns the number and the requests of the other pods. */
  beside({ metadata: { uid = "" } }: Pick<Pod, "metadata">): { readonly count: number; readonly used: Resources } {
    const requests = this.#byUid.get(uid);
    if (!requests) return { count: this.#byUid.size, used: this.#used };
    const used = noResources();
    addResources(used, this.#used);
    addResources(used, requests, -1);
    return { count: this.#byUid.size - 1, used };
  }

  hostPortsBeside({ metadata: { uid = "" } }: Pick<Pod, "metadata">): readonly HostPort[] {
    return [...this.#hostPorts].flatMap(([podUid, hostPorts]) => (podUid === uid ? [] : hostPorts));
  }
}

/** Checks all conditions. */
export function admissionCheck(pod: Pod, node: Node, admittedPods: AdmittedPods): AdmissionResult | undefined {
  const refusal = pressureRefusal(pod, node) ?? sysctlRefusal(pod);
  if (refusal) return refusal;
  const os = pod.metadata.labels?.["kubernetes.io/os"];
  if (os !== undefined && os !== node.metadata.labels?.["kubernetes.io/os"]) {
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (pod.spec.os && pod.spec.os.name !== "linux") {
    return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  return resourceAdmissionCheck(pod, node, admittedPods) ?? placeRefusal(pod, node, admittedPods);
}

/** Checks only the resources, as for a resize. */
export function resourceAdmissionCheck(pod: Pod, node: Node, admittedPods: AdmittedPods): AdmissionResult | undefined {
  const { allocatable, allowedPodNumber } = nodeFactsOf(node);
  const insufficient = (name: string, requested: number, used: number, capacity: number) => ({
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  });
  const { count, used } = admittedPods.beside(pod);
  if (count + 1 > allowedPodNumber) return insufficient("pods", 1, count, allowedPodNumber);
  const { requests } = podRequests(pod);
  const lists: readonly (readonly [string, number, number, number])[] = [
    ["cpu", requests.milliCpu, used.milliCpu, allocatable.milliCpu],
    ["memory", requests.memory, used.memory, allocatable.memory],
    ["ephemeral-storage", requests.ephemeralStorage, used.ephemeralStorage, allocatable.ephemeralStorage],
    // Resources that the node does not report are counted by the cluster.
    ...[...requests.scalars]
      .filter(([name]) => allocatable.scalars.has(name))
      .map(([name, amount]): [string, number, number, number] => {
        return [name, amount, used.scalars.get(name) ?? 0, allocatable.scalars.get(name) ?? 0];
      }),
  ];
  const short = lists.find(
    ([, requestedAmount, usedAmount, capacity]) => requestedAmount > 0 && requestedAmount > capacity - usedAmount,
  );
  return short && insufficient(...short);
}

function placeRefusal(pod: Pod, node: Node, admittedPods: AdmittedPods): AdmissionResult | undefined {
  const predicateFailure = (name: string, why: string) => ({
    reason: name,
    message: `Predicate ${name} failed: ${why}`,
  });
  const matches = requiredNodeMatch(pod);
  if (matches && !matches(targetOf(node))) {
    return predicateFailure("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  const ports = hostPortsOf(pod);
  const taken = ports.length > 0 ? admittedPods.hostPortsBeside(pod) : [];
  if (taken.some((usedPort) => ports.some((port) => conflict(usedPort, port)))) {
    return predicateFailure("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  }
  const taint = node.spec.taints?.find(
    (taint) => taint.effect === "NoExecute" && !tolerates(pod.spec.tolerations, taint),
  );
  return taint && predicateFailure("TaintToleration", "node(s) had taints that the pod didn't tolerate");
}
