// Adds the log files of a node's containers to the files of a container that mounts the node's log folder.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Files } from "../shell/files.ts";
import { lazyEntry } from "./lazy-entry.ts";
import { criLine } from "../shell/programs/machine/crictl.ts";
import { mountPoints } from "./volume-mounts.ts";
import type { ClusterView } from "./world.ts";

const logs = "/var/log";
/** The number of logs that one command can read. Further logs are empty. */
const mostLogs = 20;
/** The number of characters at the end of each log that a command can read. */
const mostCharacters = 256 * 1024;

/** Returns the files with the node's logs; the same files if the container mounts no logs of the node. */
export function withNodeLogs(pod: Pod, container: Container, view: ClusterView, files: Files, nowMs: number): Files {
  const places = placesOf(pod, container, view);
  if (places.length === 0 || !view.podsOn || !view.log) return files;
  const withLogs = files.copy();
  let left = mostLogs;
  const textOf = (otherPod: Pod, name: string) => {
    if (left-- <= 0) return "";
    const text = (view.log?.(otherPod, name, false, nowMs) ?? []).map(criLine).join("");
    return text.length <= mostCharacters ? text : text.slice(text.indexOf("\n", text.length - mostCharacters) + 1);
  };
  for (const otherPod of view.podsOn(pod.spec.nodeName ?? "")) {
    for (const containerStatus of otherPod.status.containerStatuses ?? []) {
      if (!containerStatus.containerID) continue;
      const { name = "", namespace = "", uid = "" } = otherPod.metadata;
      const path = `${logs}/pods/${namespace}_${name}_${uid}/${containerStatus.name}/${containerStatus.restartCount}.log`;
      const link = `${logs}/containers/${name}_${namespace}_${containerStatus.name}-${containerStatus.containerID.replace(/^\w+:\/\//, "")}.log`;
      const entry = lazyEntry(() => textOf(otherPod, containerStatus.name), nowMs, 0o640);
      for (const place of places) {
        const [from, to] = [place(path), place(link)];
        if (from !== undefined) withLogs.set(from, entry);
        if (from !== undefined && to !== undefined)
          withLogs.set(to, { text: undefined, mode: 0o777, changedMs: nowMs, link: from });
      }
    }
  }
  return withLogs;
}

/** Returns, for each hostPath mount that contains logs, a function from a path on the node to its path in the container. */
function placesOf(pod: Pod, container: Container, view: ClusterView): ((path: string) => string | undefined)[] {
  if (!pod.spec.volumes?.some(({ hostPath }) => hostPath)) return [];
  return mountPoints(pod, container, view).flatMap(({ volume, path: at, below }) => {
    if (!volume.hostPath) return [];
    const root = trimmedEnd(volume.hostPath.path, "/") + below;
    if (!`${logs}/`.startsWith(`${root}/`) && !root.startsWith(`${logs}/`)) return [];
    return [(path: string) => (path.startsWith(`${root}/`) ? at + path.slice(root.length) : undefined)];
  });
}
