// Evicts a pod whose emptyDir or whose containers' writable layers exceed their limits (upstream: `localStorageEviction`), and a pod
// that its node evicts under pressure.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { end, isBeingStopped, isRunning, isTerminalPhase, type PodLife, recordEvent } from "../life.ts";
import type { ContainerStats } from "../../containers/cri.ts";
import { phaseOf } from "../status/phase.ts";
import { runOfContainer } from "./running.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";

/** The interval of a kubelet's measurements. */
const periodMs = 10_000;
const storage = "ephemeral-storage";

export const evict: Stage = {
  name: "evict",
  next(life, nowMs) {
    if (isBeingStopped(life) || isTerminalPhase(phaseOf(life))) return undefined;
    const nodeReason = life.node.evicted;
    if (nodeReason === undefined && !isLimited(life.pod)) return undefined;
    const excess = nodeReason === undefined ? firstExcess(life, nowMs) : { atMs: nowMs, message: nodeReason };
    if (!excess) return undefined;
    return {
      atMs: excess.atMs,
      apply(_, atMs) {
        life.failing = { reason: "Evicted", message: excess.message };
        life.disruption = nodeReason;
        recordEvent(life, "Warning", "Evicted", excess.message);
        for (const container of life.containers.filter(isRunning)) {
          recordEvent(life, "Normal", "Killing", `Stopping container ${container.spec.name}`, container);
          end(container, atMs, { exitCode: 137, reason: "Error" });
        }
        settle(life);
        life.stopped = true;
      },
    };
  },
};

function isLimited({ spec }: Pod): boolean {
  const isVolume = spec.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit && emptyDir.medium !== "Memory");
  return isVolume === true || spec.containers.some(({ resources }) => resources.limits?.[storage] !== undefined);
}

/** Returns the first measurement that exceeds a limit, with its message. */
function firstExcess(life: PodLife, nowMs: number): { readonly atMs: number; readonly message: string } | undefined {
  const running = life.containers
    .filter(isRunning)
    .map((container) => ({ container: container.spec, run: runOfContainer(life, container, nowMs) }));
  const changes = life.node.runtime.listContainerStats(life.pod, running);
  const usage = new Map<string, number>();
  const measurementMs = (atMs: number) => life.startMs + Math.ceil((atMs - life.startMs + 1) / periodMs) * periodMs;
  for (const [at, change] of changes.entries()) {
    usage.set(placeKey(change.place), change.usedBytes);
    const next = changes[at + 1];
    const atMs = measurementMs(change.atMs);
    // A measurement misses what is removed before it.
    if (next && measurementMs(next.atMs) === atMs) continue;
    const message = excessOf(life.pod, usage);
    if (message !== undefined) return { atMs, message };
  }
  return undefined;
}

function placeKey(place: ContainerStats["place"]): string {
  return "volume" in place ? `volume/${place.volume}` : `container/${place.container}`;
}

function excessOf({ spec }: Pod, usage: ReadonlyMap<string, number>): string | undefined {
  const usedBytes = (place: string) => usage.get(place) ?? 0;
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit && usedBytes(`volume/${name}`) > quantityValue(limit))
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit)}. `;
  }
  const limits = spec.containers.flatMap(({ name, resources }) => {
    const limit = resources.limits?.[storage];
    return limit === undefined ? [] : [{ name, limit }];
  });
  const [only] = limits;
  if (!only) return undefined;
  const totalLimit = limits.reduce((sum, { limit }) => sum + quantityValue(limit), 0);
  const all = [...usage.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (all > totalLimit) {
    const text = limits.length === 1 ? only.limit : String(totalLimit);
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  }
  const over = limits.find(({ name, limit }) => usedBytes(`container/${name}`) > quantityValue(limit));
  return over && `Container ${over.name} exceeded its local ephemeral storage limit ${JSON.stringify(over.limit)}. `;
}
