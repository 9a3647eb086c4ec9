// Records events that name the software which a pod uses, the simulator lacks, and is therefore assumed to exist.
import { type ContainerLife, isBeingStopped, isRunning, type PodLife, record } from "../life.ts";
import type { Assumption } from "../../containers/cri.ts";
import { course, probeKinds, probeOf } from "./probe-run.ts";
import { runOfContainer } from "./running.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

/** The number of names that an event lists. */
const maxListed = 5;

export const tellAssumptions: Stage = {
  name: "tell assumptions",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    return earliestMove(life.containers.filter(isRunning).map((container) => untold(life, container, nowMs)));
  },
};

/** Makes this sync record the container's assumptions from its start on: stored times are too coarse to compare with the last sync. */
export function startTelling(life: PodLife, container: ContainerLife): void {
  life.recordedMs.set(keyOf(container), Number.NEGATIVE_INFINITY);
}

function keyOf({ status }: ContainerLife): string {
  return `${status.containerID ?? ""}/assumed`;
}

function untold(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  const toldMs = life.recordedMs.get(keyOf(container)) ?? life.sinceMs;
  const all = [...runOfContainer(life, container, nowMs).assumed, ...ofProbes(life, container, nowMs)];
  const earlier = new Set(all.flatMap(({ atMs, what }) => (atMs <= toldMs ? [what] : [])));
  const next = all.filter(({ atMs, what }) => atMs > toldMs && !earlier.has(what));
  const atMs = Math.min(...next.map((assumption) => assumption.atMs));
  if (next.length === 0) return undefined;
  return {
    atMs,
    quiet: true,
    apply: () => {
      const lastMs = Math.max(atMs, nowMs);
      life.recordedMs.set(keyOf(container), lastMs);
      const names = [...new Set(next.flatMap((assumption) => (assumption.atMs <= lastMs ? [assumption.what] : [])))];
      record(life, "Normal", "Simulated", textOf(names), container);
    },
  };
}

function ofProbes(life: PodLife, container: ContainerLife, nowMs: number): Assumption[] {
  return probeKinds.flatMap((kind) => {
    if (!probeOf(container, kind)?.exec) return [];
    return course(life, container, kind, nowMs).stretches.flatMap(({ firstMs, assumed }) =>
      assumed.map(({ what }) => ({ atMs: firstMs, what })),
    );
  });
}

function textOf(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : "";
  return `Not simulated, assumed to exist in the image and to succeed: ${names.slice(0, maxListed).join(", ")}${more}`;
}
