// The files of volumes that the kubelet fills: ConfigMaps, Secrets, the downward API, tokens and images, with their modes and owners.
import type { Container, KeyToPath, Pod, Volume, VolumeProjection } from "../../../shared/k8s/api/core-v1.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { filesOfImage, imageNamed } from "../images/image-lookup.ts";
import type { Entry } from "../shell/files.ts";
import { fieldOf, resourceOf } from "./environment.ts";
import type { ClusterView } from "./world.ts";

/** Files by their paths in the volume. */
export type VolumeFiles = ReadonlyMap<string, Entry>;

interface Source extends VolumeProjection {
  /** The mode of items that set none. */
  readonly defaultMode: number;
}

const usualMode = 0o644;

/** Returns the files of a volume; undefined if the kubelet does not fill it. */
export function volumeFiles(
  pod: Pod,
  container: Container,
  volume: Volume,
  view: ClusterView,
): VolumeFiles | undefined {
  if (volume.image) return ofImage(volume.image.reference, view);
  const sources = sourcesOf(volume);
  if (!sources) return undefined;
  const group = pod.spec.securityContext?.fsGroup;
  const changedMs = preparedMs(pod);
  const files = new Map<string, Entry>();
  for (const source of sources) {
    for (const [path, text, mode, uid] of filesOf(pod, container, source, view)) {
      const permissions = group === undefined ? { mode } : { mode: mode | 0o440, gid: group };
      files.set(path, { text, changedMs, ...permissions, ...(uid === undefined ? {} : { uid }) });
    }
  }
  return files;
}

/**
 * Lays files out as the kubelet's atomic writer does (upstream: `AtomicWriter`). The files are in a folder that is named after its time. `..data`
 * is a link to that folder, and each top-level name is a link into `..data`. `id` distinguishes folders of the same time.
 */
export function written(files: VolumeFiles, atMs: number, id: string): VolumeFiles {
  const time = new Date(atMs).toISOString();
  const moment = `${time.slice(0, 10)}_${time.slice(11, 19)}`.replace(/[-:]/g, "_");
  const folder = `..${moment}.${stableHash(id)}`;
  const link = (to: string): Entry => ({ text: undefined, mode: 0o777, changedMs: atMs, link: to });
  const laid = new Map<string, Entry>([
    [folder, { text: undefined, mode: 0o755, changedMs: atMs }],
    ["..data", link(folder)],
  ]);
  for (const [path, entry] of files) {
    const [first = ""] = path.split("/", 1);
    laid.set(`${folder}/${path}`, entry);
    laid.set(first, link(`..data/${first}`));
  }
  return laid;
}

/** Returns the time at which the kubelet created a pod's folders and files; 0 if it has not started the pod yet. */
export function preparedMs({ status }: Pod): number {
  return status.startTime ? parseTime(status.startTime) : 0;
}

/** Returns the sources of a volume; undefined for volumes without sources. */
function sourcesOf({ configMap, secret, downwardAPI, projected }: Volume): Source[] | undefined {
  if (configMap) return [{ configMap, defaultMode: configMap.defaultMode ?? usualMode }];
  if (downwardAPI) {
    const { items } = downwardAPI;
    return [{ downwardAPI: items ? { items } : {}, defaultMode: downwardAPI.defaultMode ?? usualMode }];
  }
  if (secret) {
    const { secretName: name, items, defaultMode = usualMode } = secret;
    return [{ secret: { ...(name === undefined ? {} : { name }), ...(items ? { items } : {}) }, defaultMode }];
  }
  return projected?.sources?.map((source) => ({ ...source, defaultMode: projected.defaultMode ?? usualMode }));
}

type File = readonly [path: string, text: string, mode: number, uid?: number];

function filesOf(pod: Pod, container: Container, source: Source, view: ClusterView): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, defaultMode } = source;
  const namespace = pod.metadata.namespace ?? "";
  const data = (kind: "configmap" | "secret", name = "", items: readonly KeyToPath[] | undefined): File[] =>
    picked(view.data(kind, namespace, name, true), items, defaultMode);
  return [
    ...(configMap ? data("configmap", configMap.name, configMap.items) : []),
    ...(secret ? data("secret", secret.name, secret.items) : []),
    ...(downwardAPI?.items ?? []).map(({ path, fieldRef, resourceFieldRef, mode = defaultMode }): File => {
      if (fieldRef) return [path, fieldOf(pod, fieldRef.fieldPath), mode];
      return [path, resourceFieldRef ? resourceOf(pod, container, resourceFieldRef) : "", mode];
    }),
    ...(serviceAccountToken
      ? [[serviceAccountToken.path, view.token(pod, serviceAccountToken), ...ownerOfTokens(pod, defaultMode)] as const]
      : []),
  ];
}

function picked(
  data: Readonly<Record<string, string>> | undefined,
  items: readonly KeyToPath[] | undefined,
  mode: number,
): File[] {
  if (!items?.length) return Object.entries(data ?? {}).map(([key, text]) => [key, text, mode]);
  return items.flatMap(({ key, path, mode: itemMode = mode }): File[] => {
    const text = data?.[key];
    return text === undefined ? [] : [[path, text, itemMode]];
  });
}

/** Returns the mode and the owner of a token. If all containers run as one user, only that user can read it (upstream: `FsUser`, `FsGroup`). */
function ownerOfTokens({ spec }: Pod, mode: number): readonly [mode: number, uid?: number] {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const users = new Set(
    all.map((container) => container.securityContext?.runAsUser ?? spec.securityContext?.runAsUser),
  );
  const [user] = users;
  const isKnown = users.size === 1 && user !== undefined;
  if (isKnown) return [0o600, user];
  return [spec.securityContext?.fsGroup === undefined ? mode : 0o600];
}

function ofImage(reference: string | undefined, view: ClusterView): VolumeFiles {
  const image = imageNamed(reference, view);
  return new Map([...(image ? filesOfImage(image) : [])].map(([path, entry]) => [path.slice(1), entry]));
}
