// Reads the files of a node for hostPath volumes, and creates the paths that are missing.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { HostFile } from "../cri.ts";
import { applyEdit, type Edit, Files } from "../shell/files.ts";
import { isSocket, nodeFiles } from "./host-files.ts";
import type { ClusterView } from "./world.ts";

/** A name that no container can have. */
const wholeNode = "/";
const devices = {
  BlockDevice: new Set(["/dev/vda", "/dev/vda1"]),
  CharDevice: new Set(
    ["console", "full", "fuse", "kvm", "net/tun", "null", "random", "tty", "urandom", "zero"].map(
      (device) => `/dev/${device}`,
    ),
  ),
};

/** Returns a pod with one container that mounts all of the node. Edits of the node's folders are stored under its name. */
function onNode(pod: Pod): Pod {
  const volumeMounts = [{ name: wholeNode, mountPath: "/" }];
  const containers = [{ name: wholeNode, resources: {}, volumeMounts }];
  return { ...pod, spec: { ...pod.spec, containers, volumes: [{ name: wholeNode, hostPath: { path: "/" } }] } };
}

/** Returns the node's files as they are now. */
function filesOf(pod: Pod, view: ClusterView): Files {
  const node = pod.spec.nodeName ?? "";
  const files = new Files(
    nodeFiles({
      ranges: view.ranges,
      release: view.release,
      node,
      address: pod.status.hostIP ?? "",
      pods: view.podsOn?.(node) ?? [],
    }),
  );
  for (const edit of view.edits(onNode(pod), wholeNode)) applyEdit(files, edit);
  return files;
}

/** Returns a reader of the files of the pod's node as they are now. The files are computed at the first read. */
export function hostFiles(pod: Pod, view: ClusterView): (path: string) => HostFile {
  let files: Files | undefined;
  return (path) => {
    files ??= filesOf(pod, view);
    return {
      exists: files.exists(path),
      isDirectory: files.isFolder(path),
      isSocket: isSocket(path),
      isCharDevice: devices.CharDevice.has(path),
      isBlockDevice: devices.BlockDevice.has(path),
    };
  };
}

/** Returns the edits of the pod's node that create missing hostPaths. The kubelet creates them, or the runtime if the type is empty. */
export function hostPathEdits(pod: Pod, view: ClusterView, atMs: number) {
  const hostPaths = (pod.spec.volumes ?? []).flatMap(({ hostPath }) =>
    hostPath && ["", "DirectoryOrCreate", "FileOrCreate"].includes(hostPath.type ?? "") ? [hostPath] : [],
  );
  if (hostPaths.length === 0) return [];
  const files = filesOf(pod, view);
  const edits = hostPaths.flatMap(({ path: declaredPath, type }): Edit[] => {
    const path = trimmedEnd(declaredPath, "/");
    if (path === "" || files.exists(path)) return [];
    return [{ atMs, path, text: type === "FileOrCreate" ? "" : undefined }];
  });
  return edits.length === 0 ? [] : [{ pod: onNode(pod), container: wholeNode, edits }];
}
