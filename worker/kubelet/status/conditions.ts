// The conditions that a kubelet owns (upstream: pkg/kubelet/status/generate.go).
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { PodCondition } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, condition, isRunning, ofRole, type PodLife } from "../life.ts";

const owned = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

type Verdict = Pick<PodCondition, "status" | "reason" | "message">;

/** Returns all conditions of the pod: those of other owners unchanged, then the kubelet's. */
export function conditionsOf(life: PodLife, phase: string): PodCondition[] {
  const foreignConditions = foreignConditionsOf(life.pod.status.conditions);
  // If the pod is to fail while containers still run, its conditions already report the failure.
  const spoken = life.failing ? "Failed" : phase;
  const containers = containersReady(life, spoken);
  const verdicts: Record<string, Verdict> = {
    PodReadyToStartContainers: sandboxReady(life, phase),
    Initialized: initializedVerdict(life, spoken),
    Ready: containers.status === "True" ? gates(life) : containers,
    ContainersReady: containers,
    PodScheduled: { status: "True" },
  };
  return [
    ...foreignConditions.filter(({ type }) => life.disruption === undefined || type !== "DisruptionTarget"),
    ...disruptionTarget(life),
    ...resizeConditions(life),
    ...owned.map((type) => withTransitionTime(life, type, verdicts[type] ?? { status: "Unknown" })),
  ];
}

/** Returns the condition that marks a disruption as not the pod's own fault. */
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

/** Returns the conditions that the kubelet does not own. */
export function foreignConditionsOf(conditions: readonly PodCondition[] | undefined): PodCondition[] {
  return (conditions ?? []).filter(
    (podCondition) => !owned.includes(podCondition.type) && !resizes.includes(podCondition.type),
  );
}

const resizes = ["PodResizePending", "PodResizeInProgress"];

function resizeConditions({ pod, resizePending, resizing, atMs }: PodLife): PodCondition[] {
  const storedCondition = (type: string) => condition(pod.status.conditions, type);
  const dates = (type: string) => ({
    lastProbeTime: null,
    lastTransitionTime: storedCondition(type)?.lastTransitionTime ?? rfc3339(atMs),
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
  return [pending, progress].filter((resizeCondition) => resizeCondition !== undefined);
}

/** Dates a condition with the time when its status last changed. */
function withTransitionTime(life: PodLife, type: string, verdict: Verdict): PodCondition {
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

/** Returns the verdict on the sandbox: it exists from the first container's start until the pod's end. */
function sandboxReady(life: PodLife, phase: string): Verdict {
  const ended = life.stopped || phase === "Succeeded" || phase === "Failed";
  return { status: life.podIp !== undefined && !ended ? "True" : "False" };
}

function containersReady(life: PodLife, phase: string): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = ofRole(life, "sidecar", "main").filter((container) => !container.status.ready);
  return unready.length === 0
    ? { status: "True" }
    : refusal("ContainersNotReady", "containers with unready status", unready);
}

function gates(life: PodLife): Verdict {
  const problems = (life.pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gateCondition = condition(life.pod.status.conditions, conditionType);
    if (!gateCondition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gateCondition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gateCondition.status}`];
  });
  if (problems.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: problems.join(", ") };
}

function initializedVerdict(life: PodLife, phase: string): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  const begun = ofRole(life, "main").some(
    (container) => isRunning(container) || container.status.containerID !== undefined,
  );
  if (begun) return { status: "True" };
  const incomplete = ofRole(life, "init", "sidecar").filter(
    (container) => !(container.role === "sidecar" ? container.status.started : container.status.ready),
  );
  if (incomplete.length === 0) return { status: "True" };
  return refusal("ContainersNotInitialized", "containers with incomplete status", incomplete);
}

function refusal(reason: string, what: string, containers: readonly ContainerLife[]): Verdict {
  return {
    status: "False",
    reason,
    message: `${what}: [${containers.map((container) => container.spec.name).join(" ")}]`,
  };
}
