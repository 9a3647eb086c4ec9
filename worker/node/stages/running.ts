// What the program of a container does, as far as it matters to its life: when it ends, what it says, what it waits for.
import { assert } from "../../../shared/base/assert.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, isBeingStopped, isRunning, type PodLife, timeMs } from "../life.ts";
import { filesAt } from "../run/files-at.ts";
import type { Beside, Effect, HookAnswer } from "../run/request.ts";
import { durableEdits, isLasting, presentRun, type RunOptions } from "../run/shared.ts";
import type { Affects } from "../run/world.ts";
import type { Trace } from "../shell/trace.ts";

/** A program that goes on changing things is followed so far ahead. */
const aheadMs = 600_000;

/** The run of a container that runs. It is known at least up to now, unless the program does too much to be followed. */
export function runOfContainer(life: PodLife, container: ContainerLife, nowMs: number): Trace {
  const whole = follow(life, container, { untilMs: Number.POSITIVE_INFINITY });
  return whole.knownMs > nowMs || whole.isSpent ? whole : follow(life, container, { untilMs: nowMs + aheadMs });
}

export function follow(life: PodLife, container: ContainerLife, options: RunOptions): Trace {
  const { spec, status } = container;
  const key = `${spec.name}/${status.containerID ?? ""}/${options.untilMs}/${options.termMs ?? ""}`;
  const kept = life.runs.get(key);
  if (kept) return kept;
  const effects: Effect[] = [];
  const affects: Affects = (pod, name, edits) => void effects.push({ pod, container: name, edits });
  const own = life.node.view;
  const view = own.affecting
    ? { ...own, ...own.affecting(affects), ...(own.report ? { report: own.report } : {}) }
    : own;
  const whole = { pod: asStored(life), view, containers: life.containers, alone: life.alone };
  const run = workOut(life, () => presentRun(whole, container, options));
  assert(run, "a container that was started has a run");
  life.runs.set(key, run);
  const startedAt = status.state.running?.startedAt;
  if (effects.length > 0 && startedAt) life.reached.set(key, { container, startMs: timeMs(startedAt), effects });
  return run;
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

/** What programs have written where it outlives their pod is kept as often as the pod is looked at. */
export function keepVolumes(life: PodLife, nowMs: number): void {
  const { pod, node, containers, alone } = life;
  if (!pod.spec.volumes?.some(isLasting)) return;
  const whole = { pod, view: node.view, containers, alone };
  for (const one of containers) {
    const { state } = one.status;
    const shown = state.running ?? state.terminated;
    if (!shown?.startedAt || !one.spec.volumeMounts?.length) continue;
    const startMs = timeMs(shown.startedAt);
    const untilMs = state.terminated?.finishedAt ? timeMs(state.terminated.finishedAt) + 999 : nowMs;
    if (state.terminated && untilMs < life.sinceMs) continue;
    const run = state.running ? runOfContainer(life, one, nowMs) : follow(life, one, { untilMs });
    const edits = durableEdits(whole, one, run, startMs, Math.min(untilMs, nowMs));
    if (edits.length > 0) life.effects.push({ pod, container: one.spec.name, edits });
  }
}

export function reasonOf({ exitCode, oom }: { readonly exitCode: number; readonly oom?: boolean }): string {
  if (oom) return "OOMKilled";
  return exitCode === 0 ? "Completed" : "Error";
}

const longestMessage = 4096;
const longestFallback = 2048;
const fallbackLines = 80;

/** What the container leaves to be read: its termination message, or the end of its log if it asks for that. */
export function lastWords({ spec }: ContainerLife, run: Trace, atMs: number, exitCode: number): string | undefined {
  const path = spec.terminationMessagePath ?? "/dev/termination-log";
  const text = run.edits.some((edit) => edit.path === path) ? (filesAt(run, atMs).get(path)?.text ?? "") : "";
  if (text !== "") return text.slice(0, longestMessage);
  if (spec.terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return undefined;
  const log = run.chunks.filter((one) => one.atMs <= atMs).map((one) => one.text);
  const lines = log.join("").split("\n");
  const last = lines.slice(-fallbackLines - (lines.at(-1) === "" ? 1 : 0)).join("\n");
  return last.slice(-longestFallback) || undefined;
}
