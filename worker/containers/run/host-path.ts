// The files of a node as a kubelet finds them for hostPath volumes, and what is made where it has nothing.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { HostFile } from "../cri.ts";
import { applyEdit, type Edit, Files } from "../shell/files.ts";
import { isSocket, nodeFiles } from "./host-files.ts";
import type { ClusterView } from "./world.ts";

/** No container is called so. */
const wholeNode = "/";
const devices = {
  BlockDevice: new Set(["/dev/vda", "/dev/vda1"]),
  CharDevice: new Set(
    ["console", "full", "fuse", "kvm", "net/tun", "null", "random", "tty", "urandom", "zero"].map(
      (one) => `/dev/${one}`,
    ),
  ),
};

/** A container that would see the whole of the pod's node: what pods leave in its folders is kept under that. */
function onNode(pod: Pod): Pod {
  const volumeMounts = [{ name: wholeNode, mountPath: "/" }];
  const containers = [{ name: wholeNode, resources: {}, volumeMounts }];
  return { ...pod, spec: { ...pod.spec, containers, volumes: [{ name: wholeNode, hostPath: { path: "/" } }] } };
}

/** The node's files as they are now. */
function filesOf(pod: Pod, view: ClusterView): Files {
  const node = pod.spec.nodeName ?? "";
  const files = new Files(
    nodeFiles({ ranges: view.ranges, node, address: pod.status.hostIP ?? "", pods: view.podsOn?.(node) ?? [] }),
  );
  for (const one of view.edits(onNode(pod), wholeNode)) applyEdit(files, one);
  return files;
}

/** Returns a reader of the files of the pod's node as they are now. They are worked out when one is asked for. */
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

/** What the kubelet, or for no type the runtime, makes for the pod: an effect on the pod's node. */
export function hostPathsMade(pod: Pod, view: ClusterView, atMs: number) {
  const wanted = (pod.spec.volumes ?? []).flatMap(({ hostPath }) =>
    hostPath && ["", "DirectoryOrCreate", "FileOrCreate"].includes(hostPath.type ?? "") ? [hostPath] : [],
  );
  if (wanted.length === 0) return [];
  const files = filesOf(pod, view);
  const edits = wanted.flatMap(({ path: given, type }): Edit[] => {
    const path = trimmedEnd(given, "/");
    if (path === "" || files.exists(path)) return [];
    return [{ atMs, path, text: type === "FileOrCreate" ? "" : undefined }];
  });
  return edits.length === 0 ? [] : [{ pod: onNode(pod), container: wholeNode, edits }];
}
