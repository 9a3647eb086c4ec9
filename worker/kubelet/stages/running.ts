// The behaviour of a container's program that matters to its life: when it ends, its last message, and the objects that it waits for.
import { assert } from "../../../shared/base/assert.ts";
import type { Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, isBeingStopped, isRunning, type PodLife, timeMs } from "../life.ts";
import type {
  Beside,
  ContainerStatus,
  PodSandboxConfig,
  StopContainerRequest,
  StopContainerResponse,
} from "../../containers/cri.ts";
import type { HookAnswer } from "../prober/prober.ts";

/** A program that keeps changing things is followed this far ahead. */
const aheadMs = 600_000;

/** Returns the run of a running container. It is known at least up to now, unless the program does too much to be followed. */
export function runOfContainer(life: PodLife, container: ContainerLife, nowMs: number): ContainerStatus {
  const completeRun = follow(life, container, Number.POSITIVE_INFINITY);
  return completeRun.knownMs > nowMs || completeRun.isSpent ? completeRun : follow(life, container, nowMs + aheadMs);
}

function follow(life: PodLife, container: ContainerLife, untilMs: number): ContainerStatus {
  const key = `${container.spec.name}/${container.status.containerID ?? ""}/${untilMs}`;
  const cachedStatus = life.runs.get(key);
  if (cachedStatus) return cachedStatus;
  const response = computeInPart(life, () =>
    life.node.runtime.containerStatus(sandboxOf(life), container, { untilMs }),
  );
  assert(response, "a container that was started has a status");
  life.runs.set(key, response.status);
  const startedAt = container.status.state.running?.startedAt;
  if (response.status.asksOthers && startedAt) {
    const run = { container: container.spec.name, startMs: timeMs(startedAt) };
    life.visitors.set(`${run.container}/${run.startMs}`, run);
  }
  return response.status;
}

/** Stops a container. The result is computed once in a sync. */
export function stopContainer(
  life: PodLife,
  container: ContainerLife,
  request: StopContainerRequest,
): StopContainerResponse {
  const key = `${container.spec.name}/${container.status.containerID ?? ""}/${request.atMs}/${request.timeoutMs}`;
  const cachedResponse = life.stops.get(key);
  if (cachedResponse) return cachedResponse;
  const response = computeInPart(life, () => life.node.runtime.stopContainer(sandboxOf(life), container, request));
  assert(response, "a container that was started can be stopped");
  life.stops.set(key, response);
  return response;
}

function sandboxOf(life: PodLife): PodSandboxConfig {
  return { pod: asStored(life), containers: life.containers, nowMs: life.nowMs, alone: life.alone };
}

/** Computes a result of this sync. Throws `SyncUnfinished` if this turn has computed enough. */
export function computeInPart<T>({ node }: PodLife, run: () => T): T {
  return node.syncPart ? node.syncPart.compute(run) : run();
}

/** Runs a hook, once in a sync. */
export function runHookOnce(life: PodLife, key: string, ask: () => HookAnswer): HookAnswer {
  const answer = life.hooks.get(key) ?? computeInPart(life, ask);
  life.hooks.set(key, answer);
  return answer;
}

/** Returns the pod as this sync will store it, so that a later sync finds the same addresses and times and counts nothing twice. */
function asStored({ pod, podIp, node, startMs }: PodLife): Pod {
  if (pod.status.podIP !== undefined || podIp === undefined) return pod;
  const startTime = pod.status.startTime ?? rfc3339(startMs);
  const status = { ...pod.status, podIP: podIp, podIPs: [{ ip: podIp }], hostIP: node.ip, startTime };
  return { ...pod, status };
}

/** Returns the other containers of the pod that run at a time. */
export function besideOf(life: PodLife, container: ContainerLife, nowMs: number): Beside[] {
  const otherContainers = life.containers.filter(
    (otherContainer) => otherContainer.spec.name !== container.spec.name && isRunning(otherContainer),
  );
  return otherContainers.map((otherContainer) => ({
    container: otherContainer.spec,
    run: runOfContainer(life, otherContainer, nowMs),
  }));
}

/** Returns the objects whose changes let a running program continue. */
export function programsWaitFor(life: PodLife, nowMs: number): string[] {
  if (isBeingStopped(life)) return [];
  return life.containers.flatMap((container) =>
    isRunning(container) ? [...runOfContainer(life, container, nowMs).waitsFor] : [],
  );
}

/** Reports whether a running program repeats its steps until another object changes. */
export function awaitsOthers(life: PodLife, nowMs: number): boolean {
  if (isBeingStopped(life)) return false;
  return life.containers.some(
    (container) => isRunning(container) && runOfContainer(life, container, nowMs).awaitsOthers,
  );
}

/** Stores what programs have written to volumes that outlive the pod. Runs in every sync. */
export function keepVolumes(life: PodLife, nowMs: number): void {
  const { pod, node, containers } = life;
  if (!pod.spec.volumes?.some(isLasting)) return;
  for (const container of containers) {
    const { state } = container.status;
    const shownState = state.running ?? state.terminated;
    if (!shownState?.startedAt || !container.spec.volumeMounts?.length) continue;
    const startMs = timeMs(shownState.startedAt);
    const untilMs = state.terminated?.finishedAt ? timeMs(state.terminated.finishedAt) + 999 : nowMs;
    if (state.terminated && untilMs < life.sinceMs) continue;
    const run = state.running ? runOfContainer(life, container, nowMs) : follow(life, container, untilMs);
    life.effects.push(...node.runtime.disk.volumeChanges(life, container, run, startMs, Math.min(untilMs, nowMs)));
  }
}

/** Reports whether a volume outlives the pod. */
function isLasting({ persistentVolumeClaim, ephemeral, hostPath }: Volume): boolean {
  return Boolean(persistentVolumeClaim) || Boolean(ephemeral) || Boolean(hostPath);
}

export function reasonOf({ exitCode, oom }: { readonly exitCode: number; readonly oom?: boolean }): string {
  if (oom) return "OOMKilled";
  return exitCode === 0 ? "Completed" : "Error";
}

const longestMessage = 4096;
const longestFallback = 2048;
const fallbackLines = 80;

/** Returns the container's termination message, or the end of its log if its policy says so. */
export function terminationMessage(
  { node }: PodLife,
  { spec }: ContainerLife,
  run: ContainerStatus,
  atMs: number,
  exitCode: number,
): string | undefined {
  const { disk } = node.runtime;
  const text = disk.readFile(run, spec.terminationMessagePath ?? "/dev/termination-log", atMs);
  if (text !== "") return text.slice(0, longestMessage);
  if (spec.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return undefined;
  const lines = disk.readLog(run, atMs).split("\n");
  const last = lines.slice(-fallbackLines - (lines.at(-1) === "" ? 1 : 0)).join("\n");
  return last.slice(-longestFallback) || undefined;
}
