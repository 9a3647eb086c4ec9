// Computes the last sample that a metrics server would have of the pods on simulated nodes.
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { NodeMeasurement } from "./node-measurement.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { daemonSets } from "../apps/daemon-set.ts";
import { jobs } from "../batch/job/job.ts";
import type { Kind, Reads } from "../kind.ts";
import { nodes } from "../core/node/node.ts";
import { isSimulated } from "../core/node/simulated.ts";
import { isSidecar } from "../core/pod/resources.ts";
import { pods } from "../core/pod/pod.ts";
import { services } from "../core/service/service.ts";
import { replicaSets } from "../apps/replica-set.ts";
import { replicationControllers } from "../core/replication-controller.ts";
import { statefulSets } from "../apps/stateful-set.ts";
import { requestedServices, servedNanos } from "./load.ts";
import { type Controlling, usageNanos } from "./usage.ts";

/** The scrape interval, which is also the window of a measurement. */
export const scrapeMs = 15_000;
/** The minimum run time of a container before it is measured. */
const settledMs = 10_000;

export const controllerKinds: readonly Kind[] = [replicaSets, statefulSets, daemonSets, jobs, replicationControllers];

export interface Sample {
  readonly pod: Pod;
  readonly containers: readonly { readonly name: string; readonly cpu: bigint; readonly memory: bigint }[];
  /** The time of the measurement of a machine. Undefined: the last scrape. */
  readonly atMs?: number;
}

/** Returns the time of the last scrape. */
export function sampledMs(nowMs: number): number {
  return nowMs - (nowMs % scrapeMs);
}

export function samples(reads: Reads, namespace?: string): Sample[] {
  const all = [...reads.list(pods, namespace)];
  const isMeasured = measuredNodes(reads);
  const controlling = controllingOf(reads, all);
  const atMs = sampledMs(reads.nowMs);
  return all.flatMap((pod) => {
    const onMachine = reads.measured?.(pod.spec.nodeName ?? "");
    if (onMachine) return machineSamples(pod, onMachine);
    const running = isMeasured(pod.spec.nodeName) ? runningContainers(pod, atMs) : undefined;
    if (!running?.length) return [];
    const by = controlling(pod);
    const containers = running.map((container) => ({
      name: container.name,
      cpu: usageNanos(pod, container, by, "cpu"),
      memory: usageNanos(pod, container, by, "memory"),
    }));
    return [{ pod, containers }];
  });
}

/** Returns the sample of a pod on a machine, if its kubelet has measured it. */
function machineSamples(pod: Pod, { pods: byUid, atMs }: NodeMeasurement): Sample[] {
  const containers = byUid.get(pod.metadata.uid ?? "") ?? [];
  return containers.length > 0 ? [{ pod, containers, atMs }] : [];
}

/** Returns the containers of a pod if all of them run; otherwise undefined, and the pod has no sample. */
function runningContainers({ spec, status }: Pod, atMs: number): Container[] | undefined {
  if (status.phase !== "Running") return undefined;
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const requiredContainers = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  const settled = requiredContainers.filter(({ name }) => {
    const startedAt = statuses.find((containerStatus) => containerStatus.name === name)?.state.running?.startedAt;
    return startedAt && parseTime(startedAt) + settledMs <= atMs;
  });
  return settled.length === requiredContainers.length ? settled : undefined;
}

function measuredNodes(reads: Reads): (name: string | undefined) => boolean {
  const cache = new Map<string, boolean>();
  return (name = "") => {
    const before = cache.get(name);
    if (before !== undefined) return before;
    const node = name ? reads.get(nodes, "", name) : undefined;
    const measured = node !== undefined && isSimulated(node);
    cache.set(name, measured);
    return measured;
  };
}

function controllingOf(reads: Reads, all: readonly Pod[]): (pod: Pod) => Controlling | undefined {
  const ready = new Map<string, number>();
  for (const pod of all) {
    const uid = ownerOf(pod)?.uid ?? "";
    if (isReady(pod)) ready.set(uid, (ready.get(uid) ?? 0) + 1);
  }
  const cache = new Map<string, KubeObject | undefined>();
  const loops = all.flatMap((pod) => requestedServices(pod));
  const served = loops.length === 0 ? [] : [...reads.list(services)];
  return (pod) => {
    const owner = ownerOf(pod);
    if (!owner) return undefined;
    if (!cache.has(owner.uid)) {
      const kind = controllerKinds.find(
        (controllerKind) => controllerKind.kind === owner.kind && controllerKind.apiVersion === owner.apiVersion,
      );
      cache.set(owner.uid, kind && reads.get(kind, pod.metadata.namespace ?? "", owner.name));
    }
    const object = cache.get(owner.uid);
    const load = servedNanos(pod, loops, served);
    return object && { object, readyPods: ready.get(owner.uid) ?? 0, servedNanos: load };
  };
}

/** Returns the controller of a pod, whose annotations may set the memory usage. */
export function controllerOf(pod: Pod, reads: Pick<Reads, "get">): Controlling | undefined {
  const owner = ownerOf(pod);
  const kind =
    owner &&
    controllerKinds.find(
      (controllerKind) => controllerKind.kind === owner.kind && controllerKind.apiVersion === owner.apiVersion,
    );
  const object = kind && reads.get(kind, pod.metadata.namespace ?? "", owner.name);
  return object && { object, readyPods: 0 };
}

function ownerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp) return false;
  return status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false;
}
