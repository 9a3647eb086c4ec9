// A resource that a node can run short of (upstream: `evictionapi.Signal` and its observations).
import type { Container, Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { formatQuantity, parseQuantity } from "../../../shared/k8s/quantity.ts";
import { aggregateContainerRequests, isSidecar } from "../../kinds/core/pod/resources.ts";
import type { Client } from "../../registry/client.ts";
import type { Pressure } from "../node-faults.ts";

const billion = 1_000_000_000n;

/** The available amount below which the node is under pressure. */
export interface Threshold {
  readonly text: string;
  readonly bytes: bigint;
}

/** The usage of a resource by a pod, in bytes. */
export interface PodUsage {
  readonly pod: Pod;
  readonly containers: readonly { readonly container: Container; readonly bytes: bigint }[];
  readonly bytes: bigint;
  readonly requestBytes: bigint;
}

export interface Observation {
  readonly threshold: Threshold;
  readonly availableBytes: bigint;
  readonly pods: readonly PodUsage[];
}

export interface Signal {
  readonly condition: Pressure;
  /** The name of the resource in messages and in requests. */
  readonly resource: "memory" | "ephemeral-storage";
  /** The field of the saved state that has the time when pressure was last observed. */
  readonly stateKey: "observedMs" | "diskObservedMs";
  /** The reason and the message of the condition, and the reason of the event. */
  readonly verdicts: Readonly<Record<"True" | "False", readonly [string, string, string]>>;
  /** Measures a node. `running`: the pods of the node that have not ended. */
  observe(node: Node, running: readonly Pod[], client: Pick<Client, "get">): Observation;
}

/** Returns the usage of a pod with its request, which the pod or its containers make. */
export function usageOf(pod: Pod, resource: Signal["resource"], containers: PodUsage["containers"]): PodUsage {
  const request = pod.spec.resources?.requests?.[resource];
  const requested = request === undefined ? aggregateContainerRequests(pod.spec).get(resource) : parseQuantity(request);
  const bytes = containers.reduce((sum, container) => sum + container.bytes, 0n);
  return { pod, containers, bytes, requestBytes: (requested?.nanos ?? 0n) / billion };
}

export function runningContainers({ spec, status }: Pod): Container[] {
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const running = new Set(
    statuses.flatMap((containerStatus) => (containerStatus.state.running ? [containerStatus.name] : [])),
  );
  const all = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  return all.filter(({ name }) => running.has(name));
}

/** Formats bytes as `41456Ki`. */
export function bytesText(bytes: bigint): string {
  return formatQuantity({ nanos: bytes * billion, format: "BinarySI" });
}
