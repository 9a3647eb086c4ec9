// How many pods a budget counts on, and how many of them must be healthy (upstream: `getExpectedPodCount`).
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
  /** Some pods have no controller, so that nobody knows how many there should be. */
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

/** The sum of what the pods' controllers want, each counted once. */
function expectedScale(pods: readonly Pod[], client: Client): Scale | { readonly error: string } {
  const wanted = new Map<string, number>();
  const seen = new Set<string>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const reference = getControllerOf(pod);
    if (!reference) hasUnmanaged = true;
    if (!reference || seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const found = scaleOf(pod.metadata.namespace ?? "", reference, client);
    if (typeof found === "string") return { error: found };
    if (!found) return { error: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` };
    wanted.set(found.uid, found.replicas);
  }
  return { pods: [...wanted.values()].reduce((sum, one) => sum + one, 0), hasUnmanaged };
}

interface Found {
  readonly uid: string;
  readonly replicas: number;
}

/** The scale of the controller, or of the Deployment above it; nothing where it is gone; in words what is wrong with its kind. */
function scaleOf(namespace: string, reference: OwnerReference, client: Client): Found | string | undefined {
  const { apiVersion, kind: kindName, name, uid } = reference;
  const kind = client.kindOf(apiVersion, kindName);
  if (!kind) return `no matches for kind ${JSON.stringify(kindName)} in version ${JSON.stringify(apiVersion)}`;
  const object = client.get(kind, kind.namespaced ? namespace : "", name);
  if (!kind.scale) return `${kind.resource} does not implement the scale subresource`;
  if (object?.metadata.uid !== uid) return undefined;
  const above = kindName === "ReplicaSet" ? getControllerOf(object) : undefined;
  if (above?.kind === "Deployment") return scaleOf(namespace, above, client);
  return found(kind, object);
}

function found(kind: Kind, object: KubeObject): Found {
  return { uid: object.metadata.uid ?? "", replicas: kind.scale?.specReplicas(object) ?? 0 };
}
