// The containers' usage of their node's disk over time: their writable layers, and volumes of their pod that are not in memory.
import { byteLength } from "../../../shared/base/byte-text.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Beside, ContainerStats } from "../cri.ts";
import { type MountPoint, mountPoints } from "../run/volume-mounts.ts";
import type { ClusterView } from "../run/world.ts";
import type { Edit } from "../shell/files.ts";
import { traceOf } from "./handles.ts";

/** A change of a file in a place: a volume, or a container's writable layer. */
interface Change {
  readonly place: ContainerStats["place"];
  readonly path: string;
  readonly edit: Edit;
}

export function containerStats(pod: Pod, containers: readonly Beside[], view: ClusterView): ContainerStats[] {
  const changes = containers.flatMap((beside) => changesOf(pod, beside, view));
  changes.sort((a, b) => a.edit.atMs - b.edit.atMs);
  const usages = new Map<string, Usage>();
  return changes.map(({ place, path, edit }) => {
    const key = JSON.stringify(place);
    const usage = usages.get(key) ?? new Usage();
    usages.set(key, usage);
    usage.apply(path, edit);
    return { atMs: edit.atMs, place, usedBytes: usage.bytes };
  });
}

function changesOf(pod: Pod, { container, run }: Beside, view: ClusterView): Change[] {
  const mounts = mountPoints(pod, container, view);
  const volumes = new Map(pod.spec.volumes?.map((volume) => [volume.name, volume]));
  return [...traceOf(run).edits, ...view.edits(pod, container.name)].flatMap((edit): Change[] => {
    if (/^\/(proc|dev|sys)\//.test(edit.path)) return [];
    const mount = around(mounts, edit.path);
    if (!mount) return [{ place: { container: container.name }, path: edit.path, edit }];
    const emptyDir = volumes.get(mount.name)?.emptyDir;
    if (!emptyDir || emptyDir.medium === "Memory") return [];
    return [{ place: { volume: mount.name }, path: mount.below + edit.path.slice(mount.path.length), edit }];
  });
}

function around(mounts: readonly MountPoint[], path: string): MountPoint | undefined {
  const enclosing = mounts.filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`));
  return enclosing.sort((a, b) => b.path.length - a.path.length)[0];
}

/** The sizes of the files in one place. */
class Usage {
  readonly #sizes = new Map<string, number>();
  bytes = 0;

  apply(path: string, edit: Edit): void {
    if (edit.removed) {
      for (const storedPath of this.#sizes.keys())
        if (storedPath === path || storedPath.startsWith(`${path}/`)) this.#set(storedPath, undefined);
      return;
    }
    const size = edit.size ?? byteLength(edit.text ?? "");
    this.#set(path, (edit.appends ? (this.#sizes.get(path) ?? 0) : 0) + size);
  }

  #set(path: string, size: number | undefined): void {
    this.bytes += (size ?? 0) - (this.#sizes.get(path) ?? 0);
    if (size === undefined) this.#sizes.delete(path);
    else this.#sizes.set(path, size);
  }
}
