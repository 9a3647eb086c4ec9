// The mounts of a container whose volumes outlive its pod: volumes of claims and folders of its node. Translates paths between container and volume.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";

export interface ClaimMount {
  /** The claim as `namespace/name`, or the node of a hostPath as `/name`. */
  readonly claim: string;
  /** The path of the mount, without a trailing slash. */
  readonly at: string;
  /** The folder of the volume that is mounted; "" for all of it. */
  readonly below: string;
}

export function claimMounts({ metadata, spec }: Pod, container: string): ClaimMount[] {
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  const mounts = all.find((candidate) => candidate.name === container)?.volumeMounts ?? [];
  if (mounts.length === 0) return [];
  const volumes = new Map(spec.volumes?.map((volume) => [volume.name, volume]));
  return mounts.flatMap(({ name, mountPath, subPath }) => {
    const volume = volumes.get(name);
    const at = trimmedEnd(mountPath, "/");
    const below = subPath ? `/${trimmedEnd(subPath, "/")}` : "";
    if (volume?.hostPath) {
      return [{ claim: `/${spec.nodeName ?? ""}`, at, below: trimmedEnd(volume.hostPath.path, "/") + below }];
    }
    const claimName = volume?.ephemeral ? `${metadata.name ?? ""}-${name}` : volume?.persistentVolumeClaim?.claimName;
    if (claimName === undefined) return [];
    const claim = `${metadata.namespace ?? ""}/${claimName}`;
    return [{ claim, at, below }];
  });
}

/** Returns the innermost mount that contains a path. */
export function mountOf(mounts: readonly ClaimMount[], path: string): ClaimMount | undefined {
  const around = mounts.filter(({ at }) => path === at || path.startsWith(`${at}/`));
  return around.reduce<ClaimMount | undefined>((a, b) => (a && a.at.length >= b.at.length ? a : b), undefined);
}

export function insideOf({ at, below }: ClaimMount, path: string): string {
  return below + path.slice(at.length);
}

/** Returns the path in the container of a path in the volume; undefined if it is not below the mounted folder. */
export function pathIn({ at, below }: ClaimMount, inside: string): string | undefined {
  return inside === below || inside.startsWith(`${below}/`) ? at + inside.slice(below.length) : undefined;
}
