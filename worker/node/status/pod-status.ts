// The status of a pod as its kubelet writes it (upstream: the kubelet's `generateAPIPodStatus`).
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { ContainerStatus, PodStatus } from "../../../shared/k8s/api/core-v1.ts";
import { isTerminalPhase, ofRole, type PodLife } from "../life.ts";
import { conditionsOf } from "./conditions.ts";
import { containerStatus } from "./container-status.ts";
import { phaseOf } from "./phase.ts";
import { podResources } from "./resources.ts";

export function podStatus(life: PodLife): PodStatus {
  const { metadata, spec, status } = life.pod;
  const phase = phaseOf(life);
  const init = ofRole(life, "init", "sidecar").map((one) => containerStatus(life, one));
  const main = ofRole(life, "main").map((one) => containerStatus(life, one));
  const ip = life.podIp ?? (spec.hostNetwork ? life.node.ip : undefined);
  const second = ip !== undefined && !spec.hostNetwork ? life.node.second?.(ip) : undefined;
  const failed = life.failing && isTerminalPhase(phase) ? life.failing : undefined;
  return {
    ...status,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase,
    conditions: conditionsOf(life, phase),
    ...(failed ?? {}),
    hostIP: life.node.ip,
    hostIPs: [{ ip: life.node.ip }],
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }, ...(second === undefined ? [] : [{ ip: second }])] }),
    startTime: status.startTime ?? rfc3339(life.startMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: main.sort(byName),
    ...podResources(life.pod),
  };
}

function byName(a: ContainerStatus, b: ContainerStatus): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
