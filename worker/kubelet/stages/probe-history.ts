// The history of a probe: the result of each attempt, and the changes of the container's health that follow.
//
// The history follows from the container's start and its program, so nothing has to be stored between two syncs.
import { limits } from "../../../shared/base/limits.ts";
import type { Probe } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, delay, isRunning, type PodLife, timeMs } from "../life.ts";
import type { Beside } from "../../containers/cri.ts";
import { type Answer, runProbe, type ProbedContainer } from "../prober/prober.ts";
import type { ProbeHistory, ResultSeries, ResultChange } from "./probe-result.ts";
import { runOfContainer, computeInPart } from "./running.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";
export const probeKinds: readonly ProbeKind[] = ["startup", "readiness", "liveness"];

/** The number of future changes that are computed. */
const changesAhead = 50;

export function probeOf({ spec }: ContainerLife, kind: ProbeKind): Probe | undefined {
  return { startup: spec.startupProbe, readiness: spec.readinessProbe, liveness: spec.livenessProbe }[kind];
}

/** Returns when a running container counts as started: at once, or at the first success of its startup probe. Infinity if that is not in sight. */
export function startedMs(life: PodLife, container: ContainerLife, nowMs: number): number {
  const runsMs = timeMs(container.status.state.running?.startedAt);
  if (!container.spec.startupProbe) return runsMs;
  return (
    probeHistory(life, container, "startup", nowMs).changes.find((change) => change.ok)?.atMs ??
    Number.POSITIVE_INFINITY
  );
}

/** Returns when a probe has failed so often that the container is killed. */
export function killMs(life: PodLife, container: ContainerLife, kind: ProbeKind, nowMs: number): number | undefined {
  if (!probeOf(container, kind) || !isRunning(container)) return undefined;
  const [first] = probeHistory(life, container, kind, nowMs).changes;
  if (kind === "startup") return first && !first.ok ? first.atMs : undefined;
  return probeHistory(life, container, kind, nowMs).changes.find((change) => !change.ok)?.atMs;
}

/** Returns the results of a probe of a running container: all past ones, and those up to the next `changesAhead` changes. */
export function probeHistory(life: PodLife, container: ContainerLife, kind: ProbeKind, nowMs: number): ProbeHistory {
  const running = runningOf(life, nowMs);
  const { containerID = "", state } = container.status;
  const key = JSON.stringify([container.spec.name, kind, containerID, state.running?.startedAt, nowMs]);
  const cached = life.probeHistories.byProbe.get(key);
  if (cached?.running === running) return cached.history;
  const probe = probeOf(container, kind) ?? {};
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const { series, computedUntilMs } = seriesOf(life, container, kind, probe, running, nowMs);
  const history = { periodMs, series, changes: changesOf(series, kind, probe, periodMs), computedUntilMs };
  life.probeHistories.byProbe.set(key, { history, running });
  return history;
}

/** Returns the containers that run, with their runs: the same array until a move starts or ends one. */
function runningOf(life: PodLife, nowMs: number): readonly Beside[] {
  const { probeHistories, moves } = life;
  const before = probeHistories.running;
  if (before?.move === moves && before.nowMs === nowMs) return before.besides;
  const besides = life.containers
    .filter(isRunning)
    .map((container) => ({ container: container.spec, run: runOfContainer(life, container, nowMs) }));
  const isSame =
    before?.besides.length === besides.length &&
    before.besides.every(({ container, run }, at) => container === besides[at]?.container && run === besides[at].run);
  const running = { move: moves, nowMs, besides: isSame ? before.besides : besides };
  probeHistories.running = running;
  return running.besides;
}

function seriesOf(
  life: PodLife,
  container: ContainerLife,
  kind: ProbeKind,
  probe: Probe,
  running: readonly Beside[],
  nowMs: number,
): Pick<ProbeHistory, "series" | "computedUntilMs"> {
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const { pod, node } = life;
  const run = runOfContainer(life, container, nowMs);
  const work = limits.probeWork / Math.max(1, commandsOf(life));
  const probedContainer = {
    pod,
    work,
    container: container.spec,
    runtime: node.runtime,
    podIp: life.podIp ?? "",
    run,
    beside: running.filter((runningContainer) => runningContainer.container !== container.spec),
  };
  const late = delay(life, life.delays.probeMs, `${kind}/${container.spec.name}`);
  const series: ResultSeries[] = [];
  let tickMs = firstTickMs(life, container, kind, probe, nowMs);
  let left = work;
  for (let ahead = 0; tickMs < Number.POSITIVE_INFINITY && ahead < changesAhead && left > 0; ) {
    const {
      ok,
      message,
      errored = false,
      tookMs,
      untilMs,
      wrote = [],
      assumed = [],
      waitsFor = [],
      work: took = 1,
    } = answerAt(life, probedContainer, kind, probe, tickMs);
    const attempts = Math.max(1, Math.ceil((untilMs - tickMs) / periodMs));
    series.push({ firstMs: tickMs + tookMs + late, askedMs: tickMs, attempts, ok, errored, message, wrote, assumed });
    for (const objectKey of waitsFor) life.probesWaitFor.add(objectKey);
    tickMs += attempts * periodMs;
    left -= took;
    if (tickMs > nowMs) ahead++;
  }
  return { series, computedUntilMs: tickMs };
}

/** The work of sending a probe to a server. */
const answerWork = 40;

/** Returns the number of commands that are run as probes. They share the work of a sync. */
function commandsOf({ containers }: PodLife): number {
  return containers.flatMap((container) => probeKinds.filter((kind) => probeOf(container, kind)?.exec)).length;
}

function answerAt(life: PodLife, container: ProbedContainer, kind: ProbeKind, probe: Probe, tickMs: number): Answer {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  const answer = () => runProbe(container, probe, timeoutMs, tickMs);
  if (!probe.exec) {
    life.node.account(answerWork);
    return answer();
  }
  const key = `${container.container.name}/${kind}/${tickMs}/${container.run.knownMs}/${container.beside.length}`;
  const result = life.probeAnswers.get(key) ?? computeInPart(life, answer);
  life.probeAnswers.set(key, result);
  return result;
}

/**
 * Returns the time of the first probe. A probe's worker ticks once a period from the container's start and skips the ticks before the initial
 * delay. The worker of a readiness probe is triggered at once when the container starts, and counts from there.
 */
function firstTickMs(life: PodLife, container: ContainerLife, kind: ProbeKind, probe: Probe, nowMs: number): number {
  const runsMs = timeMs(container.status.state.running?.startedAt);
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const delayedMs = runsMs + Math.ceil(((probe.initialDelaySeconds ?? 0) * 1000) / periodMs) * periodMs;
  if (kind === "startup") return delayedMs;
  const fromMs = startedMs(life, container, nowMs);
  if (fromMs === Number.POSITIVE_INFINITY) return fromMs;
  if (kind === "readiness") return Math.max(fromMs, delayedMs);
  return Math.max(delayedMs, runsMs + Math.ceil((fromMs - runsMs) / periodMs) * periodMs);
}

/** Returns the changes of a probe's result. A result counts once its threshold of consecutive results is reached. */
function changesOf(series: readonly ResultSeries[], kind: ProbeKind, probe: Probe, periodMs: number): ResultChange[] {
  const changes: ResultChange[] = [];
  let now = kind === "startup" ? undefined : kind === "liveness";
  let row = { ok: true, count: 0 };
  for (const { firstMs, attempts, ok, errored } of series) {
    if (errored) continue;
    if (row.ok !== ok) row = { ok, count: 0 };
    const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    const missing = Math.max(threshold - row.count, 1);
    if (attempts >= missing && now !== ok) {
      now = ok;
      changes.push({ atMs: firstMs + (missing - 1) * periodMs, ok });
      // A startup probe ends with its first result, a liveness probe when it fails.
      if (kind === "startup" || (kind === "liveness" && !ok)) return changes;
    }
    row = { ok, count: row.count + attempts };
  }
  return changes;
}
