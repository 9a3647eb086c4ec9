// The conditions that a kubelet owns (upstream: pkg/kubelet/status/generate.go).
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, condition, isRunning, ofRole, type PodLife } from "../life.ts";

const owned = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

/** All conditions of the pod: others' as they are, then the kubelet's own. */
export function conditionsOf(life: PodLife, phase: string): PodCondition[] {
  const others = othersOf(life.pod.status.conditions);
  // While a pod that is to fail still has running containers, its conditions speak already of the failure.
  const spoken = life.failing ? "Failed" : phase;
  const containers = containersReady(life, spoken);
  const verdicts: Record<string, Verdict> = {
    PodReadyToStartContainers: sandboxReady(life, phase),
    Initialized: initialized(life, spoken),
    Ready: containers.status === "True" ? gates(life) : containers,
    ContainersReady: containers,
    PodScheduled: { status: "True" },
  };
  return [
    ...others.filter(({ type }) => life.disruption === undefined || type !== "DisruptionTarget"),
    ...disruptionTarget(life),
    ...resizeConditions(life),
    ...owned.map((type) => dated(life, type, verdicts[type] ?? { status: "Unknown" })),
  ];
}

/** What says that it was not the pod's own doing. */
function disruptionTarget({ pod, disruption, atMs }: PodLife): PodCondition[] {
  if (disruption === undefined) return [];
  const { generation } = pod.metadata;
  return [
    {
      type: "DisruptionTarget",
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(atMs),
      reason: "TerminationByKubelet",
      message: disruption,
    },
  ];
}

/** The conditions that others set. */
export function othersOf(conditions: readonly PodCondition[] | undefined): PodCondition[] {
  return (conditions ?? []).filter((one) => !owned.includes(one.type) && !resizes.includes(one.type));
}

const resizes = ["PodResizePending", "PodResizeInProgress"];

function resizeConditions({ pod, resizePending, resizing, atMs }: PodLife): PodCondition[] {
  const stored = (type: string) => condition(pod.status.conditions, type);
  const dates = (type: string) => ({
    lastProbeTime: null,
    lastTransitionTime: stored(type)?.lastTransitionTime ?? rfc3339(atMs),
  });
  const pending = resizePending && {
    type: "PodResizePending",
    observedGeneration: resizePending.generation,
    status: "True",
    ...dates("PodResizePending"),
    reason: resizePending.reason,
    message: resizePending.message,
  };
  const progress = resizing && {
    type: "PodResizeInProgress",
    observedGeneration: resizing.generation,
    status: "True",
    ...dates("PodResizeInProgress"),
  };
  return [pending, progress].filter((one) => one !== undefined);
}

/** The time of a condition is the time when its status last changed. */
function dated(life: PodLife, type: string, verdict: Verdict): PodCondition {
  const stored = condition(life.pod.status.conditions, type);
  const { generation } = life.pod.metadata;
  return {
    type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...verdict,
    lastProbeTime: null,
    lastTransitionTime:
      stored?.status === verdict.status && stored.lastTransitionTime ? stored.lastTransitionTime : rfc3339(life.atMs),
  };
}

/** The sandbox is there from the first container's start until the pod's end. */
function sandboxReady(life: PodLife, phase: string): Verdict {
  const ended = life.stopped || phase === "Succeeded" || phase === "Failed";
  return { status: life.podIp !== undefined && !ended ? "True" : "False" };
}

function containersReady(life: PodLife, phase: string): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = ofRole(life, "sidecar", "main").filter((one) => !one.status.ready);
  return unready.length === 0
    ? { status: "True" }
    : refusal("ContainersNotReady", "containers with unready status", unready);
}

function gates(life: PodLife): Verdict {
  const problems = (life.pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = condition(life.pod.status.conditions, conditionType);
    if (!found) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (found.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (problems.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: problems.join(", ") };
}

function initialized(life: PodLife, phase: string): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const begun = ofRole(life, "main").some((one) => isRunning(one) || one.status.containerID !== undefined);
  if (begun) return { status: "True" };
  const incomplete = ofRole(life, "init", "sidecar").filter(
    (one) => !(one.role === "sidecar" ? one.status.started : one.status.ready),
  );
  if (incomplete.length === 0) return { status: "True" };
  return refusal("ContainersNotInitialized", "containers with incomplete status", incomplete);
}

function refusal(reason: string, what: string, containers: readonly ContainerLife[]): Verdict {
  return { status: "False", reason, message: `${what}: [${containers.map((one) => one.spec.name).join(" ")}]` };
}
