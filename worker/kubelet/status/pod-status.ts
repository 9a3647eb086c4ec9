// The status of a pod as its kubelet writes it (upstream: the kubelet's `generateAPIPodStatus`).
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../../shared/k8s/api/core-v1.ts";
import { isTerminalPhase, ofRole, type PodLife } from "../life.ts";
import type { PodAdmitResult } from "../options.ts";
import { conditionsOf, othersOf } from "./conditions.ts";
import { containerStatus } from "./container-status.ts";
import { phaseOf } from "./phase.ts";
import { podResources } from "./resources.ts";

export function podStatus(life: PodLife): PodStatus {
  const { metadata, spec, status } = life.pod;
  if (life.refusal) return refusedStatus(life, life.refusal);
  const phase = phaseOf(life);
  const init = ofRole(life, "init", "sidecar").map((one) => containerStatus(life, one));
  const main = ofRole(life, "main").map((one) => containerStatus(life, one));
  const ephemeral = ofRole(life, "ephemeral").map((one) => containerStatus(life, one));
  const ip = life.podIp ?? (spec.hostNetwork ? life.node.ip : undefined);
  const others = ip === undefined || spec.hostNetwork ? [] : life.node.runtime.podSandboxStatus(ip).additionalIps;
  const failed = life.failing && isTerminalPhase(phase) ? life.failing : undefined;
  return {
    ...status,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase,
    conditions: conditionsOf(life, phase),
    ...(failed ?? {}),
    hostIP: life.node.ip,
    hostIPs: [{ ip: life.node.ip }],
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [ip, ...others].map((one) => ({ ip: one })) }),
    startTime: status.startTime ?? rfc3339(life.startMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: main.sort(byName),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral.sort(byName) } : {}),
    ...podResources(givenPod(life)),
  };
}

/** Nothing of the pod was ever run. */
function refusedStatus(
  { pod: { metadata, status }, startMs }: PodLife,
  { reason, message }: PodAdmitResult,
): PodStatus {
  const conditions = othersOf(status.conditions);
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

/** The pod with the resources that it was given. */
function givenPod({ pod, held, resizing }: PodLife): Pod {
  if (held.size === 0 || resizing) return pod;
  const given = (one: Container) => ({ ...one, resources: held.get(one.name) ?? one.resources });
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(given),
      ...(initContainers ? { initContainers: initContainers.map(given) } : {}),
    },
  };
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
