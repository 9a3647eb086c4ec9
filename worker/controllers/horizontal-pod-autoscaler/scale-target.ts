// The target of an autoscaler: resolved from its reference, read and written through `/scale`.
import type { HorizontalPodAutoscaler } from "../../../shared/k8s/api/autoscaling-v2.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import type { Failure } from "./requests.ts";

export interface ScaleTarget {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
  withReplicas(replicas: number): KubeObject;
}

/** Returns the target, or why it cannot be scaled. */
export function scaleTarget(client: Client, { metadata, spec }: HorizontalPodAutoscaler): ScaleTarget | Failure {
  const { apiVersion = "", kind: kindName, name } = spec.scaleTargetRef;
  const segments = apiVersion.split("/");
  if (segments.length > 2) return { failure: `unexpected GroupVersion string: ${apiVersion}` };
  const group = segments.length === 2 ? (segments[0] ?? "") : "";
  const kind = client.kinds().find((candidate) => candidate.group === group && candidate.kind === kindName);
  if (!kind) return { failure: `no matches for kind ${JSON.stringify(kindName)} in group ${JSON.stringify(group)}` };
  const { scale } = kind;
  if (!scale) return { failure: "the server could not find the requested resource" };
  const object = client.get(kind, kind.namespaced ? (metadata.namespace ?? "") : "", name);
  if (!object) {
    const resource = `${kind.plural}/scale${kind.group ? `.${kind.group}` : ""}`;
    return { failure: `${resource} ${JSON.stringify(name)} not found` };
  }
  return {
    kind,
    object,
    replicas: scale.specReplicas(object),
    statusReplicas: scale.statusReplicas(object),
    selector: scale.selector(object),
    withReplicas: (replicas) => scale.withReplicas(object, replicas),
  };
}

/** Reports whether an autoscaler has this object as its target. */
export function isTargetOf({ spec }: HorizontalPodAutoscaler, kind: Kind, { metadata }: KubeObject): boolean {
  const { apiVersion = "", kind: kindName, name } = spec.scaleTargetRef;
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return name === metadata.name && kindName === kind.kind && group === kind.group;
}
