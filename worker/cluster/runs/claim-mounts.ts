// Where a container mounts what outlives it, volumes of claims and folders of its node, and what a path within one is called outside and inside of it.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";

export interface ClaimMount {
  /** `namespace/name`; of a folder of a node, `/` and its name. */
  readonly claim: string;
  /** Without a closing slash. */
  readonly at: string;
  /** The folder of the volume that is mounted; empty for all of it. */
  readonly below: string;
}

export function claimMounts({ metadata, spec }: Pod, container: string): ClaimMount[] {
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  const mounts = all.find((one) => one.name === container)?.volumeMounts ?? [];
  if (mounts.length === 0) return [];
  const volumes = new Map(spec.volumes?.map((one) => [one.name, one]));
  return mounts.flatMap(({ name, mountPath, subPath }) => {
    const volume = volumes.get(name);
    const at = trimmedEnd(mountPath, "/");
    const below = subPath ? `/${trimmedEnd(subPath, "/")}` : "";
    if (volume?.hostPath) {
      return [{ claim: `/${spec.nodeName ?? ""}`, at, below: trimmedEnd(volume.hostPath.path, "/") + below }];
    }
    const own = volume?.ephemeral ? `${metadata.name ?? ""}-${name}` : volume?.persistentVolumeClaim?.claimName;
    if (own === undefined) return [];
    const claim = `${metadata.namespace ?? ""}/${own}`;
    return [{ claim, at, below }];
  });
}

/** The innermost of those that a path lies in. */
export function mountOf(mounts: readonly ClaimMount[], path: string): ClaimMount | undefined {
  const around = mounts.filter(({ at }) => path === at || path.startsWith(`${at}/`));
  return around.reduce<ClaimMount | undefined>((a, b) => (a && a.at.length >= b.at.length ? a : b), undefined);
}

export function insideOf({ at, below }: ClaimMount, path: string): string {
  return below + path.slice(at.length);
}

/** Undefined if it is in another folder of the volume. */
export function pathIn({ at, below }: ClaimMount, inside: string): string | undefined {
  return inside === below || inside.startsWith(`${below}/`) ? at + inside.slice(below.length) : undefined;
}
