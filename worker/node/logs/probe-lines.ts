// What the probes of a pod leave in a container's log. All of it follows from the pod and its programs, so that no probe that finds what
// the one before it found is ever noted anywhere: a series stands for a day of them.
import type { ContainerState, ContainerStatus, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { type ContainerLife, isRunning, lifeOf, type NodeView, type PodLife } from "../life.ts";
import { defaultDelays } from "../options.ts";
import type { ClusterView } from "../run/world.ts";
import type { Edit } from "../shell/files.ts";
import type { Chunk } from "../shell/process.ts";
import type { Stretch } from "../stages/course.ts";
import { course, killMs, type ProbeKind, probeKinds, probeOf } from "../stages/probe-run.ts";
import { cutAt, type Series } from "./recurring.ts";

/** Lines that a server writes at each moment of a series. */
export interface ProbeLines extends Series {
  readonly stream: Chunk["stream"];
  textAt(atMs: number): string;
}

/** Visits of a program's own server, which writes of them what it likes. */
export interface ProbeVisits extends Series {
  editAt(atMs: number): Edit;
}

export interface Probed {
  readonly lines: readonly ProbeLines[];
  readonly visits: readonly ProbeVisits[];
  /** What they find after this moment is not known; Infinity if all is. */
  readonly knownMs: number;
}

export const unprobed: Probed = { lines: [], visits: [], knownMs: Number.POSITIVE_INFINITY };

/** One run of a container: from its start to its end, or as far as it is looked at. */
export interface Span {
  readonly startMs: number;
  readonly untilMs: number;
}

/** `container`: whose log it is; the probes may be those of others in its pod. */
export function probedIn(pod: Pod, container: string, view: ClusterView, span: Span): Probed {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (!all.some((one) => probeKinds.some((kind) => probesOf(one)[kind]?.httpGet))) return unprobed;
  const life = lifeIn(pod, container, view, span);
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
function lifeIn(pod: Pod, container: string, view: ClusterView, { startMs, untilMs }: Span): PodLife {
  const running: ContainerState = { running: { startedAt: rfc3339(startMs) } };
  const during = (all: readonly ContainerStatus[] = []) =>
    all.map((one) => (one.name === container ? { ...one, state: running } : one));
  const { status } = pod;
  const seen = {
    ...status,
    containerStatuses: during(status.containerStatuses),
    initContainerStatuses: during(status.initContainerStatuses),
  };
  return lifeOf({ ...pod, status: seen }, readersNode(pod, view), defaultDelays, untilMs, untilMs);
}

/** A node for who only looks: nothing is started on it. */
function readersNode({ spec, status }: Pod, view: ClusterView): NodeView {
  return {
    name: spec.nodeName ?? "",
    ip: status.hostIP ?? "",
    allocate: () => undefined,
    imageSince: () => undefined,
    keepImage: () => undefined,
    trusts: () => true,
    lookup: () => undefined,
    view,
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
