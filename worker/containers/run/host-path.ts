// The type that a hostPath volume asks for: whether the node has that at its path, and what is made where it has nothing.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
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

/** Why a volume cannot be mounted, in the kubelet's words (upstream: `checkTypeInternal`). */
export function hostPathProblem(pod: Pod, view: ClusterView): string | undefined {
  let files: Files | undefined;
  for (const { name, hostPath } of pod.spec.volumes ?? []) {
    if (!hostPath?.type) continue;
    files ??= filesOf(pod, view);
    const why = typeProblem(files, hostPath.path, hostPath.type);
    if (why !== undefined) return `MountVolume.SetUp failed for volume "${name}" : ${why}`;
  }
  return undefined;
}

function typeProblem(files: Files, given: string, type: string): string | undefined {
  const path = trimmedEnd(given, "/") || "/";
  const isNot = (what: string) => `hostPath type check failed: ${given} is not ${what}`;
  const [isThere, isFolder] = [files.exists(path), files.isFolder(path)];
  switch (type) {
    case "DirectoryOrCreate":
      return isThere && !isFolder ? isNot("a directory") : undefined;
    case "Directory":
      return isFolder ? undefined : isNot("a directory");
    case "FileOrCreate": {
      if (isThere) return isFolder ? isNot("a file") : undefined;
      const folder = path.slice(0, path.lastIndexOf("/")) || "/";
      return files.isFolder(folder) ? undefined : `open ${given}: no such file or directory`;
    }
    case "File":
      return isThere && !isFolder ? undefined : isNot("a file");
    case "Socket":
      return isThere && isSocket(path) ? undefined : isNot("a socket file");
    case "CharDevice":
      return devices.CharDevice.has(path) ? undefined : isNot("a character device");
    case "BlockDevice":
      return devices.BlockDevice.has(path) ? undefined : isNot("a block device");
    default:
      return undefined;
  }
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
