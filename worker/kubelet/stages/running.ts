// What the program of a container does, as far as it matters to its life: when it ends, what it says, what it waits for.
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
import type { HookAnswer } from "../prober/ask.ts";

/** A program that goes on changing things is followed so far ahead. */
const aheadMs = 600_000;

/** The run of a container that runs. It is known at least up to now, unless the program does too much to be followed. */
export function runOfContainer(life: PodLife, container: ContainerLife, nowMs: number): ContainerStatus {
  const whole = follow(life, container, Number.POSITIVE_INFINITY);
  return whole.knownMs > nowMs || whole.isSpent ? whole : follow(life, container, nowMs + aheadMs);
}

function follow(life: PodLife, container: ContainerLife, untilMs: number): ContainerStatus {
  const key = `${container.spec.name}/${container.status.containerID ?? ""}/${untilMs}`;
  const kept = life.runs.get(key);
  if (kept) return kept;
  const response = workOut(life, () => life.node.runtime.containerStatus(sandboxOf(life), container, { untilMs }));
  assert(response, "a container that was started has a status");
  life.runs.set(key, response.status);
  const startedAt = container.status.state.running?.startedAt;
  if (response.status.asksOthers && startedAt) {
    const run = { container: container.spec.name, startMs: timeMs(startedAt) };
    life.visitors.set(`${run.container}/${run.startMs}`, run);
  }
  return response.status;
}

/** Stops a container; what comes of that is worked out once a look. */
export function stopContainer(
  life: PodLife,
  container: ContainerLife,
  request: StopContainerRequest,
): StopContainerResponse {
  const key = `${container.spec.name}/${container.status.containerID ?? ""}/${request.atMs}/${request.timeoutMs}`;
  const kept = life.stops.get(key);
  if (kept) return kept;
  const response = workOut(life, () => life.node.runtime.stopContainer(sandboxOf(life), container, request));
  assert(response, "a container that was started can be stopped");
  life.stops.set(key, response);
  return response;
}

function sandboxOf(life: PodLife): PodSandboxConfig {
  return { pod: asStored(life), containers: life.containers, nowMs: life.nowMs, alone: life.alone };
}

/** Works something out that this look knows from then on; throws `LookUnfinished` if this turn has worked out enough. */
export function workOut<T>({ node }: PodLife, run: () => T): T {
  return node.part ? node.part.workOut(run) : run();
}

/** Asks a hook, once in a look. */
export function askedOnce(life: PodLife, key: string, ask: () => HookAnswer): HookAnswer {
  const answer = life.hooks.get(key) ?? workOut(life, ask);
  life.hooks.set(key, answer);
  return answer;
}

/** As it will be stored after this look: who asks again later finds the same addresses and times, so that nothing counts twice. */
function asStored({ pod, podIp, node, startMs }: PodLife): Pod {
  if (pod.status.podIP !== undefined || podIp === undefined) return pod;
  const startTime = pod.status.startTime ?? rfc3339(startMs);
  const status = { ...pod.status, podIP: podIp, podIPs: [{ ip: podIp }], hostIP: node.ip, startTime };
  return { ...pod, status };
}

/** The other containers that run in the pod then. */
export function besideOf(life: PodLife, container: ContainerLife, nowMs: number): Beside[] {
  const others = life.containers.filter((one) => one.spec.name !== container.spec.name && isRunning(one));
  return others.map((one) => ({ container: one.spec, run: runOfContainer(life, one, nowMs) }));
}

/** What would let a running program go on. */
export function programsWaitFor(life: PodLife, nowMs: number): string[] {
  if (isBeingStopped(life)) return [];
  return life.containers.flatMap((one) => (isRunning(one) ? [...runOfContainer(life, one, nowMs).waitsFor] : []));
}

/** Reports whether a running program repeats its steps until others change what it finds. */
export function awaitsOthers(life: PodLife, nowMs: number): boolean {
  if (isBeingStopped(life)) return false;
  return life.containers.some((one) => isRunning(one) && runOfContainer(life, one, nowMs).awaitsOthers);
}

/** What programs have written where it outlives their pod is kept as often as the pod is looked at. */
export function keepVolumes(life: PodLife, nowMs: number): void {
  const { pod, node, containers } = life;
  if (!pod.spec.volumes?.some(isLasting)) return;
  for (const one of containers) {
    const { state } = one.status;
    const shown = state.running ?? state.terminated;
    if (!shown?.startedAt || !one.spec.volumeMounts?.length) continue;
    const startMs = timeMs(shown.startedAt);
    const untilMs = state.terminated?.finishedAt ? timeMs(state.terminated.finishedAt) + 999 : nowMs;
    if (state.terminated && untilMs < life.sinceMs) continue;
    const run = state.running ? runOfContainer(life, one, nowMs) : follow(life, one, untilMs);
    life.effects.push(...node.runtime.disk.volumeChanges(life, one, run, startMs, Math.min(untilMs, nowMs)));
  }
}

/** A volume that outlives the pod. */
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

/** What the container leaves to be read: its termination message, or the end of its log if it asks for that. */
export function lastWords(
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
