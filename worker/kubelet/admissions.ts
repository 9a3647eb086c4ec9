// The pods that each node has admitted. They are read once, then updated with each change, so that a new pod does not cost a scan of its node.
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../runtime/controller.ts";
import { isTerminalPhase } from "./life.ts";
import type { AdmittedPods, NodeAdmission, PodAdmitResult } from "./options.ts";

type Client = ReconcileContext["client"];

export class Admissions {
  readonly #admission: NodeAdmission | undefined;
  readonly #byNode = new Map<string, AdmittedPods>();

  constructor(admission: NodeAdmission | undefined) {
    this.#admission = admission;
  }

  /** Applies a change of a pod. */
  follow(pod: Pod, isDeleted = false): void {
    const admittedPods = this.#byNode.get(pod.spec.nodeName ?? "");
    if (!admittedPods) return;
    if (isDeleted || !isAdmitted(pod)) admittedPods.delete(pod);
    else admittedPods.set(pod);
  }

  forgetNode(name: string): void {
    this.#byNode.delete(name);
  }

  /** Returns the checks of a pod by its node. */
  checksOf(pod: Pod, node: Node, client: Client) {
    const admission = this.#admission;
    if (!admission) return {};
    return {
      refuses: () => this.#check(node, client, (admittedPods) => admission.admit(pod, node, admittedPods)),
      refusesResize: () => this.#check(node, client, (admittedPods) => admission.admitResize(pod, node, admittedPods)),
    };
  }

  #check(
    node: Node,
    client: Client,
    check: (admittedPods: AdmittedPods) => PodAdmitResult | undefined,
  ): PodAdmitResult | undefined {
    const name = node.metadata.name ?? "";
    const admittedPods = this.#byNode.get(name);
    if (admittedPods && !check(admittedPods)) return undefined;
    // A pod may have left the node by a change that was not read yet, so a refusal is decided by the stored pods.
    return check(this.#read(name, client));
  }

  #read(node: string, client: Client): AdmittedPods {
    const admittedPods = this.#admission?.newPods() ?? { set: () => undefined, delete: () => undefined };
    for (const pod of client.byIndexValue(pods, node)) if (isAdmitted(pod)) admittedPods.set(pod);
    this.#byNode.set(node, admittedPods);
    return admittedPods;
  }
}

function isAdmitted({ status }: Pod): boolean {
  return status.startTime !== undefined && !isTerminalPhase(status.phase);
}
