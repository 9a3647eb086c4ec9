// The options of the kubelet: which pods its nodes admit, and how long its actions take.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import type { ContainerRuntimes, ContainerTimeline, KeptEdits, NodeMachines } from "../containers/cri.ts";
import type { Delays } from "../machine/delays.ts";
import type { NodeFaults } from "./node-faults.ts";

/** The reason why a node rejects a pod. */
export interface PodAdmitResult {
  readonly reason: string;
  readonly message: string;
}

/** The pods that a node has admitted and that have not ended. */
export interface AdmittedPods {
  set(pod: Pod): void;
  delete(pod: Pod): void;
}

/** The checks of a node before it admits or resizes a pod beside those that it has admitted. */
export interface NodeAdmission<Admitted extends AdmittedPods = AdmittedPods> {
  newPods(): Admitted;
  /** Returns why a node rejects a pod. */
  admit(pod: Pod, node: Node, admittedPods: Admitted): PodAdmitResult | undefined;
  /** Returns why a node has no room for the resources that a pod requests now. */
  admitResize(pod: Pod, node: Node, admittedPods: Admitted): PodAdmitResult | undefined;
}

export interface KubeletOptions extends Partial<Delays> {
  /** By default all pods are admitted. */
  readonly admission?: NodeAdmission;
  /** The container runtimes of the nodes. */
  readonly runtimes: ContainerRuntimes;
  /** The changes that users made inside containers. */
  readonly edits?: KeptEdits;
  /** Records what containers print and do to each other. */
  readonly timeline?: ContainerTimeline;
  /** The services of the nodes' machines. By default all run. */
  readonly machines?: NodeMachines;
  /** The faults that are injected into the nodes. */
  readonly faults?: NodeFaults | undefined;
  /** Receives bugs that ended one container and nothing else. */
  readonly report?: (error: unknown, where: string) => void;
}
