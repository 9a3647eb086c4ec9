// The files that a container finds when it begins: its image's, those under its mounts, and the kubelet's own.
import { limits } from "../../../shared/base/limits.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { filesOfImage, imageNamed } from "../images/image-lookup.ts";
import { type Entry, type Files, newFiles } from "../shell/files.ts";
import type { Mount } from "../shell/process.ts";
import { cgroupFiles } from "./cgroup-files.ts";
import { hostFiles, hostFolderMode } from "./host-files.ts";
import { networkFiles } from "./hosts.ts";
import { kernelFiles } from "./kernel-files.ts";
import { processFiles } from "./identity.ts";
import { preparedMs, volumeFiles, type VolumeFiles, written } from "./volume-files.ts";
import { type MountPoint, mountPoints } from "./volume-mounts.ts";
import { workingDirOf } from "./working-dir.ts";
import type { ClusterView } from "./world.ts";

export interface Mounted {
  readonly files: Files;
  readonly mounts: readonly Mount[];
}

export function mountedFiles(pod: Pod, container: Container, view: ClusterView): Mounted {
  const files = newFiles();
  const image = imageNamed(container.image, view);
  if (image) for (const [path, entry] of filesOfImage(image)) files.set(path, entry);
  // The runtime makes the folder in which the container begins, where the image has none.
  const folder = trimmedEnd(workingDirOf(container, view), "/");
  if (folder.startsWith("/") && !files.exists(folder))
    files.set(folder, { text: undefined, mode: 0o755, changedMs: 0 });
  const points = mountPoints(pod, container, view);
  for (const point of points) {
    // More than it can hold: whatever it does, it has no memory for it.
    if (files.bytes > limits.containerHeldBytes) break;
    place(files, point, contentOf(pod, container, point, view), folderOf(pod, point.volume));
  }
  for (const point of points) showBelow(files, point, points, folderOf(pod, point.volume));
  // The kubelet's own stand above all but what is mounted in their very place.
  const mounted = new Set(points.map(({ path }) => path));
  const root = { path: "", type: "overlay", readOnly: isReadOnly(container), name: "", below: "" } as const;
  const mounts = [root, ...kubeletMounts, ...points];
  const kubelets = {
    ...networkFiles(pod, view.ranges),
    ...kernelFiles(pod, mounts),
    ...processFiles(pod, container, view),
    ...cgroupFiles(pod, container),
  };
  for (const [path, text] of Object.entries(kubelets))
    if (!mounted.has(path)) files.set(path, fileOf(text, preparedMs(pod)));
  return { files, mounts };
}

/** What can be written though all else is read-only. */
const kubeletMounts: readonly Mount[] = ["/dev", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf"].map((path) => ({
  path,
  type: "tmpfs",
  readOnly: false,
  name: "",
  below: "",
}));

function isReadOnly({ securityContext }: Container): boolean {
  return securityContext?.readOnlyRootFilesystem ?? false;
}

function fileOf(text: string, changedMs: number): Entry {
  return { text, mode: 0o644, changedMs };
}

/** Returns the files of a volume by path. `atMs`: when the kubelet wrote them. */
export function contentOf(
  pod: Pod,
  container: Container,
  { volume, below }: MountPoint,
  view: ClusterView,
  atMs = preparedMs(pod),
): VolumeFiles {
  const own = volumeFiles(pod, container, volume, view);
  // Of a folder of the volume the kubelet mounts what is behind the links.
  if (own && (volume.image || below !== "")) return own;
  if (own) return written(own, atMs, `${pod.metadata.uid ?? ""}/${volume.name}/${contentId(volume, own)}`);
  return hostFiles(pod, volume, view) ?? new Map();
}

/** A token is another each time that it is asked for. */
function contentId({ projected }: Volume, files: VolumeFiles): string {
  return projected ? "" : [...files].map(([path, { text = "" }]) => `${path}=${text}`).join("/");
}

/** A volume's own folder, and those in it: of the pod's group, where it has one, unless it is the node's. */
function folderOf(pod: Pod, volume: Volume): Entry {
  const { spec } = pod;
  const { hostPath, image } = volume;
  const group = hostPath || image ? undefined : spec.securityContext?.fsGroup;
  const mode = folderMode(volume);
  const own = group === undefined ? { mode } : { mode: mode | 0o2000, gid: group };
  return { text: undefined, changedMs: hostPath ? 0 : preparedMs(pod), ...own };
}

/** Everybody's, unless it is the node's or an image's. A file system in memory is made with the sticky bit. */
function folderMode({ hostPath, image, emptyDir }: Volume): number {
  if (hostPath) return hostFolderMode(trimmedEnd(hostPath.path, "/"));
  if (image) return 0o755;
  return emptyDir?.medium === "Memory" ? 0o1777 : 0o777;
}

function place(files: Files, { path: at, below }: MountPoint, content: VolumeFiles, folder: Entry): void {
  const single = content.get(below.slice(1));
  if (single !== undefined) {
    files.set(at, single);
    return;
  }
  // What the image has there is hidden.
  files.remove(at);
  files.set(at, folder);
  const start = below === "" ? "" : `${below.slice(1)}/`;
  for (const [path, entry] of content)
    if (path.startsWith(start)) files.set(`${at}/${path.slice(start.length)}`, entry);
}

/** The folder that is mounted in one place is seen in the others where the volume is. */
function showBelow(files: Files, point: MountPoint, points: readonly MountPoint[], folder: Entry): void {
  if (point.below === "" || point.readOnly) return;
  for (const other of points) {
    const isAbove = other !== point && other.name === point.name && point.below.startsWith(`${other.below}/`);
    const at = other.path + point.below.slice(other.below.length);
    if (isAbove && !files.exists(at)) files.set(at, folder);
  }
}
