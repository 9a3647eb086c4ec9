// Eviction: of a pod whose emptyDir, or whose containers' writable layers, have grown past their limits (upstream: `localStorageEviction`), and
// of one that its node gives up.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { end, isBeingStopped, isRunning, isTerminalPhase, type PodLife, record } from "../life.ts";
import type { ContainerStats } from "../../containers/cri.ts";
import { phaseOf } from "../status/phase.ts";
import { runOfContainer } from "./running.ts";
import { settle } from "./settle.ts";
import type { Stage } from "./stage.ts";

/** How often a kubelet measures. */
const periodMs = 10_000;
const storage = "ephemeral-storage";

export const evict: Stage = {
  name: "evict",
  next(life, nowMs) {
    if (isBeingStopped(life) || isTerminalPhase(phaseOf(life))) return undefined;
    const given = life.node.evicted;
    if (given === undefined && !isLimited(life.pod)) return undefined;
    const found = given === undefined ? firstExcess(life, nowMs) : { atMs: nowMs, message: given };
    if (!found) return undefined;
    return {
      atMs: found.atMs,
      apply(_, atMs) {
        life.failing = { reason: "Evicted", message: found.message };
        life.disruption = given;
        record(life, "Warning", "Evicted", found.message);
        for (const one of life.containers.filter(isRunning)) {
          record(life, "Normal", "Killing", `Stopping container ${one.spec.name}`, one);
          end(one, atMs, { exitCode: 137, reason: "Error" });
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

/** When a measurement finds too much, and what is said of it. */
function firstExcess(life: PodLife, nowMs: number): { readonly atMs: number; readonly message: string } | undefined {
  const running = life.containers
    .filter(isRunning)
    .map((one) => ({ container: one.spec, run: runOfContainer(life, one, nowMs) }));
  const changes = life.node.runtime.listContainerStats(life.pod, running);
  const usage = new Map<string, number>();
  const measured = (atMs: number) => life.startMs + Math.ceil((atMs - life.startMs + 1) / periodMs) * periodMs;
  for (const [at, change] of changes.entries()) {
    usage.set(placeKey(change.place), change.usedBytes);
    const next = changes[at + 1];
    const atMs = measured(change.atMs);
    // What is gone again before it is measured is not seen.
    if (next && measured(next.atMs) === atMs) continue;
    const message = excessOf(life.pod, usage);
    if (message !== undefined) return { atMs, message };
  }
  return undefined;
}

function placeKey(place: ContainerStats["place"]): string {
  return "volume" in place ? `volume/${place.volume}` : `container/${place.container}`;
}

function excessOf({ spec }: Pod, usage: ReadonlyMap<string, number>): string | undefined {
  const used = (place: string) => usage.get(place) ?? 0;
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit && used(`volume/${name}`) > quantityValue(limit))
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit)}. `;
  }
  const limits = spec.containers.flatMap(({ name, resources }) => {
    const limit = resources.limits?.[storage];
    return limit === undefined ? [] : [{ name, limit }];
  });
  const [only] = limits;
  if (!only) return undefined;
  const whole = limits.reduce((sum, { limit }) => sum + quantityValue(limit), 0);
  const all = [...usage.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (all > whole) {
    const text = limits.length === 1 ? only.limit : String(whole);
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  }
  const over = limits.find(({ name, limit }) => used(`container/${name}`) > quantityValue(limit));
  return over && `Container ${over.name} exceeded its local ephemeral storage limit ${JSON.stringify(over.limit)}. `;
}
