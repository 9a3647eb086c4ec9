// The logs of a node's containers as files, as their runtime keeps them, for a command in a container that sees that part of the node.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Entry, Files } from "../shell/files.ts";
import { criLine } from "../shell/programs/machine/crictl.ts";
import { mountPoints } from "./volume-mounts.ts";
import type { ClusterView } from "./world.ts";

const logs = "/var/log";
/** Of the logs that one command reads so many are worked out, each as far as its end goes; what is more is empty. */
const mostLogs = 20;
const mostCharacters = 256 * 1024;

/** The same files where no logs of the node are seen. */
export function withNodeLogs(pod: Pod, container: Container, view: ClusterView, files: Files, nowMs: number): Files {
  const places = placesOf(pod, container, view);
  if (places.length === 0 || !view.podsOn || !view.log) return files;
  const seen = files.copy();
  let left = mostLogs;
  const textOf = (other: Pod, name: string) => {
    if (left-- <= 0) return "";
    const text = (view.log?.(other, name, false, nowMs) ?? []).map(criLine).join("");
    return text.length <= mostCharacters ? text : text.slice(text.indexOf("\n", text.length - mostCharacters) + 1);
  };
  for (const other of view.podsOn(pod.spec.nodeName ?? "")) {
    for (const one of other.status.containerStatuses ?? []) {
      if (!one.containerID) continue;
      const { name = "", namespace = "", uid = "" } = other.metadata;
      const path = `${logs}/pods/${namespace}_${name}_${uid}/${one.name}/${one.restartCount}.log`;
      const link = `${logs}/containers/${name}_${namespace}_${one.name}-${one.containerID.replace(/^\w+:\/\//, "")}.log`;
      const entry = lazyEntry(() => textOf(other, one.name), nowMs);
      for (const place of places) {
        const [from, to] = [place(path), place(link)];
        if (from !== undefined) seen.set(from, entry);
        if (from !== undefined && to !== undefined)
          seen.set(to, { text: undefined, mode: 0o777, changedMs: nowMs, link: from });
      }
    }
  }
  return seen;
}

/** Read when somebody asks for its text, once. */
function lazyEntry(read: () => string, changedMs: number): Entry {
  let text: string | undefined;
  return {
    get text() {
      return (text ??= read());
    },
    mode: 0o640,
    changedMs,
    isLazy: true,
  };
}

/** Where a path of the node is seen in the container, for each mount of the node's in which its logs are. */
function placesOf(pod: Pod, container: Container, view: ClusterView): ((path: string) => string | undefined)[] {
  if (!pod.spec.volumes?.some(({ hostPath }) => hostPath)) return [];
  return mountPoints(pod, container, view).flatMap(({ volume, path: at, below }) => {
    if (!volume.hostPath) return [];
    const root = trimmedEnd(volume.hostPath.path, "/") + below;
    if (!`${logs}/`.startsWith(`${root}/`) && !root.startsWith(`${logs}/`)) return [];
    return [(path: string) => (path.startsWith(`${root}/`) ? at + path.slice(root.length) : undefined)];
  });
}
