// The state of one scheduling attempt, with the lookups that its plugins use.
import { once } from "../../shared/base/once.ts";
import type { Namespace, Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import type { PodDisruptionBudget } from "../../shared/k8s/api/policy-v1.ts";
import type { LabelSelector } from "../../shared/k8s/api/meta-v1.ts";
import {
  type Labels,
  type Selector,
  labelSelectorAsSelector,
  selectorFromSet,
} from "../../shared/k8s/selectors/labels.ts";
import { type KubeObject, getControllerOf } from "../../shared/k8s/meta.ts";
import { namespaces } from "../kinds/core/namespace.ts";
import { podDisruptionBudgets } from "../kinds/policy/pod-disruption-budget.ts";
import { services } from "../kinds/core/service/service.ts";
import type { Client } from "../registry/client.ts";
import { devicesOf, storageOf } from "./listers.ts";
import { podInfoOf } from "./pod-info.ts";
import type { Cycle } from "./framework.ts";
import type { Snapshot } from "./snapshot.ts";

/** Creates the state. Expensive values are computed on first use. */
export function cycleOf(pod: Pod, snapshotOf: () => Snapshot, client: Client): Cycle {
  const labelsByNamespace = new Map<string, Labels>();
  const storage = once(() => storageOf(client));
  const info = once(() => podInfoOf(pod));
  const like = once(() => defaultSelector(pod, client));
  const snapshot = once(snapshotOf);
  return {
    pod,
    meter: client.meter,
    get storage() {
      return storage();
    },
    devices: devicesOf(client),
    get info() {
      return info();
    },
    get defaultSelector() {
      return like();
    },
    get snapshot() {
      return snapshot();
    },
    namespaceLabels: (name) => {
      const labels = labelsByNamespace.get(name) ?? labelsOf(client.get<Namespace>(namespaces, "", name));
      labelsByNamespace.set(name, labels);
      return labels;
    },
    podDisruptionBudgets: () => client.list<PodDisruptionBudget>(podDisruptionBudgets),
  };
}

/** Returns the default selector: the selectors of all services that select the pod, and that of its owner. */
function defaultSelector(pod: Pod, client: Client): Selector {
  const namespace = pod.metadata.namespace ?? "";
  const matchLabels: Record<string, string> = {};
  for (const { spec } of client.list<Service>(services, { namespace })) {
    if (spec.selector && selectorFromSet(spec.selector).matches(pod.metadata.labels))
      Object.assign(matchLabels, spec.selector);
  }
  const ownerRequirements = ownerSelector(pod, client);
  Object.assign(matchLabels, ownerRequirements?.matchLabels);
  return labelSelectorAsSelector({
    matchLabels,
    ...(ownerRequirements?.matchExpressions ? { matchExpressions: ownerRequirements.matchExpressions } : {}),
  });
}

/** The kinds of owners whose selectors count. */
const ownerKinds: readonly string[] = ["v1/ReplicationController", "apps/v1/ReplicaSet", "apps/v1/StatefulSet"];

function ownerSelector(pod: Pod, client: Client): LabelSelector | undefined {
  const reference = getControllerOf(pod);
  if (!reference || !ownerKinds.includes(`${reference.apiVersion}/${reference.kind}`)) return undefined;
  const kind = client.kindOf(reference.apiVersion, reference.kind);
  if (!kind) return undefined;
  // All owner kinds have the selector in the same field. A ReplicationController's is a plain set of labels.
  const owner = client.get(kind, pod.metadata.namespace ?? "", reference.name) as Selecting | undefined;
  if (!owner?.spec.selector) return undefined;
  if (reference.kind !== "ReplicationController") return owner.spec.selector;
  return { matchLabels: owner.spec.selector as Record<string, string> };
}

interface Selecting extends KubeObject {
  readonly spec: { readonly selector?: LabelSelector | Readonly<Record<string, string>> };
}

function labelsOf(object: KubeObject | undefined): Labels {
  return object?.metadata.labels ?? {};
}
