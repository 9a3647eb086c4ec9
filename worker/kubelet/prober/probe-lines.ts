// What the probes of a pod leave in a container's log. All of it follows from the pod and its programs, so that no probe that finds what
// the one before it found is ever noted anywhere: a series stands for a day of them.
import type { ContainerState, ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, isRunning, lifeOf, type NodeView, type PodLife } from "../life.ts";
import { defaultDelays } from "../../machine/delays.ts";
import type { NodeServices, Probed, ProbeVisits, Span } from "../../containers/cri.ts";
import type { Stretch } from "../stages/course.ts";
import { course, killMs, type ProbeKind, probeKinds, probeOf } from "../stages/probe-run.ts";
import { cutAt, type Series } from "../../../shared/k8s/cron/recurring.ts";

const unprobed: Probed = { lines: [], visits: [], knownMs: Number.POSITIVE_INFINITY };

/** `container`: whose log it is; the probes may be those of others in its pod. */
export function probedIn(pod: Pod, container: string, services: NodeServices, span: Span): Probed {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (!all.some((one) => probeKinds.some((kind) => probesOf(one)[kind]?.httpGet))) return unprobed;
  const life = lifeIn(pod, container, services, span);
  const found = life.containers
    .filter((one) => one.role !== "init" && one.role !== "ephemeral" && isRunning(one))
    .flatMap((one) => probeKinds.map((kind) => ofProbe(life, one, kind, container, span.untilMs)));
  return {
    lines: found.flatMap(({ lines }) => lines),
    visits: found.flatMap(({ visits }) => visits),
    knownMs: Math.min(Number.POSITIVE_INFINITY, ...found.map(({ knownMs }) => knownMs)),
  };
}

function probesOf({ startupProbe, readinessProbe, livenessProbe }: Pod["spec"]["containers"][number]) {
  return { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe };
}

/** The pod as its kubelet saw it during that run, which may be over. */
function lifeIn(pod: Pod, container: string, services: NodeServices, { startMs, untilMs }: Span): PodLife {
  const running: ContainerState = { running: { startedAt: rfc3339(startMs) } };
  const during = (all: readonly ContainerStatus[] = []) =>
    all.map((one) => (one.name === container ? { ...one, state: running } : one));
  const { status } = pod;
  const seen = {
    ...status,
    containerStatuses: during(status.containerStatuses),
    initContainerStatuses: during(status.initContainerStatuses),
  };
  return lifeOf({ ...pod, status: seen }, readersNode(pod, services), defaultDelays, untilMs, untilMs);
}

/** A node for who only looks: nothing is started on it. */
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
  const { stretches, turns, periodMs, knownMs } = course(life, probed, kind, nowMs);
  // Nothing is asked after the start, or once the container is to be killed.
  const lastMs =
    (kind === "startup" ? turns[0]?.atMs : kind === "liveness" ? killMs(life, probed, kind, nowMs) : undefined) ??
    Number.POSITIVE_INFINITY;
  const seriesOf = ({ askedMs, firstMs, count }: Stretch): Series =>
    cutAt({ firstMs: askedMs, periodMs, count }, lastMs - (firstMs - askedMs));
  const lines = stretches.flatMap((stretch) =>
    stretch.wrote.flatMap((one) =>
      one.container === container && "textAt" in one
        ? [{ ...seriesOf(stretch), stream: one.stream, textAt: one.textAt }]
        : [],
    ),
  );
  const visits = visitsOf(stretches, container).map((one) => cutAt({ ...one, periodMs }, lastMs));
  const isKnown = visits.length > 0 || lastMs <= nowMs;
  return { lines, visits, knownMs: isKnown ? Number.POSITIVE_INFINITY : knownMs };
}

/** A program is asked at every tick from the first on; what it answers need not be known for that. */
function visitsOf(stretches: readonly Stretch[], container: string): Omit<ProbeVisits, "periodMs">[] {
  for (const { askedMs, wrote } of stretches) {
    for (const one of wrote) {
      if (one.container !== container || !("editAt" in one)) continue;
      return [{ firstMs: askedMs, count: Number.POSITIVE_INFINITY, editAt: one.editAt }];
    }
  }
  return [];
}
