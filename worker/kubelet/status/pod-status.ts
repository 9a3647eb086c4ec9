// Computes the status of a pod that its kubelet writes (upstream: the kubelet's `generateAPIPodStatus`).
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../../shared/k8s/api/core-v1.ts";
import { isTerminalPhase, ofRole, type PodLife } from "../life.ts";
import type { PodAdmitResult } from "../options.ts";
import { conditionsOf, foreignConditionsOf } from "./conditions.ts";
import { containerStatus } from "./container-status.ts";
import { phaseOf } from "./phase.ts";
import { podResources } from "./resources.ts";

export function podStatus(life: PodLife): PodStatus {
  const { metadata, spec, status } = life.pod;
  if (life.refusal) return refusedStatus(life, life.refusal);
  const phase = phaseOf(life);
  const init = ofRole(life, "init", "sidecar").map((container) => containerStatus(life, container));
  const main = ofRole(life, "main").map((container) => containerStatus(life, container));
  const ephemeral = ofRole(life, "ephemeral").map((container) => containerStatus(life, container));
  const ip = life.podIp ?? (spec.hostNetwork ? life.node.ip : undefined);
  const additionalIps =
    ip === undefined || spec.hostNetwork ? [] : life.node.runtime.podSandboxStatus(ip).additionalIps;
  const failed = life.failing && isTerminalPhase(phase) ? life.failing : undefined;
  return {
    ...status,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase,
    conditions: conditionsOf(life, phase),
    ...(failed ?? {}),
    hostIP: life.node.ip,
    hostIPs: [{ ip: life.node.ip }],
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [ip, ...additionalIps].map((podIp) => ({ ip: podIp })) }),
    startTime: status.startTime ?? rfc3339(life.startMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: main.sort(byName),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral.sort(byName) } : {}),
    ...podResources(withActualResources(life)),
  };
}

/** Returns the status of a pod that was rejected before anything of it ran. */
function refusedStatus(
  { pod: { metadata, status }, startMs }: PodLife,
  { reason, message }: PodAdmitResult,
): PodStatus {
  const conditions = foreignConditionsOf(status.conditions);
  return {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase: "Failed",
    ...(conditions.length > 0 ? { conditions } : {}),
    message: `Pod was rejected: ${message}`,
    reason,
    startTime: status.startTime ?? rfc3339(startMs),
    ...(status.qosClass === undefined ? {} : { qosClass: status.qosClass }),
  };
}

/** Returns the pod with the actual resources of its containers. */
function withActualResources({ pod, actualResources, resizing }: PodLife): Pod {
  if (actualResources.size === 0 || resizing) return pod;
  const withActual = (container: Container) => ({
    ...container,
    resources: actualResources.get(container.name) ?? container.resources,
  });
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(withActual),
      ...(initContainers ? { initContainers: initContainers.map(withActual) } : {}),
    },
  };
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
