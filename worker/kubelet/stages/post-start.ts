// Runs what follows a container's start: its postStart hook, or the end of a program that cannot be started.
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, end, lastEnd, type PodLife, recordEvent, type Stop } from "../life.ts";
import type { Effect } from "../../containers/cri.ts";
import { must } from "../../../shared/base/assert.ts";
import { runHook } from "../prober/prober.ts";
import { shouldRestart } from "./order.ts";
import { runHookOnce, besideOf, computeInPart } from "./running.ts";
import { stopOf } from "./stop.ts";

export interface Begin {
  /** The time from the start to the hook's end, and to the container's end if the hook failed. */
  readonly tookMs: number;
  readonly effects?: readonly Effect[];
  readonly failed?: { readonly message: string; readonly stop: Stop };
}

/** The longest time that a hook may take. */
const longestHookMs = 3_600_000;

export function postStart(life: PodLife, container: ContainerLife, startMs: number): Begin {
  const { spec } = container;
  const hook = spec.lifecycle?.postStart;
  if (!hook || startProblemOf(life, container) !== undefined) return { tookMs: 0 };
  const { pod, podIp = "" } = life;
  const { runtime } = life.node;
  const running = {
    ...container,
    status: { ...container.status, state: { running: { startedAt: rfc3339(startMs) } } },
  };
  const beside = besideOf(life, container, startMs);
  const key = JSON.stringify(["postStart", spec.name, running.status.restartCount, startMs, podIp, beside.length]);
  const answer = runHookOnce(life, key, () => {
    const response = runtime.containerStatus(life, running, { untilMs: startMs, startMs });
    const run = must(response, "a container that starts").status;
    return runHook({ pod, container: spec, runtime, podIp, run, beside }, hook, longestHookMs, startMs);
  });
  const { effects } = answer;
  if (answer.ok) return { tookMs: answer.tookMs, effects };
  const stop = stopOf(life, running, startMs + answer.tookMs);
  return { tookMs: stop.atMs - startMs, effects, failed: { message: hookProblem(life, container, answer), stop } };
}

/** The work of checking whether a program can be started. */
const startProblemWork = 80;

/** Returns why the container's program cannot be started. Computed once in a sync. */
export function startProblemOf(life: PodLife, { spec }: ContainerLife): string | undefined {
  const { pod, node, startProblems } = life;
  const cached = startProblems.get(spec.name);
  if (cached) return cached.problem;
  const problem = computeInPart(life, () => {
    node.account(startProblemWork);
    return node.runtime.startContainer(pod, spec).error;
  });
  startProblems.set(spec.name, { problem });
  return problem;
}

function hookProblem(
  { pod: { metadata } }: PodLife,
  { spec }: ContainerLife,
  { message, exitCode, errored }: { readonly message: string; readonly exitCode?: number; readonly errored?: boolean },
): string {
  const where = `for Container "${spec.name}" in Pod "${metadata.name ?? ""}_${metadata.namespace ?? ""}(${metadata.uid ?? ""})" failed - error:`;
  const hook = spec.lifecycle?.postStart;
  if (!hook?.exec) return `HTTP lifecycle hook (${hook?.httpGet?.path ?? ""}) ${where} ${message}`;
  const words = (hook.exec.command ?? []).join(" ");
  const why = errored ? message : `command '${words}' exited with ${exitCode ?? 1}: ${message}`;
  return `Exec lifecycle hook ([${words}]) ${where} ${why}, message: ${JSON.stringify(errored ? "" : message)}`;
}

/** Handles a failed hook: the container is stopped at once and its status shows why. */
export function failHook(
  life: PodLife,
  container: ContainerLife,
  { message, stop }: NonNullable<Begin["failed"]>,
): void {
  recordEvent(life, "Warning", "FailedPostStartHook", "PostStartHook failed", container);
  recordEvent(life, "Normal", "Killing", "FailedPostStartHook", container);
  end(container, stop.atMs, stop);
  show(life, container, "PostStartHookError", message);
}

/** Handles a program that the runtime cannot start in a container that it created. */
export function failStart(life: PodLife, container: ContainerLife, problem: string, atMs: number): void {
  recordEvent(life, "Warning", "Failed", `Error: ${problem}`, container);
  const { containerID } = container.status;
  const terminated = {
    exitCode: 128,
    reason: "StartError",
    message: problem,
    startedAt: "1970-01-01T00:00:00Z",
    finishedAt: rfc3339(atMs),
    ...(containerID === undefined ? {} : { containerID }),
  };
  container.status = { ...container.status, state: { terminated }, ready: false, started: false };
  show(life, container, "RunContainerError", problem);
}

/** Shows the problem as a waiting state if the container will be restarted. Otherwise its end remains. */
function show(life: PodLife, container: ContainerLife, reason: string, message: string): void {
  const ended = lastEnd(container.status);
  if (!ended || !shouldRestart(life, container, ended.exitCode)) return;
  container.status = {
    ...container.status,
    state: { waiting: { reason, message } },
    lastState: { terminated: ended },
    ready: false,
    started: false,
  };
}
