// Where a container mounts its volumes: the path, the folder of the volume that is mounted there, and whether it may be written to.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Mount } from "../shell/process.ts";
import { declared, environmentOf, newArgumentRoom, expanded } from "./environment.ts";
import type { ClusterView } from "./world.ts";

export interface MountPoint extends Mount {
  readonly volume: Volume;
}

export function mountPoints(pod: Pod, container: Container, view: ClusterView): MountPoint[] {
  const { volumeMounts = [] } = container;
  if (volumeMounts.length === 0) return [];
  const volumes = new Map(pod.spec.volumes?.map((one) => [one.name, one]));
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
        volume,
      },
    ];
  });
}

/** What the container itself may write into, if its mount allows it. */
export function isWritable({ configMap, secret, projected, downwardAPI, image }: Volume): boolean {
  return !configMap && !secret && !projected && !downwardAPI && !image;
}

/** Why a folder of a volume cannot be mounted, in the kubelet's words. */
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

/** The environment is worked out at the first expression: there is seldom one. */
function expander(pod: Pod, container: Container, view: ClusterView): (expression: string) => Expanded {
  let variables: Readonly<Record<string, string>> | undefined;
  return (expression) => {
    variables ??= declared(pod, container, environmentOf(pod, container, view), view);
    const known = variables;
    const names = [...expression.matchAll(/(\$?)\$\(([^()]*)\)/g)].flatMap(([, escape, name = ""]) =>
      escape ? [] : [name],
    );
    const missing = [...new Set(names.filter((name) => (known[name] ?? "") === ""))].sort();
    return missing.length > 0 ? { missing } : { text: expanded(expression, known, newArgumentRoom()) };
  };
}

function typeOf({ emptyDir, secret, configMap, projected, downwardAPI }: Volume): Mount["type"] {
  if (emptyDir) return emptyDir.medium === "Memory" ? "tmpfs" : "ext4";
  return secret || projected || downwardAPI || configMap ? "tmpfs" : "ext4";
}

/** What is in memory has the size that it is given. */
function sizeOf({ emptyDir }: Volume): Pick<Mount, "sizeBytes"> {
  const limit = emptyDir?.medium === "Memory" && emptyDir.sizeLimit;
  return limit ? { sizeBytes: quantityValue(limit) } : {};
}

/** `/a/b`, or nothing for all of the volume. */
function folder(subPath: string): string {
  const bare = trimmedEnd(subPath.replace(/^(\.?\/)+/, ""), "/");
  return bare === "" || bare === "." ? "" : `/${bare}`;
}
