// Which workloads of a cluster do not run, or not whole, and why: what whoever makes a sandbox with manifests waits for.
import { limits } from "../../../shared/base/limits.ts";
import type { NotReady } from "../../../shared/contract/sandbox.ts";
import type { LabelSelector } from "../../../shared/k8s/api/meta-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { coreDns } from "./core-dns.ts";
import { systemPods } from "./system/system-pods.ts";
import { daemonSets } from "../../kinds/apps/daemon-set.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import { statefulSets } from "../../kinds/apps/stateful-set.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";

interface Workload {
  readonly kind: string;
  readonly object: KubeObject;
  readonly selector?: LabelSelector;
  /** Absent: it runs as it should. */
  readonly lack?: string;
}

/** As many as an answer tells of, without what the cluster has of itself. Jobs are left out: they come to an end by themselves. */
export function notReadyIn(client: Client): NotReady[] {
  const notReady: NotReady[] = [];
  const seeds = [...coreDns(client), ...systemPods({ nodes: 1 }, client)];
  const systemKeys = new Set(seeds.map(({ kind, draft: { metadata = {} } }) => keyOf(kind.kind, metadata)));
  for (const { kind, object, selector, lack } of workloads(client)) {
    if (lack === undefined || systemKeys.has(keyOf(kind, object.metadata))) continue;
    if (notReady.length === limits.notReady) break;
    const { namespace = "", name = "" } = object.metadata;
    const reason = (selector && troubleOf(client, namespace, selector)) ?? lack;
    notReady.push({ kind, namespace, name, reason: reason.slice(0, limits.notReadyCharacters) });
  }
  return notReady;
}

function* workloads(client: Client): Generator<Workload> {
  for (const object of client.each(deployments)) {
    const { spec, status } = object;
    const done = Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0);
    yield { kind: "Deployment", object, selector: spec.selector, ...lackOf(object, status, done, spec.replicas ?? 1) };
  }
  for (const object of client.each(statefulSets)) {
    const { spec, status } = object;
    yield {
      kind: "StatefulSet",
      object,
      ...(spec.selector ? { selector: spec.selector } : {}),
      ...lackOf(object, status, status.availableReplicas, spec.replicas ?? 1),
    };
  }
  for (const object of client.each(daemonSets)) {
    const { spec, status } = object;
    yield {
      kind: "DaemonSet",
      object,
      ...(spec.selector ? { selector: spec.selector } : {}),
      ...lackOf(object, status, status.numberAvailable ?? 0, status.desiredNumberScheduled),
    };
  }
  for (const object of client.each(replicaSets)) {
    if (isControlled(object)) continue;
    const { spec, status } = object;
    const selector = spec.selector ? { selector: spec.selector } : {};
    yield {
      kind: "ReplicaSet",
      object,
      ...selector,
      ...lackOf(object, status, status.availableReplicas ?? 0, spec.replicas ?? 1),
    };
  }
  for (const object of client.each(pods)) {
    if (isControlled(object)) continue;
    const lack = podTrouble(object);
    yield { kind: "Pod", object, ...(lack === undefined ? {} : { lack }) };
  }
}

function lackOf(
  { metadata }: KubeObject,
  { observedGeneration = 0 }: { readonly observedGeneration?: number },
  available: number,
  desired: number,
): Pick<Workload, "lack"> {
  if (observedGeneration < (metadata.generation ?? 0)) return { lack: "its controller has not looked at it yet" };
  return available >= desired ? {} : { lack: `${available} of ${desired} are available` };
}

/** Returns the problem of the first selected pod that has one. */
function troubleOf(client: Client, namespace: string, selector: LabelSelector): string | undefined {
  for (const pod of client.each(pods, { namespace, labels: labelSelectorAsSelector(selector) })) {
    const trouble = podTrouble(pod);
    if (trouble !== undefined) return `pod ${pod.metadata.name}: ${trouble}`;
  }
  return undefined;
}

/** Nothing, where it is ready or has done what it was for. */
function podTrouble({ status }: Pod): string | undefined {
  if (status.phase === "Succeeded") return undefined;
  const conditions = status.conditions ?? [];
  if (conditions.some(({ type, status: is }) => type === "Ready" && is === "True")) return undefined;
  const unscheduled = conditions.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  if (unscheduled) return `${unscheduled.reason}: ${unscheduled.message}`;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const { name, state } of containers) {
    const why = state?.waiting ?? state?.terminated;
    if (why && why.reason !== "Completed")
      return `container ${name}: ${[why.reason, why.message].filter(Boolean).join(": ")}`;
  }
  return `it is ${status.phase} and not ready`;
}

function keyOf(
  kind: string,
  { namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string },
): string {
  return `${kind} ${namespace}/${name}`;
}

function isControlled({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
}
