// The log lines that the probes of a pod cause in a container. They follow from the pod and its programs, so nothing is stored for a
// probe that repeats the previous result: one series represents a day of probes.
import type { ContainerState, ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, isRunning, lifeOf, type NodeView, type PodLife } from "../life.ts";
import { defaultDelays } from "../../machine/delays.ts";
import type { NodeServices, Probed, ProbeVisits, Span } from "../../containers/cri.ts";
import type { ResultSeries } from "../stages/probe-result.ts";
import { probeHistory, killMs, type ProbeKind, probeKinds, probeOf } from "../stages/probe-history.ts";
import { cutAt, type Series } from "../../../shared/k8s/cron/recurring.ts";

const unprobed: Probed = { lines: [], visits: [], knownMs: Number.POSITIVE_INFINITY };

/** Returns the probes' lines in the log of `container`. The probes may be those of other containers in the pod. */
export function probedIn(pod: Pod, container: string, services: NodeServices, span: Span): Probed {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (!all.some((probed) => probeKinds.some((kind) => probesOf(probed)[kind]?.httpGet))) return unprobed;
  const life = lifeIn(pod, container, services, span);
  const seriesOfProbes = life.containers
    .filter((candidate) => candidate.role !== "init" && candidate.role !== "ephemeral" && isRunning(candidate))
    .flatMap((probed) => probeKinds.map((kind) => ofProbe(life, probed, kind, container, span.untilMs)));
  return {
    lines: seriesOfProbes.flatMap(({ lines }) => lines),
    visits: seriesOfProbes.flatMap(({ visits }) => visits),
    knownMs: Math.min(Number.POSITIVE_INFINITY, ...seriesOfProbes.map(({ knownMs }) => knownMs)),
  };
}

function probesOf({ startupProbe, readinessProbe, livenessProbe }: Pod["spec"]["containers"][number]) {
  return { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe };
}

/** Returns the pod's life during that run, which may be over. */
function lifeIn(pod: Pod, container: string, services: NodeServices, { startMs, untilMs }: Span): PodLife {
  const running: ContainerState = { running: { startedAt: rfc3339(startMs) } };
  const during = (all: readonly ContainerStatus[] = []) =>
    all.map((containerStatus) =>
      containerStatus.name === container ? { ...containerStatus, state: running } : containerStatus,
    );
  const { status } = pod;
  const statusDuringRun = {
    ...status,
    containerStatuses: during(status.containerStatuses),
    initContainerStatuses: during(status.initContainerStatuses),
  };
  return lifeOf({ ...pod, status: statusDuringRun }, readersNode(pod, services), defaultDelays, untilMs, untilMs);
}

/** Returns a read-only view of the node: nothing is started on it. */
function readersNode({ spec, status }: Pod, services: NodeServices): NodeView {
  return {
    name: spec.nodeName ?? "",
    ip: status.hostIP ?? "",
    lookup: () => undefined,
    account: () => undefined,
    ...services,
  };
}

function ofProbe(life: PodLife, probed: ContainerLife, kind: ProbeKind, container: string, nowMs: number): Probed {
  if (!probeOf(probed, kind)?.httpGet) return unprobed;
  const { series, changes, periodMs, computedUntilMs } = probeHistory(life, probed, kind, nowMs);
  // A startup probe ends with its first result, a liveness probe when the container is killed.
  const lastMs =
    (kind === "startup" ? changes[0]?.atMs : kind === "liveness" ? killMs(life, probed, kind, nowMs) : undefined) ??
    Number.POSITIVE_INFINITY;
  const seriesOf = ({ askedMs, firstMs, attempts }: ResultSeries): Series =>
    cutAt({ firstMs: askedMs, periodMs, count: attempts }, lastMs - (firstMs - askedMs));
  const lines = series.flatMap((results) =>
    results.wrote.flatMap((line) =>
      line.container === container && "textAt" in line
        ? [{ ...seriesOf(results), stream: line.stream, textAt: line.textAt }]
        : [],
    ),
  );
  const visits = visitsOf(series, container).map((visit) => cutAt({ ...visit, periodMs }, lastMs));
  const isKnown = visits.length > 0 || lastMs <= nowMs;
  return { lines, visits, knownMs: isKnown ? Number.POSITIVE_INFINITY : computedUntilMs };
}

/** Returns the requests to a program: one with every attempt from the first on. Its answers need not be known for that. */
function visitsOf(series: readonly ResultSeries[], container: string): Omit<ProbeVisits, "periodMs">[] {
  for (const { askedMs, wrote } of series) {
    for (const entry of wrote) {
      if (entry.container !== container || !("editAt" in entry)) continue;
      return [{ firstMs: askedMs, count: Number.POSITIVE_INFINITY, editAt: entry.editAt }];
    }
  }
  return [];
}
