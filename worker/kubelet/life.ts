// A pod's life as the simulated kubelet sees it: all of it is read from the stored pod, so that nothing is lost in between.
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
import type { PodAdmitResult } from "./options.ts";
import type { Answer, HookAnswer } from "./prober/ask.ts";
import type { Courses } from "./stages/course.ts";
import type { LookPart } from "./stages/look-part.ts";

/** `init` runs to its end before the next; a `sidecar` is an init container that keeps running; `ephemeral` is for debugging. */
export type Role = "init" | "sidecar" | "main" | "ephemeral";

/** One container: its spec, and the status that the stages change. */
export interface ContainerLife {
  readonly spec: Container;
  readonly role: Role;
  status: ContainerStatus;
}

export interface LifeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The container it is about. */
  readonly container?: ContainerLife;
}

/** What a pod's life needs of its node: its runtime and its images among it. */
export interface NodeView extends NodeServices {
  readonly name: string;
  readonly ip: string;
  readonly lookup: Lookup;
  /** Why it does not take the pod; why it has no room for the resources that the pod asks for now. */
  refuses?(): PodAdmitResult | undefined;
  refusesResize?(): PodAdmitResult | undefined;
  /** Accounts the work of finding the pod's next moves. */
  account(work: number): void;
  /** Why it gives the pod up now. */
  readonly evicted?: string;
  /** The part of a look in which the turn is; absent where a look is made in one go. */
  readonly part?: LookPart;
}

/** The results that a sync of a pod has computed so far. */
export interface LookWork {
  /** The runs of containers by what was asked about them. */
  readonly runs: Map<string, RuntimeStatus>;
  /** Runs that ask others of the cluster, by container and start. */
  readonly visitors: Map<string, ContainerRun>;
  /** How containers end if they are asked to. */
  readonly stops: Map<string, StopContainerResponse>;
  /** Runs of containers as if each were alone. */
  readonly alone: Map<string, RuntimeStatus>;
  /** Answers to commands of probes. */
  readonly asked: Map<string, Answer>;
  /** Answers of hooks. */
  readonly hooks: Map<string, HookAnswer>;
  /** Why programs cannot be started, by container. */
  readonly startProblems: Map<string, { readonly problem: string | undefined }>;
  /** The objects whose changes can change the results of probes. */
  readonly probesWaitFor: Set<string>;
  /** The sandbox that the pod was given. */
  sandbox: RunPodSandboxResponse | undefined;
}

export function newLookWork(): LookWork {
  return {
    runs: new Map(),
    visitors: new Map(),
    stops: new Map(),
    alone: new Map(),
    asked: new Map(),
    hooks: new Map(),
    startProblems: new Map(),
    probesWaitFor: new Set(),
    sandbox: undefined,
  };
}

export interface PodLife extends LookWork {
  readonly pod: Pod;
  readonly node: NodeView;
  readonly delays: Delays;
  readonly containers: readonly ContainerLife[];
  readonly events: LifeEvent[];
  /** The moment of the last move: what the status is dated with. */
  atMs: number;
  /** When the kubelet accepted the pod; NaN before. */
  startMs: number;
  podIp: string | undefined;
  /** Set when the pod is to fail whatever its containers say (a deadline passed). */
  failing: { readonly reason: string; readonly message: string } | undefined;
  /** Why the node gave the pod up for what others need. */
  disruption: string | undefined;
  /** The node did not take the pod. */
  refusal: PodAdmitResult | undefined;
  /** The resources that running containers have while they are to get others. */
  readonly held: Map<string, ResourceRequirements>;
  /** Since when the other resources are being given out; why they are not. */
  resizing: { readonly sinceMs: number; readonly generation: number } | undefined;
  resizePending: (PodAdmitResult & { readonly generation: number }) | undefined;
  /** The pod's present generation was seen. */
  observed: boolean;
  /** When the pod's deletion was seen, if that was just now. */
  askedMs: number | undefined;
  /** All containers were stopped for good. */
  stopped: boolean;
  /** Nothing can be started before this moment. */
  blockedUntilMs: number;
  changed: boolean;
  /** The moment of this look. */
  readonly nowMs: number;
  /** Events up to here were told when the pod was looked at before. */
  readonly sinceMs: number;
  /** What was told since, by what it is about. */
  readonly told: Map<string, number>;
  /** What hooks did to containers, of this pod and others. */
  readonly effects: Effect[];
  /** The number of moves that were made. */
  moves: number;
  readonly courses: Courses;
}

/** `work`: what earlier parts of the same look have worked out. */
export function lifeOf(
  pod: Pod,
  node: NodeView,
  delays: Delays,
  nowMs: number,
  sinceMs: number,
  work: LookWork = newLookWork(),
): PodLife {
  const { spec, status } = pod;
  const initial = spec.initContainers?.length ? "PodInitializing" : "ContainerCreating";
  const init = (spec.initContainers ?? []).map((one): ContainerLife => {
    const role = one.restartPolicy === "Always" ? "sidecar" : "init";
    return { spec: one, role, status: statusOf(one, status.initContainerStatuses, initial) };
  });
  const main = spec.containers.map((one): ContainerLife => {
    return { spec: one, role: "main", status: statusOf(one, status.containerStatuses, initial) };
  });
  const ephemeral = (spec.ephemeralContainers ?? []).map((one): ContainerLife => {
    return {
      spec: one,
      role: "ephemeral",
      status: statusOf(one, status.ephemeralContainerStatuses, "ContainerCreating"),
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
    held: heldOf([...init, ...main]),
    resizing: resizingOf(pod),
    resizePending: pendingOf(pod),
    observed: (status.observedGeneration ?? 0) === (pod.metadata.generation ?? 0),
    askedMs: undefined,
    stopped: false,
    blockedUntilMs: 0,
    changed: false,
    nowMs,
    sinceMs,
    told: new Map(),
    effects: [],
    moves: 0,
    courses: { known: new Map(), running: undefined },
  };
}

/** What was given to the containers that run, where it is not what they ask for. */
function heldOf(containers: readonly ContainerLife[]): Map<string, ResourceRequirements> {
  const held = new Map<string, ResourceRequirements>();
  for (const { spec, status, role } of containers) {
    if (role === "init" || !status.state.running || !status.resources) continue;
    if (!semanticEqual(status.resources, spec.resources)) held.set(spec.name, status.resources);
  }
  return held;
}

function resizingOf({ status }: Pod): PodLife["resizing"] {
  const found = condition(status.conditions, "PodResizeInProgress");
  return found && { sinceMs: timeMs(found.lastTransitionTime), generation: found.observedGeneration ?? 0 };
}

function pendingOf({ status }: Pod): PodLife["resizePending"] {
  const found = condition(status.conditions, "PodResizePending");
  return (
    found && { reason: found.reason ?? "", message: found.message ?? "", generation: found.observedGeneration ?? 0 }
  );
}

/** The mark of a deadline that passed while containers still run: not ready because failed, though the phase is not. */
function failingOf({ status }: Pod): PodLife["failing"] {
  if (isTerminalPhase(status.phase)) return undefined;
  return condition(status.conditions, "Ready")?.reason === "PodFailed" ? deadlineExceeded : undefined;
}

export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
} as const;

function statusOf(spec: Container, stored: readonly ContainerStatus[] | undefined, initial: string): ContainerStatus {
  const found = stored?.find((one) => one.name === spec.name);
  if (found) return found;
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
  return conditions?.find((one) => one.type === type);
}

export function isBeingStopped(life: PodLife): boolean {
  return life.pod.metadata.deletionTimestamp !== undefined || life.failing !== undefined;
}

export function isRunning(container: ContainerLife): boolean {
  return container.status.state.running !== undefined;
}

/** Whether it was ever started. */
export function hasRun({ status }: ContainerLife): boolean {
  return status.state.running !== undefined || lastEnd(status) !== undefined;
}

/** The number of starts before the next. */
export function attemptOf(container: ContainerLife): number {
  return hasRun(container) ? container.status.restartCount + 1 : container.status.restartCount;
}

/** Its latest end, whether it still shows or a wait for the next start does. */
export function lastEnd(status: ContainerStatus): ContainerStateTerminated | undefined {
  return status.state.running ? undefined : (status.state.terminated ?? status.lastState.terminated);
}

export function ofRole(life: PodLife, ...roles: Role[]): ContainerLife[] {
  return life.containers.filter((one) => roles.includes(one.role));
}

/** A stored time in milliseconds; 0 where it is unset. */
export function timeMs(time: string | null | undefined): number {
  return time ? parseTime(time) : 0;
}

/** A delay of this pod: varied, the same after every waking. */
export function delay(life: PodLife, ms: number, what: string): number {
  return delayOf(life.delays, life.pod, ms, what);
}

export function record(
  life: PodLife,
  type: LifeEvent["type"],
  reason: string,
  message: string,
  container?: ContainerLife,
): void {
  life.events.push({ type, reason, message, ...(container ? { container } : {}) });
}

/** Ends a container: `startedAt` is kept, readiness is gone. */
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
