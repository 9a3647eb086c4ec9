// Checks that the node has a file of the type that a hostPath volume requires.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { HostFile, NodeDisk } from "../../containers/cri.ts";

/** Returns why a hostPath volume cannot be mounted, in the kubelet's words (upstream: `checkTypeInternal`). */
export function hostPathProblem(pod: Pod, disk: NodeDisk): string | undefined {
  let fileAt: ((path: string) => HostFile) | undefined;
  for (const { name, hostPath } of pod.spec.volumes ?? []) {
    if (!hostPath?.type) continue;
    fileAt ??= disk.hostFiles(pod);
    const why = typeProblem(fileAt, hostPath.path, hostPath.type);
    if (why !== undefined) return `MountVolume.SetUp failed for volume "${name}" : ${why}`;
  }
  return undefined;
}

function typeProblem(fileAt: (path: string) => HostFile, hostPath: string, type: string): string | undefined {
  const path = trimmedEnd(hostPath, "/") || "/";
  const isNot = (what: string) => `hostPath type check failed: ${hostPath} is not ${what}`;
  const { exists, isDirectory, isSocket, isCharDevice, isBlockDevice } = fileAt(path);
  switch (type) {
    case "DirectoryOrCreate":
      return exists && !isDirectory ? isNot("a directory") : undefined;
    case "Directory":
      return isDirectory ? undefined : isNot("a directory");
    case "FileOrCreate": {
      if (exists) return isDirectory ? isNot("a file") : undefined;
      const folder = path.slice(0, path.lastIndexOf("/")) || "/";
      return fileAt(folder).isDirectory ? undefined : `open ${hostPath}: no such file or directory`;
    }
    case "File":
      return exists && !isDirectory ? undefined : isNot("a file");
    case "Socket":
      return exists && isSocket ? undefined : isNot("a socket file");
    case "CharDevice":
      return isCharDevice ? undefined : isNot("a character device");
    case "BlockDevice":
      return isBlockDevice ? undefined : isNot("a block device");
    default:
      return undefined;
  }
}
