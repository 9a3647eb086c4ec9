// Eviction: of a pod whose emptyDir, or whose containers' writable layers, have grown past their limits (upstream: `localStorageEviction`), and
// of one that its node gives up.
import { byteLength } from "../../../shared/base/byte-text.ts";
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type ContainerLife, end, isBeingStopped, isRunning, isTerminalPhase, type PodLife, record } from "../life.ts";
import { type MountPoint, mountPoints } from "../../containers/run/volume-mounts.ts";
import type { Edit } from "../../containers/shell/files.ts";
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

/** A change of what something takes: of a volume, or of a container's own layer. */
interface Change {
  readonly atMs: number;
  readonly place: string;
  readonly path: string;
  readonly edit: Edit;
}

/** When a measurement finds too much, and what is said of it. */
function firstExcess(life: PodLife, nowMs: number): { readonly atMs: number; readonly message: string } | undefined {
  const changes = life.containers.filter(isRunning).flatMap((one) => changesOf(life, one, nowMs));
  changes.sort((a, b) => a.atMs - b.atMs);
  const sizes = new Map<string, Map<string, number>>();
  const measured = (atMs: number) => life.startMs + Math.ceil((atMs - life.startMs + 1) / periodMs) * periodMs;
  for (const [at, change] of changes.entries()) {
    note(sizes, change);
    const next = changes[at + 1];
    const atMs = measured(change.atMs);
    // What is gone again before it is measured is not seen.
    if (next && measured(next.atMs) === atMs) continue;
    const message = excessOf(life.pod, sizes);
    if (message !== undefined) return { atMs, message };
  }
  return undefined;
}

function changesOf(life: PodLife, { spec, status }: ContainerLife, nowMs: number): Change[] {
  const run = runOfContainer(life, { spec, status, role: "main" }, nowMs);
  const mounts = mountPoints(life.pod, spec, life.node.view);
  const volumes = new Map(life.pod.spec.volumes?.map((one) => [one.name, one]));
  return [...run.edits, ...life.node.view.edits(life.pod, spec.name)].flatMap((edit): Change[] => {
    if (/^\/(proc|dev|sys)\//.test(edit.path)) return [];
    const mount = around(mounts, edit.path);
    if (!mount) return [{ atMs: edit.atMs, place: `container/${spec.name}`, path: edit.path, edit }];
    const emptyDir = volumes.get(mount.name)?.emptyDir;
    if (!emptyDir || emptyDir.medium === "Memory") return [];
    return [
      { atMs: edit.atMs, place: `volume/${mount.name}`, path: mount.below + edit.path.slice(mount.path.length), edit },
    ];
  });
}

function around(mounts: readonly MountPoint[], path: string): MountPoint | undefined {
  const those = mounts.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
  return those.sort((a, b) => b.path.length - a.path.length)[0];
}

function note(sizes: Map<string, Map<string, number>>, { place, path, edit }: Change): void {
  const files = sizes.get(place) ?? new Map<string, number>();
  sizes.set(place, files);
  if (edit.removed) {
    for (const one of files.keys()) if (one === path || one.startsWith(`${path}/`)) files.delete(one);
    return;
  }
  const size = edit.size ?? byteLength(edit.text ?? "");
  files.set(path, (edit.appends ? (files.get(path) ?? 0) : 0) + size);
}

function excessOf({ spec }: Pod, sizes: ReadonlyMap<string, ReadonlyMap<string, number>>): string | undefined {
  const used = (place: string) => [...(sizes.get(place)?.values() ?? [])].reduce((sum, one) => sum + one, 0);
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
  const all = [...sizes.keys()].reduce((sum, place) => sum + used(place), 0);
  if (all > whole) {
    const text = limits.length === 1 ? only.limit : String(whole);
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  }
  const over = limits.find(({ name, limit }) => used(`container/${name}`) > quantityValue(limit));
  return over && `Container ${over.name} exceeded its local ephemeral storage limit ${JSON.stringify(over.limit)}. `;
}
