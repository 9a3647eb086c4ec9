// The files of a container at its start: those of its image, of its mounts, and of the kubelet.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { limits } from "../../../shared/base/limits.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import { filesOfImage, imageNamed, type NamedImage } from "../images/image-lookup.ts";
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
  const files = imageTree(imageNamed(container.image, view));
  // The runtime creates the working directory if the image lacks it.
  const folder = trimmedEnd(workingDirOf(container, view), "/");
  if (folder.startsWith("/") && !files.exists(folder))
    files.set(folder, { text: undefined, mode: 0o755, changedMs: 0 });
  const points = mountPoints(pod, container, view);
  for (const point of points) {
    // The container would exceed its memory anyway, so no more files are added.
    if (files.bytes > limits.containerHeldBytes) break;
    place(files, point, contentOf(pod, container, point, view), folderOf(pod, point.volume));
  }
  for (const point of points) showBelow(files, point, points, folderOf(pod, point.volume));
  // The kubelet's files hide all others except mounts at exactly their paths.
  const mounted = new Set(points.map(({ path }) => path));
  const root = { path: "", type: "overlay", readOnly: isReadOnly(container), name: "", below: "" } as const;
  const mounts = [root, ...kubeletMounts, ...points];
  const kubelets = {
    ...networkFiles(pod, view.ranges),
    ...kernelFiles(pod, mounts),
    ...processFiles(pod, container, view),
    ...cgroupFiles(pod, container),
  };
  const changedMs = preparedMs(pod);
  for (const [path, text] of Object.entries(kubelets)) if (!mounted.has(path)) files.set(path, fileOf(text, changedMs));
  return { files, mounts };
}

/** The trees of images of the catalogue. They never change: each container has a copy, which shares their branches. */
const imageTrees = new BoundedCache<string, Files>(100);

function imageTree(image: NamedImage | undefined): Files {
  if (!image) return newFiles();
  const cachedTree = image.ownImage ? undefined : imageTrees.get(image.reference.text);
  if (cachedTree) return cachedTree.copy();
  const tree = newFiles();
  for (const [path, entry] of filesOfImage(image)) tree.set(path, entry);
  if (!image.ownImage) imageTrees.set(image.reference.text, tree);
  return tree.copy();
}

/** The paths that stay writable with a read-only root file system. */
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

/** Returns the files of a volume by path. `atMs`: the moment at which the kubelet wrote them. */
export function contentOf(
  pod: Pod,
  container: Container,
  { volume, below }: MountPoint,
  view: ClusterView,
  atMs = preparedMs(pod),
): VolumeFiles {
  const content = volumeFiles(pod, container, volume, view);
  // For a subPath the kubelet mounts the target of the links.
  if (content && (volume.image || below !== "")) return content;
  if (content) return written(content, atMs, `${pod.metadata.uid ?? ""}/${volume.name}/${contentId(volume, content)}`);
  return hostFiles(pod, volume, view) ?? new Map();
}

/** Returns an id of a volume's contents. Projected volumes are left out, because each request returns another token. */
function contentId({ projected }: Volume, files: VolumeFiles): string {
  return projected ? "" : [...files].map(([path, { text = "" }]) => `${path}=${text}`).join("/");
}

/** Returns the folder of a volume. It belongs to the pod's `fsGroup`, unless the volume is a hostPath or an image. */
function folderOf(pod: Pod, volume: Volume): Entry {
  const { spec } = pod;
  const { hostPath, image } = volume;
  const group = hostPath || image ? undefined : spec.securityContext?.fsGroup;
  const mode = folderMode(volume);
  const attributes = group === undefined ? { mode } : { mode: mode | 0o2000, gid: group };
  return { text: undefined, changedMs: hostPath ? 0 : preparedMs(pod), ...attributes };
}

/** Returns the mode of a volume's folder. Only folders of nodes and images are not writable by everybody. A tmpfs has the sticky bit. */
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
  // The mount hides the image's files.
  files.remove(at);
  files.set(at, folder);
  const start = below === "" ? "" : `${below.slice(1)}/`;
  for (const [path, entry] of content)
    if (path.startsWith(start)) files.set(`${at}/${path.slice(start.length)}`, entry);
}

/** Adds the folder of a subPath mount to the other mounts of the same volume. */
function showBelow(files: Files, point: MountPoint, points: readonly MountPoint[], folder: Entry): void {
  if (point.below === "" || point.readOnly) return;
  for (const otherPoint of points) {
    const isAbove =
      otherPoint !== point && otherPoint.name === point.name && point.below.startsWith(`${otherPoint.below}/`);
    const at = otherPoint.path + point.below.slice(otherPoint.below.length);
    if (isAbove && !files.exists(at)) files.set(at, folder);
  }
}
