// Computes the expected number of pods of a budget, and the number that must be healthy (upstream: `getExpectedPodCount`).
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { PodDisruptionBudget } from "../../../shared/k8s/api/policy-v1.ts";
import { getScaledValueFromIntOrPercent } from "../../../shared/k8s/intstr.ts";
import { type KubeObject, getControllerOf } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";

export interface Expected {
  readonly pods: number;
  readonly healthy: number;
  /** Whether some pods have no controller, so that the expected number is unknown. */
  readonly hasUnmanaged: boolean;
}

export function expectedOf(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  client: Client,
): Expected | { readonly error: string } {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable === undefined && typeof minAvailable === "number") {
    return { pods: pods.length, healthy: minAvailable, hasUnmanaged: false };
  }
  const share = maxUnavailable ?? minAvailable;
  if (share === undefined) return { pods: 0, healthy: 0, hasUnmanaged: false };
  const scale = expectedScale(pods, client);
  if ("error" in scale) return scale;
  const amount = getScaledValueFromIntOrPercent(share, scale.pods, true);
  return { ...scale, healthy: maxUnavailable === undefined ? amount : Math.max(0, scale.pods - amount) };
}

type Scale = Omit<Expected, "healthy">;

/** Sums the desired scales of the pods' controllers, each counted once. */
function expectedScale(pods: readonly Pod[], client: Client): Scale | { readonly error: string } {
  const replicasByUid = new Map<string, number>();
  const checkedUids = new Set<string>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const reference = getControllerOf(pod);
    if (!reference) hasUnmanaged = true;
    if (!reference || checkedUids.has(reference.uid)) continue;
    checkedUids.add(reference.uid);
    const scale = scaleOf(pod.metadata.namespace ?? "", reference, client);
    if (typeof scale === "string") return { error: scale };
    if (!scale) return { error: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` };
    replicasByUid.set(scale.uid, scale.replicas);
  }
  return { pods: [...replicasByUid.values()].reduce((sum, replicas) => sum + replicas, 0), hasUnmanaged };
}

interface Found {
  readonly uid: string;
  readonly replicas: number;
}

/** Returns the scale of a controller, or of its Deployment. Undefined if it does not exist; an error text if its kind has no scale. */
function scaleOf(namespace: string, reference: OwnerReference, client: Client): Found | string | undefined {
  const { apiVersion, kind: kindName, name, uid } = reference;
  const kind = client.kindOf(apiVersion, kindName);
  if (!kind) return `no matches for kind ${JSON.stringify(kindName)} in version ${JSON.stringify(apiVersion)}`;
  const object = client.get(kind, kind.namespaced ? namespace : "", name);
  if (!kind.scale) return `${kind.resource} does not implement the scale subresource`;
  if (object?.metadata.uid !== uid) return undefined;
  const above = kindName === "ReplicaSet" ? getControllerOf(object) : undefined;
  if (above?.kind === "Deployment") return scaleOf(namespace, above, client);
  return scaleOfObject(kind, object);
}

function scaleOfObject(kind: Kind, object: KubeObject): Found {
  return { uid: object.metadata.uid ?? "", replicas: kind.scale?.specReplicas(object) ?? 0 };
}
