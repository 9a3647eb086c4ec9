// The pods of DaemonSets, remembered as far as the controller looks at them: a DaemonSet of many nodes would read all its pods at each change
// of one.
//
// Derived, as the remembered nodes are. Which pods there are is asked of the store's index each time, so that a pod that the controller has
// just created or deleted is never missed; what is remembered of a pod is as old as the last change that the controller has read.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";

/** Pods remembered at most; past them all are forgotten. */
const mostPods = 10_000;

/** A pod without what the controller does not look at. It must not be written. */
export type PodOutline = Pod;

export class RememberedPods {
  readonly #known = new Map<string, PodOutline>();

  /** Returns the pods that a DaemonSet controls. */
  controlledBy(client: Client, uid: string): PodOutline[] {
    return client.controlledNames(pods, uid).flatMap(({ namespace, name }) => {
      const known = this.#known.get(`${namespace}/${name}`);
      // Another pod of that name was another DaemonSet's.
      if (known?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return [known];
      const pod = client.get(pods, namespace, name);
      return pod ? [this.#remember(pod)] : [];
    });
  }

  /** Takes over a change of a pod; `next` is undefined for a deletion. */
  changed(next: Pod | undefined, previous: Pod | undefined): void {
    const pod = next ?? previous;
    const known = pod && this.#known.get(keyOf(pod));
    if (!known) return;
    if (!next) this.#known.delete(keyOf(pod));
    else if (versionOf(known) < versionOf(next)) this.#remember(next);
  }

  forget(pod: Pod): void {
    this.#known.delete(keyOf(pod));
  }

  #remember(pod: Pod): PodOutline {
    if (this.#known.size >= mostPods) this.#known.clear();
    const outline = outlineOf(pod);
    this.#known.set(keyOf(pod), outline);
    return outline;
  }
}

function outlineOf({ apiVersion, kind, metadata, spec, status }: Pod): PodOutline {
  const { managedFields: _, annotations: _annotations, ...rest } = metadata;
  const { nodeName, affinity } = spec;
  const placed = nodeName ? { nodeName } : affinity ? { affinity } : {};
  const conditions = status.conditions?.filter(({ type }) => type === "Ready");
  return {
    apiVersion,
    kind,
    metadata: rest,
    spec: { ...placed, containers: [] },
    status: { ...(status.phase ? { phase: status.phase } : {}), ...(conditions ? { conditions } : {}) },
  };
}

function keyOf({ metadata: { namespace = "", name = "" } }: Pod): string {
  return `${namespace}/${name}`;
}

function versionOf({ metadata }: Pod): number {
  return Number(metadata.resourceVersion ?? 0);
}
