// A cache of the DaemonSets' pods, with the fields that the controller reads. Without it, a DaemonSet on many nodes would read all its pods
// at each change of one. The set of pods comes from the store's index at each call, so pods that were just created or deleted are never
// missed. The cached fields are as old as the last change that the controller has read.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";

/** The maximum number of cached pods. */
const maxPods = 20_000;

/** A pod without the fields that the controller does not read. It must not be written. */
export type PodOutline = Pod;

export class PodCache {
  readonly #outlines = new BoundedCache<string, PodOutline>(maxPods);

  /** Returns the pods that a DaemonSet controls. */
  controlledBy(client: Client, uid: string): PodOutline[] {
    return client.controlledNames(pods, uid).flatMap(({ namespace, name }) => {
      const outline = this.#outlines.get(`${namespace}/${name}`);
      // The cached pod may be an earlier one with the same name, of another DaemonSet.
      if (outline?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return [outline];
      const pod = client.get(pods, namespace, name);
      return pod ? [this.#remember(pod)] : [];
    });
  }

  /** Applies a change of a pod. `next` is undefined for a deletion. */
  applyChange(next: Pod | undefined, previous: Pod | undefined): void {
    const pod = next ?? previous;
    const outline = pod && this.#outlines.get(keyOf(pod));
    if (!outline) return;
    if (!next) this.#outlines.delete(keyOf(pod));
    else if (versionOf(outline) < versionOf(next)) this.#remember(next);
  }

  forget(pod: Pod): void {
    this.#outlines.delete(keyOf(pod));
  }

  #remember(pod: Pod): PodOutline {
    const outline = outlineOf(pod);
    this.#outlines.set(keyOf(pod), outline);
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
