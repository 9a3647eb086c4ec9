// The mounts of a container's volumes: the path, the folder of the volume, and whether the container may write to it.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Mount } from "../shell/process.ts";
import { declaredVariables, environmentOf, newArgumentBudget, expanded } from "./environment.ts";
import type { ClusterView } from "./world.ts";

export interface MountPoint extends Mount {
  readonly volume: Volume;
}

export function mountPoints(pod: Pod, container: Container, view: ClusterView): MountPoint[] {
  const { volumeMounts = [] } = container;
  if (volumeMounts.length === 0) return [];
  const volumes = new Map(pod.spec.volumes?.map((volume) => [volume.name, volume]));
  const expand = expander(pod, container, view);
  return volumeMounts.flatMap(({ name, mountPath, subPath = "", subPathExpr, readOnly = false }) => {
    const volume = volumes.get(name);
    if (!volume) return [];
    const below = subPathExpr ? (expand(subPathExpr).text ?? "") : subPath;
    const isReadOnly = readOnly || !isWritable(volume);
    return [
      {
        path: trimmedEnd(mountPath, "/"),
        type: typeOf(volume),
        readOnly: isReadOnly,
        name,
        below: folder(below),
        ...sizeOf(volume),
        ...(volume.hostPath ? { hostPath: trimmedEnd(volume.hostPath.path, "/") + folder(below) } : {}),
        volume,
      },
    ];
  });
}

/** Reports whether containers may write to a volume, if the mount is not read-only. */
export function isWritable({ configMap, secret, projected, downwardAPI, image }: Volume): boolean {
  return !configMap && !secret && !projected && !downwardAPI && !image;
}

/** Returns the kubelet's error if a subPath cannot be mounted. */
export function subPathProblem(pod: Pod, container: Container, view: ClusterView): string | undefined {
  const expand = expander(pod, container, view);
  for (const { subPathExpr } of container.volumeMounts ?? []) {
    if (!subPathExpr) continue;
    const { text, missing } = expand(subPathExpr);
    if (text === undefined) return `missing value for ${missing.join(", ")}`;
    if (text.startsWith("/")) return `error SubPath \`${text}\` must not be an absolute path`;
    if (text.split("/").includes("..")) return `unable to provision SubPath \`${text}\`: must not contain '..'`;
  }
  return undefined;
}

type Expanded =
  | { readonly text: string; readonly missing?: undefined }
  | { readonly text?: undefined; readonly missing: readonly string[] };

/** Returns a function that expands a `subPathExpr`. The environment is computed at the first call, because expressions are rare. */
function expander(pod: Pod, container: Container, view: ClusterView): (expression: string) => Expanded {
  let variables: Readonly<Record<string, string>> | undefined;
  return (expression) => {
    variables ??= declaredVariables(pod, container, environmentOf(pod, container, view), view);
    const values = variables;
    const names = [...expression.matchAll(/(\$?)\$\(([^()]*)\)/g)].flatMap(([, escape, name = ""]) =>
      escape ? [] : [name],
    );
    const missing = [...new Set(names.filter((name) => (values[name] ?? "") === ""))].sort();
    return missing.length > 0 ? { missing } : { text: expanded(expression, values, newArgumentBudget()) };
  };
}

function typeOf({ emptyDir, secret, configMap, projected, downwardAPI }: Volume): Mount["type"] {
  if (emptyDir) return emptyDir.medium === "Memory" ? "tmpfs" : "ext4";
  return secret || projected || downwardAPI || configMap ? "tmpfs" : "ext4";
}

/** Returns the size of a tmpfs with a size limit. */
function sizeOf({ emptyDir }: Volume): Pick<Mount, "sizeBytes"> {
  const limit = emptyDir?.medium === "Memory" && emptyDir.sizeLimit;
  return limit ? { sizeBytes: quantityValue(limit) } : {};
}

/** Normalizes a subPath to `/a/b`; "" stands for all of the volume. */
function folder(subPath: string): string {
  const bare = trimmedEnd(subPath.replace(/^(\.?\/)+/, ""), "/");
  return bare === "" || bare === "." ? "" : `/${bare}`;
}
