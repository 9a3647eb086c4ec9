// Computes runs of containers that share volumes: a volume that several containers of a pod mount, or that outlives a container.
import { limits } from "../../../shared/base/limits.ts";
import type { Container, ContainerStatus, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime, rfc3339 } from "../../../shared/k8s/time.ts";
import type { Edit } from "../shell/files.ts";
import { endPath } from "../shell/outside-input.ts";
import type { Trace } from "../shell/trace.ts";
import { programServer, visitEdit, visitIdOf, visitPath } from "../wasm/visits.ts";
import { ProgramServer } from "./program-server.ts";
import { execIn, type RunQuestion, runOf } from "./run.ts";
import { isWritable, type MountPoint, mountPoints } from "./volume-mounts.ts";
import type { ClusterView } from "./world.ts";

/** A container and its status. */
export interface Placed {
  readonly spec: Container;
  readonly status: ContainerStatus;
}

export interface PodView {
  readonly pod: Pod;
  readonly view: ClusterView;
  readonly containers: readonly Placed[];
  /** Runs that depend on no other container. Each is computed once. */
  readonly alone?: Map<string, Trace>;
}

export interface RunOptions {
  readonly untilMs: number;
  /** The moment up to which the containers that share its volumes are followed. Default: `untilMs`. */
  readonly besidesUntilMs?: number;
  readonly termMs?: number;
  readonly prints?: boolean;
  /** Whether the run continues from its last position. Default: whether the container is running. */
  readonly isContinued?: boolean;
  /** Whether the program's own server replays its visits. Default: true. */
  readonly isVisited?: boolean;
  /** The moment from which visits of the program's own server are replayed in addition to the newest ones. */
  readonly visitsFromMs?: number;
  /** The bound of the run's work, in units. Default: the container's share of its pod's work. */
  readonly work?: number;
}

/** Returns the present run of a container, or the last that ended; undefined before the first. */
export function presentRun(podView: PodView, placed: Placed, options: RunOptions): Trace | undefined {
  const { state, lastState } = placed.status;
  const present = state.running ?? state.terminated ?? lastState.terminated;
  return present?.startedAt ? runFrom(podView, placed, parseTime(present.startedAt), options, []) : undefined;
}

/** Returns the run that began at a moment. `ancestors`: the containers whose files required this run; they are not followed again. */
export function runFrom(
  podView: PodView,
  { spec, status }: Placed,
  startMs: number,
  options: RunOptions,
  ancestors: readonly string[],
): Trace {
  const ancestorsAndSelf = [...ancestors, spec.name];
  const siblings = followsSiblings(podView, spec, ancestors)
    ? containersSharingVolumes(podView, spec, ancestorsAndSelf)
    : [];
  const isRepeated = hasWritableVolume(podView, spec) && status.restartCount > 0;
  const sharerCount = siblings.length + (isRepeated ? 1 : 0);
  const ownWork =
    options.work ?? shareOf(podView, spec, options.prints ? limits.containerPrintWork : limits.containerWork);
  const besideWork =
    ancestors.length === 0
      ? (options.prints ? limits.besidePrintWork : limits.besideWork) / Math.max(sharerCount, podView.containers.length)
      : ownWork / 2 / Math.max(sharerCount, 1);
  const followed = { untilMs: options.besidesUntilMs ?? options.untilMs, work: besideWork };
  const siblingEdits = siblings.flatMap((sibling) => editsOf(podView, sibling, spec, followed, ancestorsAndSelf));
  const earlier = isRepeated ? earlierEdits(podView, spec, status, siblingEdits, followed.work) : [];
  const { pod, view } = podView;
  const all = [...earlier, ...siblingEdits, ...personalEdits(podView, { spec, status }, startMs, siblings)];
  const outside =
    options.isVisited === false ? all.filter(({ path }) => path !== visitPath) : withNewestVisits(all, options);
  const question = { pod, view, container: spec, startMs, ...options, work: ownWork };
  // Only the full present run is suspended. Runs for siblings, and partial runs, are computed from the start.
  const isWhole = ancestors.length === 0 && options.prints === true && options.termMs === undefined;
  const isRunning = options.isContinued ?? status.state.running !== undefined;
  const isPresent = isWhole && isRunning && !spec.stdin && !hasHook(spec);
  const run = runOf({ ...question, outside, isPresent });
  const begun = afterStart(podView, spec, run, startMs);
  const whatCame = [...outside, ...begun];
  return withProgramServer(
    { ...question, outside: whatCame },
    begun.length > 0 ? runOf({ ...question, outside: whatCame }) : run,
    [...all, ...begun],
  );
}

/**
 * Leaves out the oldest visits of a program's own server, because replaying all of them would exceed the bound of work. Visits are dropped in
 * blocks, because a suspended server starts again whenever its oldest visits change.
 */
function withNewestVisits(
  edits: readonly Edit[],
  { visitsFromMs: fromMs = Number.POSITIVE_INFINITY }: Pick<RunOptions, "visitsFromMs"> = {},
  most: number = limits.replayedVisits,
): readonly Edit[] {
  const visits = edits.filter(({ path }) => path === visitPath).sort((a, b) => a.atMs - b.atMs);
  const block = Math.ceil(most / 2);
  const count = visits.length > most ? Math.ceil((visits.length - most) / block) * block : 0;
  const recorded = visits.findIndex(({ atMs }) => atMs >= fromMs);
  const dropped = recorded < 0 ? count : Math.min(count, Math.max(recorded, visits.length - limits.recordedVisits));
  const old = new Set(visits.slice(0, dropped));
  return old.size === 0 ? edits : edits.filter((edit) => !old.has(edit));
}

/** Adds the answers of a program's own server. `all`: all edits from outside, including the visits that the run leaves out. */
function withProgramServer(
  question: RunQuestion & { readonly outside: readonly Edit[] },
  run: Trace,
  all: readonly Edit[],
): Trace {
  if (run.server !== programServer) return run;
  let recordedIds: ReadonlySet<string> | undefined;
  const server = new ProgramServer(question);
  const visited: Trace["visited"] = (visit, request) => {
    const { atMs, earlier = [] } = request;
    // A program has done nothing yet at the moment of its start.
    const newEdit = { atMs: Math.max(atMs, question.startMs + 1), ...visitEdit(visit) };
    const idOf = (edit: Edit) => visitIdOf(edit, question.view.account);
    recordedIds ??= new Set(all.filter(({ path }) => path === visitPath).map(idOf));
    question.view.account((all.length + earlier.length) / editsPerUnit);
    const more = [...earlier, newEdit].filter((edit) => edit.path !== visitPath || !recordedIds?.has(idOf(edit)));
    return server.visit(visit, request, (most) => withNewestVisits([...all, ...more], {}, most));
  };
  const revisited: Trace["revisited"] = (visits, untilMs) =>
    runOf({ ...question, outside: [...question.outside, ...visits], untilMs });
  return { ...run, visited, revisited };
}

/** The number of edits that are searched for a unit of work. */
const editsPerUnit = 500;

/** Returns a container's share of a pod's work. Init containers run one by one before the other containers; sidecars run beside both. */
function shareOf({ pod, containers }: PodView, { name }: Container, work: number): number {
  const steps = new Set(
    (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== "Always").map((step) => step.name),
  );
  const lasting = containers.filter(({ spec }) => !steps.has(spec.name));
  const sidecars = (pod.spec.initContainers?.length ?? 0) - steps.size;
  return work / Math.max(1, steps.has(name) ? 1 + sidecars : lasting.length);
}

/** The depth to which containers that share volumes are followed. */
const deepest = 3;
/** The number of containers that may share volumes before siblings are followed without their own siblings. */
const mostAsking = 3;

function followsSiblings(podView: PodView, spec: Container, ancestors: readonly string[]): boolean {
  if (ancestors.length === 0) return true;
  return ancestors.length < deepest && containersSharingVolumes(podView, spec, [spec.name]).length <= mostAsking;
}

/** Returns the changes by people. Changes in volumes outlive the run; others are lost with it. */
function personalEdits(
  podView: PodView,
  { spec, status }: Placed,
  startMs: number,
  siblings: readonly Placed[],
): Edit[] {
  const volumes = writableMounts(podView, spec);
  // Stored times have whole seconds: the end of the previous run may fall into the second in which this run began.
  const endsMs = status.restartCount > 0 ? startMs + 1000 : startMs;
  // The edits of runs that are followed here are not applied twice.
  const followed = new Set([
    runName(podView.pod, spec, startMs),
    ...siblings.map((sibling) => runName(podView.pod, sibling.spec, parseTime(startOf(sibling) ?? rfc3339(0)))),
  ]);
  return podView.view
    .edits(podView.pod, spec.name)
    .filter(({ by }) => by === undefined || !followed.has(by))
    .filter(({ atMs, path: edited }) =>
      edited === endPath
        ? atMs >= endsMs
        : atMs >= startMs || volumes.some(({ path }) => edited === path || edited.startsWith(`${path}/`)),
    );
}

/** Returns the changes of a run up to now in volumes that outlive its pod, so that they can be stored. */
export function durableEdits(
  { pod, view }: PodView,
  { spec }: Placed,
  run: Trace,
  startMs: number,
  nowMs: number,
): Edit[] {
  const lasting = mountPoints(pod, spec, view).filter(({ volume, readOnly }) => !readOnly && isLasting(volume));
  if (lasting.length === 0) return [];
  const by = runName(pod, spec, startMs);
  const isThere = ({ path, atMs }: Edit) =>
    atMs <= nowMs && lasting.some((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
  return run.edits.filter(isThere).map((edit) => ({ ...edit, by }));
}

function isLasting({ persistentVolumeClaim, ephemeral, hostPath }: Volume): boolean {
  return Boolean(persistentVolumeClaim) || Boolean(ephemeral) || Boolean(hostPath);
}

function runName({ metadata }: Pod, { name }: Container, startMs: number): string {
  return `${metadata.uid ?? ""}/${name}/${startMs}`;
}

function hasHook({ lifecycle }: Container): boolean {
  return lifecycle?.postStart?.exec !== undefined;
}

/** Returns the edits of a container's postStart hook. */
function afterStart({ pod, view }: PodView, container: Container, run: Trace, startMs: number): readonly Edit[] {
  const words = container.lifecycle?.postStart?.exec?.command;
  if (!words?.length) return [];
  const question = { pod, view, container, words, files: run.initial, ports: run.ports };
  const hook = execIn({ ...question, nowMs: startMs, untilMs: startMs + hookMs, work: limits.probeWork });
  return "missing" in hook ? [] : hook.edits;
}

/** The time limit of a hook. */
const hookMs = 600_000;

/** Returns the mounts of volumes that a container may write to. */
function writableMounts({ pod, view }: Pick<PodView, "pod" | "view">, container: Container): MountPoint[] {
  return mountPoints(pod, container, view).filter(({ volume }) => isWritable(volume));
}

function hasWritableVolume(podView: PodView, spec: Container): boolean {
  return writableMounts(podView, spec).length > 0;
}

function containersSharingVolumes(podView: PodView, spec: Container, excluded: readonly string[]): Placed[] {
  const volumes = new Set(writableMounts(podView, spec).map(({ name }) => name));
  if (volumes.size === 0) return [];
  return podView.containers.filter(
    (sibling) =>
      !excluded.includes(sibling.spec.name) &&
      writableMounts(podView, sibling.spec).some(({ name }) => volumes.has(name)),
  );
}

/** Returns the start of a container's present run, or of the last that ended. */
function startOf({ status: { state, lastState } }: Placed): string | undefined {
  return (state.running ?? state.terminated ?? lastState.terminated)?.startedAt ?? undefined;
}

/** Returns the changes that a sibling made to shared volumes, under the paths of the container `spec`. */
function editsOf(
  podView: PodView,
  sibling: Placed,
  spec: Container,
  { untilMs, work }: { readonly untilMs: number; readonly work: number },
  ancestors: readonly string[],
): Edit[] {
  const { state, lastState } = sibling.status;
  const startedAt = startOf(sibling);
  if (!startedAt) return [];
  const { finishedAt } = state.running ? { finishedAt: undefined } : (state.terminated ?? lastState.terminated ?? {});
  // Stored times have whole seconds, so the run includes all of its last second.
  const endedMs = finishedAt ? parseTime(finishedAt) + 999 : Number.POSITIVE_INFINITY;
  const options = { untilMs: Math.min(untilMs, endedMs), work };
  const run = () => runFrom(podView, sibling, parseTime(startedAt), options, ancestors);
  const key = JSON.stringify([sibling.spec.name, startedAt, options.untilMs, work]);
  const isAlone = !followsSiblings(podView, sibling.spec, ancestors);
  const siblingRun = (isAlone ? podView.alone?.get(key) : undefined) ?? run();
  if (isAlone) podView.alone?.set(key, siblingRun);
  // Changes by people are not edits of the run. Those in volumes that outlive the pod are already read for this container.
  const sharers = containersSharingVolumes(podView, sibling.spec, [sibling.spec.name]);
  const personal = personalEdits(podView, sibling, parseTime(startedAt), sharers);
  return [
    ...mapEdits(podView, siblingRun.edits, sibling.spec, spec),
    ...mapEdits(podView, personal, sibling.spec, spec, false),
  ];
}

/**
 * Translates edits of shared volumes between the paths of two containers. `withLasting`: includes volumes that outlive the pod, whose files are
 * stored.
 */
function mapEdits(
  podView: PodView,
  edits: readonly Edit[],
  from: Container,
  to: Container,
  withLasting = true,
): Edit[] {
  const targets = writableMounts(podView, to).filter(({ volume }) => withLasting || !isLasting(volume));
  return writableMounts(podView, from).flatMap((source) => {
    const those = targets.filter(({ name }) => name === source.name);
    if (those.length === 0) return [];
    return edits
      .filter(({ path }) => path === source.path || path.startsWith(`${source.path}/`))
      .flatMap((edit) => {
        const inside = source.below + edit.path.slice(source.path.length);
        return those
          .filter(({ below }) => inside === below || inside.startsWith(`${below}/`))
          .map(({ path, below }) => ({ ...edit, path: path + inside.slice(below.length) }));
      });
  });
}

/** The number of earlier runs that are followed. */
const earlierRuns = 10;

/** Returns what the earlier runs of a container left in its volumes. They are assumed to follow one another without a pause. */
function earlierEdits(
  podView: PodView,
  spec: Container,
  status: ContainerStatus,
  siblingEdits: readonly Edit[],
  allWork: number,
): Edit[] {
  const { state, lastState } = status;
  const begun = state.running ?? state.terminated ?? lastState.terminated;
  const startMs = begun?.startedAt ? parseTime(begun.startedAt) : 0;
  let left: Edit[] = [];
  const rounds = Math.min(status.restartCount, earlierRuns);
  const work = allWork / rounds;
  for (let round = 0; round < rounds; round++) {
    const { pod, view } = podView;
    const outside = [...left, ...siblingEdits.filter(({ atMs }) => atMs <= startMs)].map((edit) => ({
      ...edit,
      atMs: 0,
    }));
    const { edits } = runOf({ pod, view, container: spec, startMs: 0, untilMs: startMs, outside, work });
    const roundEdits = mapEdits(podView, edits, spec, spec, false).map((edit) => ({ ...edit, atMs: 0 }));
    if (roundEdits.length === 0) break;
    left = [...left, ...roundEdits];
  }
  return left.map((edit) => ({ ...edit, atMs: startMs }));
}
