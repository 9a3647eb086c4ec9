// Reads the files of a node for hostPath volumes, and creates the paths that are missing.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { HostFile } from "../cri.ts";
import { applyEdit, type Edit, Files } from "../shell/files.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import { type Host, hostOf, isSocket, nodeFiles } from "./host-files.ts";
import type { ClusterView } from "./world.ts";

const devices = {
  BlockDevice: new Set(["/dev/vda", "/dev/vda1"]),
  CharDevice: new Set(
    ["console", "full", "fuse", "kvm", "net/tun", "null", "random", "tty", "urandom", "zero"].map(
      (device) => `/dev/${device}`,
    ),
  ),
};

/** Returns the files of a pod's node as they are now. */
export function filesOf(pod: Pod, view: ClusterView): Files {
  const node = pod.spec.nodeName ?? "";
  return edited(view, hostOf(view, node, pod.status.hostIP ?? "", view.podsOn?.(node) ?? []));
}

/** Returns the files of a node as they are now, without the folders of its pods. */
export function nodeFilesNow({ metadata, status }: Node, view: ClusterView): Files {
  const address = status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
  return edited(view, hostOf(view, metadata.name ?? "", address, []));
}

function edited(view: ClusterView, host: Host): Files {
  const files = new Files(nodeFiles(host));
  for (const edit of view.edits(podOnNode(host.node), wholeNode)) applyEdit(files, edit);
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
  return edits.length === 0 ? [] : [{ pod: podOnNode(pod.spec.nodeName ?? ""), container: wholeNode, edits }];
}
