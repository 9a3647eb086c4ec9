// Records events that name the software which a pod uses, the simulator lacks, and is therefore assumed to exist.
import { type ContainerLife, isBeingStopped, isRunning, type PodLife, recordEvent } from "../life.ts";
import type { Assumption } from "../../containers/cri.ts";
import { probeHistory, probeKinds, probeOf } from "./probe-history.ts";
import { runOfContainer } from "./running.ts";
import { earliestMove, type Move, type Stage } from "./stage.ts";

/** The number of names that an event lists. */
const maxListed = 5;

export const recordAssumptions: Stage = {
  name: "record assumptions",
  next(life, nowMs) {
    if (isBeingStopped(life)) return undefined;
    return earliestMove(life.containers.filter(isRunning).map((container) => nextAssumptions(life, container, nowMs)));
  },
};

/** Makes this sync record the container's assumptions from its start on: stored times are too coarse to compare with the last sync. */
export function recordFromStart(life: PodLife, container: ContainerLife): void {
  life.recordedMs.set(keyOf(container), Number.NEGATIVE_INFINITY);
}

function keyOf({ status }: ContainerLife): string {
  return `${status.containerID ?? ""}/assumed`;
}

function nextAssumptions(life: PodLife, container: ContainerLife, nowMs: number): Move | undefined {
  const recordedMs = life.recordedMs.get(keyOf(container)) ?? life.sinceMs;
  const all = [...runOfContainer(life, container, nowMs).assumed, ...ofProbes(life, container, nowMs)];
  const earlier = new Set(all.flatMap(({ atMs, what }) => (atMs <= recordedMs ? [what] : [])));
  const next = all.filter(({ atMs, what }) => atMs > recordedMs && !earlier.has(what));
  const atMs = Math.min(...next.map((assumption) => assumption.atMs));
  if (next.length === 0) return undefined;
  return {
    atMs,
    writesNoStatus: true,
    apply: () => {
      const lastMs = Math.max(atMs, nowMs);
      life.recordedMs.set(keyOf(container), lastMs);
      const names = [...new Set(next.flatMap((assumption) => (assumption.atMs <= lastMs ? [assumption.what] : [])))];
      recordEvent(life, "Normal", "Simulated", textOf(names), container);
    },
  };
}

function ofProbes(life: PodLife, container: ContainerLife, nowMs: number): Assumption[] {
  return probeKinds.flatMap((kind) => {
    if (!probeOf(container, kind)?.exec) return [];
    return probeHistory(life, container, kind, nowMs).series.flatMap(({ firstMs, assumed }) =>
      assumed.map(({ what }) => ({ atMs: firstMs, what })),
    );
  });
}

function textOf(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : "";
  return `Not simulated, assumed to exist in the image and to succeed: ${names.slice(0, maxListed).join(", ")}${more}`;
}
