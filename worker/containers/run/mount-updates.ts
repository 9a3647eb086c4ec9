// Computes the kubelet's changes to the files of a running container: volumes of ConfigMaps and Secrets follow their objects.
import type { Container, Pod, Volume } from "../../../shared/k8s/api/core-v1.ts";
import type { Edit, Entry } from "../shell/files.ts";
import { contentOf } from "./mounts.ts";
import type { VolumeFiles } from "./volume-files.ts";
import { type MountPoint, mountPoints } from "./volume-mounts.ts";
import type { ClusterView } from "./world.ts";

interface DataObject {
  readonly kind: "configmap" | "secret";
  readonly name: string;
}

/**
 * Returns the changes to the files of mounted ConfigMaps and Secrets after a start, in order. A `subPath` is never updated, as upstream.
 * A change is visible at once; a real kubelet takes up to its sync period.
 */
export function mountUpdates(pod: Pod, container: Container, view: ClusterView, startMs: number): readonly Edit[] {
  const points = mountPoints(pod, container, view).filter(
    ({ volume, below }) => below === "" && objectsOf(volume).length > 0,
  );
  return points.flatMap((point) => updatesOf(pod, container, point, view, startMs)).sort((a, b) => a.atMs - b.atMs);
}

function updatesOf(pod: Pod, container: Container, point: MountPoint, view: ClusterView, startMs: number): Edit[] {
  const { namespace = "" } = pod.metadata;
  const writes = objectsOf(point.volume).flatMap(
    ({ kind, name }) => view.writesOf?.(kind, namespace, name, startMs) ?? [],
  );
  if (writes.length === 0) return [];
  const filesAt = (atMs: number, writtenMs?: number) =>
    contentOf(pod, container, point, view.at?.(atMs) ?? view, writtenMs);
  const edits: Edit[] = [];
  let before = filesAt(startMs);
  for (const atMs of [...new Set(writes)].sort((a, b) => a - b)) {
    const after = filesAt(atMs, atMs);
    edits.push(...difference(point.path, before, after, atMs));
    before = after;
  }
  return edits;
}

/** Returns the edits from one state of a volume to another. Links come after the files to which they lead, so that no link is ever broken. */
function difference(folder: string, before: VolumeFiles, after: VolumeFiles, atMs: number): Edit[] {
  const changed = [...after].filter(([path, entry]) => !isSame(before.get(path), entry));
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const edits = changed.map(([path, { text, mode, uid, gid, link }]): Edit => {
    const owner = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
    return { atMs, path: `${folder}/${path}`, text, mode, ...owner, ...(link === undefined ? {} : { link }) };
  });
  const removals = gone.map((path): Edit => ({ atMs, path: `${folder}/${path}`, text: undefined, removed: true }));
  return [
    ...edits.filter(({ link }) => link === undefined),
    ...edits.filter(({ link }) => link !== undefined),
    ...removals,
  ];
}

function isSame(before: Entry | undefined, after: Entry): boolean {
  return before !== undefined && before.text === after.text && before.link === after.link && before.mode === after.mode;
}

function objectsOf({ configMap, secret, projected }: Volume): DataObject[] {
  const sources = [...(projected?.sources ?? [])];
  const configMaps = [configMap?.name, ...sources.map((source) => source.configMap?.name)];
  const secrets = [secret?.secretName, ...sources.map((source) => source.secret?.name)];
  return [
    ...configMaps.flatMap((name) => (name === undefined ? [] : [{ kind: "configmap", name } as const])),
    ...secrets.flatMap((name) => (name === undefined ? [] : [{ kind: "secret", name } as const])),
  ];
}
