// What is attached to a node: as attachments say, as the node's status tells, and what pods hear of it.
import type { PersistentVolume, Pod } from "../../../../shared/k8s/api/core-v1.ts";
import type { VolumeAttachment } from "../../../../shared/k8s/api/storage-v1.ts";
import { nodes } from "../../../kinds/core/node/node.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { attachable } from "../../../kinds/storage/attachable.ts";
import { volumeAttachments } from "../../../kinds/storage/volume-attachment.ts";
import type { Client } from "../../../registry/client.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { namesClaim } from "./pod-claims.ts";

export function attachmentsOf(nodeName: string, client: Client): readonly VolumeAttachment[] {
  return client.list(volumeAttachments).filter(({ spec }) => spec.nodeName === nodeName);
}

type WantedVolumes = ReadonlyMap<string, { readonly users: readonly Pod[] }>;

/** Writes the node's `volumesAttached`, and tells the pods of what is newly there. */
export function reportAttached(nodeName: string, wanted: WantedVolumes, { client, event }: ReconcileContext): void {
  const node = client.get(nodes, "", nodeName);
  if (!node) return;
  const before = node.status.volumesAttached ?? [];
  const there = attachmentsOf(nodeName, client).flatMap(({ metadata, spec, status }) => {
    const volume = client.get(persistentVolumes, "", spec.source.persistentVolumeName ?? "");
    const found = volume && attachable(volume, client);
    const isThere = status.attached && !metadata.deletionTimestamp;
    return found && isThere ? [{ ...found, users: wanted.get(metadata.name ?? "")?.users ?? [] }] : [];
  });
  const kept = before.filter(({ name }) => there.some((one) => one.name === name));
  const added = there.filter((one) => !before.some(({ name }) => name === one.name));
  if (added.length === 0 && kept.length === before.length) return;
  for (const { volume, users } of added) {
    const message = `AttachVolume.Attach succeeded for volume ${JSON.stringify(volume.metadata.name ?? "")} `;
    for (const pod of users) event(pod, "Normal", "SuccessfulAttachVolume", message);
  }
  const { volumesAttached: _, ...status } = node.status;
  const volumesAttached = [...kept, ...added.map(({ name }) => ({ name, devicePath: "" }))];
  client.updateStatus(nodes, { ...node, status: volumesAttached.length > 0 ? { ...status, volumesAttached } : status });
}

/** Upstream's `reportMultiAttachError`: who has the volume, as far as each pod may know. */
export function multiAttachMessages(
  volume: PersistentVolume,
  users: readonly Pod[],
  otherNodes: readonly string[],
  client: Client,
): readonly [Pod, string][] {
  const head = `Multi-Attach error for volume ${JSON.stringify(volume.metadata.name ?? "")}`;
  const { namespace = "", name = "" } = volume.spec.claimRef ?? {};
  const blocking = otherNodes
    .flatMap((node) => client.byIndexValue(pods, node))
    .filter((pod) => pod.metadata.namespace === namespace && namesClaim(pod, name))
    .map(({ metadata }) => metadata.name ?? "");
  const why =
    blocking.length > 0
      ? `Volume is already used by pod(s) ${blocking.join(", ")}`
      : "Volume is already exclusively attached to one node and can't be attached to another";
  return users.map((pod) => [pod, `${head} ${why}`]);
}
