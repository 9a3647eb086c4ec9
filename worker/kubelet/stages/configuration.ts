// Problems that keep a pod or a container from being started although its image is present.
import { prepareProblem } from "../config/devices.ts";
import { environmentProblem, mountProblem, type Problem } from "../config/references.ts";
import { hostPathProblem } from "../config/host-path.ts";
import { attemptOf, type ContainerLife, isBeingStopped, type PodLife, recordEvent } from "../life.ts";
import { presentText } from "./event-texts.ts";
import { wait } from "./pull.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

/** Returns why the volumes cannot be mounted or the devices prepared. Both happen before the first container starts. */
export function volumeProblem(life: PodLife): Problem | undefined {
  if (life.podIp !== undefined) return undefined;
  const { pod, node } = life;
  const hostPath = hostPathProblem(pod, node.runtime.disk);
  return (
    mountProblem(pod, node.lookup) ??
    (hostPath === undefined ? undefined : { message: hostPath, waitsFor: "" }) ??
    prepareProblem(pod, node.lookup)
  );
}

/** Returns why the runtime cannot create the configuration of this container. */
export function configurationProblem(life: PodLife, container: ContainerLife): Problem | undefined {
  const { pod, node } = life;
  const created = node.runtime.createContainer(pod, container.spec, attemptOf(container));
  return (
    environmentProblem(pod, container.spec, node.lookup) ??
    rootProblem(life, container) ??
    (created.error === undefined
      ? undefined
      : { message: created.error, waitsFor: "", reason: created.isRefused ? refusedReason : misconfiguredReason })
  );
}

const misconfiguredReason = "CreateContainerConfigError";
const refusedReason = "CreateContainerError";

/** Sets the container to waiting with the problem. A later sync checks it again. */
export function reject(life: PodLife, container: ContainerLife, { message, reason }: Problem): void {
  wait(life, container, reason === refusedReason ? refusedReason : misconfiguredReason, message, message);
}

export function isMisconfigured(life: PodLife, container: ContainerLife): boolean {
  const reason = container.status.state.waiting?.reason;
  return (
    (reason === misconfiguredReason || reason === refusedReason) && configurationProblem(life, container) !== undefined
  );
}

/** Returns all objects that the pod waits for. */
export function waitsFor(life: PodLife): string[] {
  if (isBeingStopped(life)) return [];
  const problems = [
    volumeProblem(life),
    ...life.containers.map((container) =>
      isMisconfigured(life, container) ? configurationProblem(life, container) : undefined,
    ),
  ];
  return problems.flatMap((problem) => (problem?.waitsFor ? [problem.waitsFor] : []));
}

/** Retries a pod that cannot be started, and records events. A change of an object that it waits for triggers a sync at once. */
export const retrySync: Stage = {
  name: "retry sync",
  next(life) {
    if (Number.isNaN(life.startMs) || isBeingStopped(life)) return undefined;
    const problem = volumeProblem(life);
    if (problem) return again(life, "mount", mountRetryMs, () => announceMount(life));
    return earliestMove(
      life.containers
        .filter((container) => isMisconfigured(life, container))
        .map((container) => again(life, container.spec.name, syncMs, () => recordMisconfigured(life, container))),
    );
  },
};

/** So many attempts are recorded one by one, then one in five minutes, as upstream's event aggregation drops the rest. */
const singleEvents = 20;
const aggregateMs = 300_000;

/** The time of an attempt to mount: the waits double from half a second to about two minutes. */
function mountRetryMs(attempt: number): number {
  const doubled = 8;
  return attempt <= doubled ? 500 * (2 ** attempt - 1) : 500 * (2 ** doubled - 1) + (attempt - doubled) * 122_000;
}

/** The time of a sync: one about every twelve seconds. */
function syncMs(attempt: number): number {
  return attempt * 12_000;
}

function again(life: PodLife, what: string, retryMs: (attempt: number) => number, recordEvents: () => void): Move {
  const lastMs = Math.max(life.recordedMs.get(what) ?? life.sinceMs, life.startMs);
  let atMs = life.startMs;
  for (let attempt = 1; atMs <= lastMs && attempt <= singleEvents; attempt++) atMs = life.startMs + retryMs(attempt);
  if (atMs <= lastMs) atMs = life.startMs + (Math.floor((lastMs - life.startMs) / aggregateMs) + 1) * aggregateMs;
  return {
    atMs,
    writesNoStatus: true,
    apply: () => {
      life.recordedMs.set(what, atMs);
      recordEvents();
    },
  };
}

function recordMisconfigured(life: PodLife, container: ContainerLife): void {
  const image = container.spec.image ?? "";
  recordEvent(life, "Normal", "Pulled", presentText(life, image), container);
  recordEvent(life, "Warning", "Failed", `Error: ${configurationProblem(life, container)?.message ?? ""}`, container);
}

export function announceMount(life: PodLife): void {
  const problem = volumeProblem(life);
  if (problem && !problem.isQuiet) recordEvent(life, "Warning", problem.reason ?? "FailedMount", problem.message);
}

/** Returns why the container violates `runAsNonRoot` (upstream: `verifyRunAsNonRoot`). */
function rootProblem(life: PodLife, { spec }: ContainerLife): Problem | undefined {
  const pod = life.pod.spec.securityContext;
  if (!(spec.securityContext?.runAsNonRoot ?? pod?.runAsNonRoot)) return undefined;
  const { name = "", namespace = "", uid = "" } = life.pod.metadata;
  const where = `(pod: "${name}_${namespace}(${uid})", container: ${spec.name})`;
  const user = spec.securityContext?.runAsUser ?? pod?.runAsUser;
  if (user === 0) return { message: `container's runAsUser breaks non-root policy ${where}`, waitsFor: "" };
  const image = life.node.images.imageStatus(spec.image ?? "");
  if (user !== undefined || "error" in image) return undefined;
  if (image.username !== "") {
    const message = `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`;
    return { message, waitsFor: "" };
  }
  if (image.uid !== 0) return undefined;
  return { message: `container has runAsNonRoot and image will run as root ${where}`, waitsFor: "" };
}
