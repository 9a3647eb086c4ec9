// A pod's life as the simulated kubelet sees it. All of it is computed from the stored pod, so nothing is lost between two syncs.
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { parseTime, rfc3339 } from "../../shared/k8s/time.ts";
import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodCondition,
  ResourceRequirements,
} from "../../shared/k8s/api/core-v1.ts";
import type { Lookup } from "./config/references.ts";
import type {
  ContainerRun,
  ContainerStatus as RuntimeStatus,
  Effect,
  NodeServices,
  RunPodSandboxResponse,
  StopContainerResponse,
} from "../containers/cri.ts";
import { type Delays, delayOf } from "../machine/delays.ts";
import type { Kill, NodeFaults, PullFault } from "./node-faults.ts";
import type { PodAdmitResult } from "./options.ts";
import type { Answer, HookAnswer } from "./prober/prober.ts";
import type { ProbeHistories } from "./stages/probe-result.ts";
import type { SyncPart } from "./stages/sync-part.ts";

/** An `init` container runs to its end before the next starts; a `sidecar` is an init container that keeps running; `ephemeral` is for debugging. */
export type Role = "init" | "sidecar" | "main" | "ephemeral";

/** A container: its spec, and the status that the stages change. */
export interface ContainerLife {
  readonly spec: Container;
  readonly role: Role;
  status: ContainerStatus;
}

export interface LifeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The container that the event is about. */
  readonly container?: ContainerLife;
}

/** The node as a pod's life needs it, with its runtime and its images. */
export interface NodeView extends NodeServices {
  readonly name: string;
  readonly ip: string;
  /** The minor version of the kubelet. Undefined: unknown, so it acts as the newest. */
  readonly kubeletMinor?: number | undefined;
  readonly lookup: Lookup;
  /** Returns why the node rejects the pod, or why it has no room for the resources that the pod requests now. */
  refuses?(): PodAdmitResult | undefined;
  refusesResize?(): PodAdmitResult | undefined;
  /** Charges the work of computing the pod's next moves. */
  account(work: number): void;
  /** The reason why the node evicts the pod now. */
  readonly evicted?: string;
  /** The containers that the kernel ends now. */
  readonly killed?: Kill;
  /** The injected faults. Undefined if there are none. */
  readonly faults?: NodeFaults;
  /** The part of a sync that this turn runs. Undefined if the sync runs in one turn. */
  readonly syncPart?: SyncPart;
}

/** The end of a container that is stopped. */
export interface Stop {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  /** The preStop hook failed. */
  readonly hookFailed: boolean;
  readonly effects: readonly Effect[];
}

/** The end of a deleted pod's only container, which one sync computes and the next one writes. Held only in memory. */
export interface StopPlan {
  /** The time when the kubelet saw the deletion. */
  fromMs: number | undefined;
  /** The computed end, and the container, time and grace period for which it holds. */
  end?: { readonly key: string; readonly stop: Stop };
}

/** The results that a sync of a pod has computed so far. */
export interface SyncWork {
  /** The runs of containers, by the parameters of the query. */
  readonly runs: Map<string, RuntimeStatus>;
  /** Runs that send requests to other pods, by container and start. */
  readonly visitors: Map<string, ContainerRun>;
  /** The ends of containers that receive SIGTERM. */
  readonly stops: Map<string, StopContainerResponse>;
  stopPlan: StopPlan;
  /** Runs of containers, computed as if each were alone in the pod. */
  readonly alone: Map<string, RuntimeStatus>;
  /** Answers to commands of probes. */
  readonly probeAnswers: Map<string, Answer>;
  /** Answers of hooks. */
  readonly hooks: Map<string, HookAnswer>;
  /** The reasons why programs cannot be started, by container. */
  readonly startProblems: Map<string, { readonly problem: string | undefined }>;
  /** The objects whose changes can change the results of probes. */
  readonly probesWaitFor: Set<string>;
  /** The sandbox that the pod was given. */
  sandbox: RunPodSandboxResponse | undefined;
}

export function newSyncWork(): SyncWork {
  return {
    runs: new Map(),
    visitors: new Map(),
    stops: new Map(),
    stopPlan: { fromMs: undefined },
    alone: new Map(),
    probeAnswers: new Map(),
    hooks: new Map(),
    startProblems: new Map(),
    probesWaitFor: new Set(),
    sandbox: undefined,
  };
}

export interface PodLife extends SyncWork {
  readonly pod: Pod;
  readonly node: NodeView;
  readonly delays: Delays;
  readonly containers: readonly ContainerLife[];
  readonly events: LifeEvent[];
  /** The time of the last move, with which the status is dated. */
  atMs: number;
  /** The time when the kubelet accepted the pod; NaN before. */
  startMs: number;
  podIp: string | undefined;
  /** Set if the pod must fail whatever the states of its containers (a deadline passed, for example). */
  failing: { readonly reason: string; readonly message: string } | undefined;
  /** The reason why the node evicted the pod for the sake of others. */
  disruption: string | undefined;
  /** Set if the node rejected the pod. */
  refusal: PodAdmitResult | undefined;
  /** The resources that running containers have until their resize completes. */
  readonly actualResources: Map<string, ResourceRequirements>;
  /** The resize in progress; the resize that the node deferred. */
  resizing: { readonly sinceMs: number; readonly generation: number } | undefined;
  resizePending: (PodAdmitResult & { readonly generation: number }) | undefined;
  /** Whether the kubelet has seen the pod's present generation. */
  observed: boolean;
  /** The time when the kubelet saw the pod's deletion, if that was in this sync. */
  askedMs: number | undefined;
  /** Whether this sync has ended the containers that the kernel kills. */
  isKilled: boolean;
  /** The faults of pulls that happened in this sync. */
  readonly pullFaults: PullFault[];
  /** Whether all containers were stopped for good. */
  stopped: boolean;
  /** No container can be started before this time. */
  blockedUntilMs: number;
  changed: boolean;
  /** The time of this sync. */
  readonly nowMs: number;
  /** Events up to this time were recorded by the previous sync. */
  readonly sinceMs: number;
  /** The time of the last event recorded since, by its subject. */
  readonly recordedMs: Map<string, number>;
  /** The effects of hooks on containers of this pod and of others. */
  readonly effects: Effect[];
  /** The number of moves that were made. */
  moves: number;
  readonly probeHistories: ProbeHistories;
}

/** Reads the life of a pod. `work`: the results of earlier parts of the same sync. */
export function lifeOf(
  pod: Pod,
  node: NodeView,
  delays: Delays,
  nowMs: number,
  sinceMs: number,
  work: SyncWork = newSyncWork(),
): PodLife {
  const { spec, status } = pod;
  const initial = spec.initContainers?.length ? "PodInitializing" : "ContainerCreating";
  const init = (spec.initContainers ?? []).map((container): ContainerLife => {
    const role = container.restartPolicy === "Always" ? "sidecar" : "init";
    return { spec: container, role, status: statusOf(container, status.initContainerStatuses, initial) };
  });
  const main = spec.containers.map((container): ContainerLife => {
    return { spec: container, role: "main", status: statusOf(container, status.containerStatuses, initial) };
  });
  const ephemeral = (spec.ephemeralContainers ?? []).map((container): ContainerLife => {
    return {
      spec: container,
      role: "ephemeral",
      status: statusOf(container, status.ephemeralContainerStatuses, "ContainerCreating"),
    };
  });
  return {
    ...work,
    pod,
    node,
    delays,
    containers: [...init, ...main, ...ephemeral],
    events: [],
    atMs: Number.NaN,
    startMs: status.startTime ? parseTime(status.startTime) : Number.NaN,
    podIp: status.podIP,
    failing: failingOf(pod),
    disruption: undefined,
    refusal: undefined,
    actualResources: actualResourcesOf([...init, ...main]),
    resizing: resizingOf(pod),
    resizePending: pendingOf(pod),
    observed: (status.observedGeneration ?? 0) === (pod.metadata.generation ?? 0),
    askedMs: undefined,
    isKilled: false,
    pullFaults: [],
    stopped: false,
    blockedUntilMs: 0,
    changed: false,
    nowMs,
    sinceMs,
    recordedMs: new Map(),
    effects: [],
    moves: 0,
    probeHistories: { byProbe: new Map(), running: undefined },
  };
}

/** Returns the actual resources of the running containers whose spec requests different ones. */
function actualResourcesOf(containers: readonly ContainerLife[]): Map<string, ResourceRequirements> {
  const resources = new Map<string, ResourceRequirements>();
  for (const { spec, status, role } of containers) {
    if (role === "init" || !status.state.running || !status.resources) continue;
    if (!semanticEqual(status.resources, spec.resources)) resources.set(spec.name, status.resources);
  }
  return resources;
}

function resizingOf({ status }: Pod): PodLife["resizing"] {
  const progress = condition(status.conditions, "PodResizeInProgress");
  return progress && { sinceMs: timeMs(progress.lastTransitionTime), generation: progress.observedGeneration ?? 0 };
}

function pendingOf({ status }: Pod): PodLife["resizePending"] {
  const pending = condition(status.conditions, "PodResizePending");
  return (
    pending && {
      reason: pending.reason ?? "",
      message: pending.message ?? "",
      generation: pending.observedGeneration ?? 0,
    }
  );
}

/** Detects a deadline that passed while containers still run: Ready is false because the pod failed, though the phase is not Failed. */
function failingOf({ status }: Pod): PodLife["failing"] {
  if (isTerminalPhase(status.phase)) return undefined;
  return condition(status.conditions, "Ready")?.reason === "PodFailed" ? deadlineExceeded : undefined;
}

export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
} as const;

function statusOf(spec: Container, stored: readonly ContainerStatus[] | undefined, initial: string): ContainerStatus {
  const storedStatus = stored?.find((container) => container.name === spec.name);
  if (storedStatus) return storedStatus;
  const waiting = {
    state: { waiting: { reason: initial } },
    lastState: {},
    ready: false,
    restartCount: 0,
    started: false,
  };
  return { name: spec.name, image: spec.image ?? "", imageID: "", ...waiting };
}

export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

export function condition(conditions: readonly PodCondition[] | undefined, type: string): PodCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isBeingStopped(life: PodLife): boolean {
  return life.pod.metadata.deletionTimestamp !== undefined || life.failing !== undefined;
}

export function isRunning(container: ContainerLife): boolean {
  return container.status.state.running !== undefined;
}

/** Reports whether the container was ever started. */
export function hasRun({ status }: ContainerLife): boolean {
  return status.state.running !== undefined || lastEnd(status) !== undefined;
}

/** Returns the number of starts before the next one. */
export function attemptOf(container: ContainerLife): number {
  return hasRun(container) ? container.status.restartCount + 1 : container.status.restartCount;
}

/** Returns the latest end of a container, whether its state shows it or a wait for the next start. */
export function lastEnd(status: ContainerStatus): ContainerStateTerminated | undefined {
  return status.state.running ? undefined : (status.state.terminated ?? status.lastState.terminated);
}

export function ofRole(life: PodLife, ...roles: Role[]): ContainerLife[] {
  return life.containers.filter((container) => roles.includes(container.role));
}

/** Parses a stored time into milliseconds; 0 if it is unset. */
export function timeMs(time: string | null | undefined): number {
  return time ? parseTime(time) : 0;
}

/** Returns a delay of this pod. It depends only on the pod's uid, so it is the same after the object wakes. */
export function delay(life: PodLife, ms: number, what: string): number {
  return delayOf(life.delays, life.pod, ms, what);
}

export function recordEvent(
  life: PodLife,
  type: LifeEvent["type"],
  reason: string,
  message: string,
  container?: ContainerLife,
): void {
  life.events.push({ type, reason, message, ...(container ? { container } : {}) });
}

/** Ends a container: `startedAt` is kept, and the container is no longer ready. */
export function end(
  container: ContainerLife,
  atMs: number,
  how: { readonly exitCode: number; readonly reason: string; readonly message?: string | undefined },
): void {
  const { status } = container;
  const succeededInit = container.role === "init" && how.exitCode === 0;
  const terminated: ContainerStateTerminated = {
    exitCode: how.exitCode,
    reason: how.reason,
    ...(how.message ? { message: how.message } : {}),
    startedAt: status.state.running?.startedAt ?? null,
    finishedAt: rfc3339(Math.max(atMs, timeMs(status.state.running?.startedAt))),
    ...(status.containerID ? { containerID: status.containerID } : {}),
  };
  container.status = { ...status, state: { terminated }, ready: succeededInit, started: false };
}
