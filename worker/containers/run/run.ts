// Computes one run of a container: what its program does from its start. Pure: the same input has the same result.
import { must } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { absolute, type Edit, Files } from "../shell/files.ts";
import { typedInput } from "../shell/input.ts";
import type { UnknownPolicy } from "../shell/assumption.ts";
import { unknownServer } from "../shell/not-simulated.ts";
import { scriptInPath } from "../shell/program-paths.ts";
import { isThere } from "../shell/program-lookup.ts";
import type { Beside, NodeRuntime, ServiceView, World } from "../shell/process.ts";
import type { Input } from "../shell/shell.ts";
import { Run, type Start, trace, type Trace } from "../shell/trace.ts";
import { environmentOf, newArgumentBudget } from "./environment.ts";
import { selfOf } from "./identity.ts";
import { mountUpdates } from "./mount-updates.ts";
import { mountedFiles } from "./mounts.ts";
import { withNodeLogs } from "./node-logs.ts";
import { withNamedPorts } from "./named-ports.ts";
import { programOf } from "./program.ts";
import { unknownPolicy } from "./unknown-policy.ts";
import { isWritable, mountPoints } from "./volume-mounts.ts";
import { workingDirOf } from "./working-dir.ts";
import type { RecordedLog } from "../cri.ts";
import type { ClusterView, Network } from "./world.ts";

export interface RunQuestion {
  readonly pod: Pod;
  readonly container: Container;
  readonly view: ClusterView;
  readonly startMs: number;
  /** The moment up to which the run is followed. */
  readonly untilMs: number;
  readonly termMs?: number;
  /** The changes that other containers make to shared volumes, and that people make in the container. */
  readonly outside?: readonly Edit[];
  /** See `World.onward`. */
  readonly onward?: World["onward"] | undefined;
  /** Whether this is the present run, which may be suspended: see `ClusterView.suspendedRuns`. */
  readonly isPresent?: boolean;
  /** Whether all output is returned. */
  readonly prints?: boolean;
  /** The bound of the run's work, in units. Default: `containerPrintWork` or `containerWork`. */
  readonly work?: number;
}

/** The run of an unknown image without a command: a server of which nothing is computed. */
const plain: Trace = {
  assumed: [],
  isAssumed: true,
  chunks: [],
  initial: new Files(),
  edits: [],
  outside: [],
  end: undefined,
  endless: true,
  knownMs: Number.POSITIVE_INFINITY,
  skippedMs: Number.NEGATIVE_INFINITY,
  isSpent: false,
  work: 0,
  waitsFor: new Set(),
  asksOthers: false,
  hasAsked: false,
  awaitsOthers: false,
  heedsTerm: true,
  traps: false,
  ports: new Map(),
  server: unknownServer,
};

export function runOf(question: RunQuestion): Trace {
  const { pod, container, view, startMs } = question;
  if (isPlain(pod, container, view))
    return withFiles({ ...plain, isAssumed: unknownPolicy(pod, view) === "succeed" }, question);
  const createdMs = startedMs(question);
  const outside = [...(question.outside ?? []), ...mountUpdates(pod, container, view, createdMs)];
  const start = () => startOf(question, createdMs, outside);
  const suspended = question.isPresent ? view.suspendedRuns : undefined;
  const key = JSON.stringify([pod.metadata.uid, pod.metadata.resourceVersion, container.name, startMs]);
  const run = suspended?.follow(key, question.untilMs, outside, () => new Run(start())) ?? trace(start());
  const servingRun = withNamedPorts(run, container, startMs);
  const recorded = recordedLog(question);
  return recorded ? withRecordedLog(servingRun, recorded) : servingRun;
}

function recordedLog({ pod, container, view, startMs, prints }: RunQuestion): RecordedLog | undefined {
  return prints ? view.recordedLog?.(pod, container.name, startMs) : undefined;
}

/** Replaces the output of a run by its recorded log. Lines from outside the container stay. */
function withRecordedLog(run: Trace, recorded: RecordedLog): Trace {
  const fromOutside = run.chunks.filter(({ isFromOutside }) => isFromOutside);
  return { ...run, chunks: [...recorded.chunks, ...fromOutside].sort((a, b) => a.atMs - b.atMs) };
}

/** The work of preparing a start: environment, files, names and identity. */
const startWork = 800;
/** The work of preparing a command that runs in addition to the container's program. */
const execWork = 300;

/** Returns the parameters with which a program is started. */
function startOf(question: RunQuestion, createdMs: number, outside: readonly Edit[]): Start {
  const { pod, container, view, startMs } = question;
  view.account(startWork);
  const begun = view.at?.(createdMs) ?? view;
  const environment = environmentOf(pod, container, begun, startMs);
  const program = programOf(pod, container, environment, view);
  const { files, mounts } = mountedFiles(pod, container, begun);
  const { words, unknown, programs, knowsFiles, memoryLimit, isAssumed } = program;
  return {
    words,
    unknown,
    assumed: isAssumed ? ["the image's own program"] : [],
    policy: container.stdin && container.tty ? "fail" : unknownPolicy(pod, view),
    programs,
    knowsFiles,
    memoryLimit,
    startMs,
    untilMs: question.untilMs,
    environment,
    files,
    mounts,
    outside,
    world: {
      ...worldOf(pod, view, createdMs, container.name),
      ...(question.onward ? { onward: question.onward } : {}),
    },
    namespace: pod.metadata.namespace ?? "",
    host: environment["HOSTNAME"] ?? "",
    self: selfOf(pod, container, view),
    interactive: container.stdin ?? false,
    folder: workingDirOf(container, view),
    ...(container.stdin ? { input: typedTo(question) } : {}),
    ...(question.termMs === undefined ? {} : { termMs: question.termMs }),
    // The recorded log replaces the output.
    prints: question.prints === true && recordedLog(question) === undefined,
    work: question.work ?? (question.prints ? limits.containerPrintWork : limits.containerWork),
    report: view.report,
    account: view.account,
  };
}

/** Returns the start with milliseconds, from which the container reads the cluster. Stored times have whole seconds. */
function startedMs({ pod, container, view, startMs }: RunQuestion): number {
  return view.startedMs?.(pod, container.name, startMs) ?? startMs;
}

/** Returns the cluster as the run reads it at each moment, but never before `startMs`. Each Service is read once between two writes. */
function worldOf(pod: Pod, view: ClusterView, startMs: number, except?: string): World {
  let services = new Map<string, ServiceView | undefined>();
  let servicesUntilMs = Number.NEGATIVE_INFINITY;
  let servicesFromMs = Number.POSITIVE_INFINITY;
  let reach: Network | undefined;
  const moment = (atMs: number) => Math.max(atMs, startMs);
  const nextWriteMs = (afterMs: number) => view.nextWriteMs?.(moment(afterMs)) ?? Number.POSITIVE_INFINITY;
  return {
    nextWriteMs,
    refresh: () => {
      servicesUntilMs = Number.NEGATIVE_INFINITY;
      reach?.refresh?.();
    },
    service: (namespace, name, atMs) => {
      const lookupMs = moment(atMs);
      if (lookupMs < servicesFromMs || lookupMs >= servicesUntilMs) {
        services = new Map();
        servicesFromMs = lookupMs;
        servicesUntilMs = nextWriteMs(lookupMs);
      }
      const key = `${namespace}/${name}`;
      if (!services.has(key)) services.set(key, view.service(namespace, name, lookupMs));
      return services.get(key);
    },
    ...(view.nameOf ? { nameOf: (address, atMs) => view.nameOf?.(address, moment(atMs)) } : {}),
    ...(view.podsOn ? { node: nodeOf(pod, view) } : {}),
    ...(view.network
      ? { reach: (contact) => (reach ??= must(view.network?.(pod, except, startMs), "network"))(contact) }
      : {}),
  };
}

function nodeOf({ spec }: Pod, view: ClusterView): NodeRuntime {
  return {
    name: spec.nodeName ?? "",
    release: view.release,
    pods: () => view.podsOn?.(spec.nodeName ?? "") ?? [],
    log: (pod, container, previous, nowMs) => view.log?.(pod, container, previous, nowMs) ?? [],
    ownImages: view.ownImages,
    cluster: (atMs) => {
      const { client, controlPlane, pki } = view.at?.(atMs) ?? view;
      return client && { client, controlPlane: controlPlane?.(), pki };
    },
  };
}

/** Adds the files to a plain run. They are computed at the first read. */
function withFiles(run: Trace, question: RunQuestion): Trace {
  const { pod, container, view, outside = [] } = question;
  let createdMs: number | undefined;
  const created = () => (createdMs ??= startedMs(question));
  let initial: Files | undefined;
  let changes: readonly Edit[] | undefined;
  return {
    ...run,
    get outside() {
      return (changes ??= [...outside, ...mountUpdates(pod, container, view, created())]);
    },
    get initial() {
      return (initial ??= mountedFiles(pod, container, view.at?.(created()) ?? view).files);
    },
  };
}

/** Returns the input that people typed since the container started. The program waits for it until there is some. */
function typedTo({ pod, container, view, startMs }: RunQuestion): Input {
  const { typed = [], hasEnded = false } = view.typed(pod, container.name) ?? {};
  const sinceStart = typed.filter((line) => line.atMs >= startMs);
  return typedInput({ typed: sinceStart, hasEnded, isTerminal: container.tty ?? false });
}

/** Runs a command in addition to the container's program, with its environment and its files. */
export function execIn(
  question: Pick<RunQuestion, "pod" | "container" | "view"> & {
    readonly words: readonly string[];
    readonly files: Files;
    readonly ports: ReadonlyMap<number, number>;
    /** The container's own program, if its servers are known. */
    readonly beside?: Beside | undefined;
    readonly nowMs: number;
    readonly untilMs: number;
    readonly input?: string | Input;
    readonly prints?: boolean;
    readonly work?: number;
    /** The policy for software that the simulator lacks. Default: the policy of the pod. */
    readonly policy?: UnknownPolicy;
  },
): Trace | { readonly missing: string } {
  const { pod, container, view, words, nowMs } = question;
  view.account(execWork);
  const startMs = beganMs(pod, container.name);
  const begun = startMs === undefined ? view : (view.at?.(startMs) ?? view);
  const environment = environmentOf(pod, container, begun, startMs);
  const { programs, knowsFiles, memoryLimit } = programOf(pod, container, environment, view);
  const folder = workingDirOf(container, view);
  const missing = missingProgram(words, { programs, knowsFiles, environment, folder }, () => question.files);
  if (missing !== undefined) return { missing };
  const files = withNodeLogs(pod, container, view, question.files, nowMs);
  return trace({
    words,
    unknown: "ends",
    policy: unknownPolicy(pod, view, question.policy),
    programs,
    knowsFiles,
    memoryLimit,
    startMs: nowMs,
    untilMs: question.untilMs,
    environment,
    files,
    ports: question.ports,
    ...(question.beside ? { beside: question.beside } : {}),
    world: worldOf(pod, view, nowMs),
    namespace: pod.metadata.namespace ?? "",
    host: environment["HOSTNAME"] ?? "",
    self: selfOf(pod, container, view, words),
    isFirst: false,
    mounts: mountedFiles(pod, container, view).mounts,
    folder,
    prints: question.prints ?? false,
    work: question.work ?? (question.prints ? limits.containerPrintWork : limits.containerWork),
    report: view.report,
    account: view.account,
    ...(question.input === undefined ? {} : { input: question.input }),
  });
}

function beganMs({ status }: Pod, name: string): number | undefined {
  const all = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses];
  const containerStatus = all.flatMap((list) => list ?? []).find((candidate) => candidate.name === name);
  const startedAt = containerStatus?.state.running?.startedAt;
  return startedAt ? parseTime(startedAt) + 999 : undefined;
}

/** Returns the runtime's error if the container's program cannot be started. */
export function startProblem(pod: Pod, container: Container, view: ClusterView): string | undefined {
  if (isPlain(pod, container, view)) return undefined;
  const argumentBudget = newArgumentBudget();
  const environment = environmentOf(pod, container, view, undefined, argumentBudget);
  const { words, ...program } = programOf(pod, container, environment, view, argumentBudget);
  const start = { ...program, environment, folder: workingDirOf(container, view) };
  const why = argumentBudget.left < 0 ? tooLong(pod, container, view) : undefined;
  const problem = why ?? missingProgram(words, start, () => mountedFiles(pod, container, view).files);
  if (problem === undefined || (why === undefined && mayComeFromOthers(pod, container, view, words))) return undefined;
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${problem}`;
}

/**
 * Reports whether the program lies in a volume to which another container or an earlier pod may have written it. Only the run itself shows
 * whether the program exists.
 */
function mayComeFromOthers(pod: Pod, container: Container, view: ClusterView, [path = ""]: readonly string[]): boolean {
  if (!path.includes("/")) return false;
  const file = absolute(path, workingDirOf(container, view));
  const siblings = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].filter(
    ({ name }) => name !== container.name,
  );
  return mountPoints(pod, container, view).some(
    ({ path: folder, volume }) =>
      file.startsWith(`${folder}/`) &&
      isWritable(volume) &&
      (!volume.emptyDir ||
        siblings.some(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume.name))),
  );
}

function tooLong(pod: Pod, container: Container, view: ClusterView): string {
  return `exec: "${programOf(pod, container, {}, view).words[0] ?? ""}": argument list too long`;
}

/** Returns the error of a missing program. `filesOf` is called only if the list of the image's programs is not sufficient. */
function missingProgram(
  words: readonly string[],
  {
    programs,
    knowsFiles,
    environment,
    folder = "/",
  }: Pick<Start, "programs" | "knowsFiles" | "environment" | "folder">,
  filesOf: () => Files,
): string | undefined {
  const [path = ""] = words;
  const process = {
    programs,
    get files() {
      return filesOf();
    },
  };
  if (isThere({ process }, path, true)) return undefined;
  const at = path.includes("/") ? absolute(path, folder) : scriptInPath(filesOf(), environment?.["PATH"], path);
  const file = at === undefined ? undefined : filesOf().get(at);
  if (file?.text !== undefined)
    return knowsFiles && (file.mode & 0o111) === 0 ? `exec: "${path}": permission denied` : undefined;
  const why = path.includes("/") ? `stat ${path}: no such file or directory` : "executable file not found in $PATH";
  return `exec: "${path}": ${why}`;
}

/** Reports whether the container runs an unknown image without a command in a pod that is restarted for ever. */
function isPlain(pod: Pod, container: Container, view: ClusterView): boolean {
  if (container.command?.length) return false;
  const { words, unknown, programs } = programOf(pod, container, {}, view);
  return unknown === "serves" && programs === undefined && words[0] === "/entrypoint";
}
