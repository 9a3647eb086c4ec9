// The simulated attacher of every known CSI driver (as kubernetes-csi's external-attacher).
import type { PersistentVolume } from "../../../shared/k8s/api/core-v1.ts";
import type { VolumeAttachment } from "../../../shared/k8s/api/storage-v1.ts";
import { csiDrivers } from "../../kinds/storage/csi-driver.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { volumeAttachments } from "../../kinds/storage/volume-attachment.ts";
import type { Client } from "../../registry/client.ts";
import { type Request, defineController, requestOf, watch } from "../../runtime/controller.ts";
import {
  hasFinalizer,
  isDeletionCandidate,
  needToAddFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "../common/finalizers.ts";

export const csiAttacher = defineController({
  name: "csi-attacher",
  user: "system:serviceaccount:kube-system:csi-attacher",
  component: "csi-attacher",
  watches: [
    watch<VolumeAttachment>(volumeAttachments, function* (next, previous, client): Generator<Request> {
      if (next && needsWork(next)) yield requestOf(next);
      // The last attachment that is removed releases the volume.
      const name = previous?.spec.source.persistentVolumeName;
      const volume = next || !name ? undefined : client.get(persistentVolumes, "", name);
      if (volume?.metadata.deletionTimestamp) yield volumeRequest(volume);
    }),
    watch<PersistentVolume>(persistentVolumes, function* (next): Generator<Request> {
      const driver = next?.spec.csi?.driver;
      if (next && driver !== undefined && isDeletionCandidate(next, finalizerOf(driver))) yield volumeRequest(next);
    }),
    watch(csiDrivers, function* (next, previous, client): Generator<Request> {
      if (!next || previous) return;
      for (const attachment of client.each(volumeAttachments)) if (needsWork(attachment)) yield requestOf(attachment);
    }),
  ],
  reconcile({ namespace, name }, { client }) {
    if (namespace === "volume") releaseVolume(name, client);
    else syncAttachment(client.get(volumeAttachments, "", name), client);
    return undefined;
  },
});

/** Returns the request for a volume. Neither kind has namespaces, so the namespace field distinguishes volumes from attachments. */
function volumeRequest({ metadata }: PersistentVolume): Request {
  return { namespace: "volume", name: metadata.name ?? "" };
}

function needsWork(attachment: VolumeAttachment): boolean {
  return attachment.metadata.deletionTimestamp
    ? hasFinalizer(attachment, finalizerOf(attachment.spec.attacher))
    : !attachment.status.attached;
}

function finalizerOf(driver: string): string {
  const name = driver.replaceAll(/[^a-zA-Z0-9-]/g, "-");
  return `external-attacher/${name.endsWith("-") ? `${name}X` : name}`;
}

function syncAttachment(attachment: VolumeAttachment | undefined, client: Client): void {
  if (!attachment || !needsWork(attachment) || !client.get(csiDrivers, "", attachment.spec.attacher)) return;
  const finalizer = finalizerOf(attachment.spec.attacher);
  if (attachment.metadata.deletionTimestamp) {
    client.update(volumeAttachments, {
      ...attachment,
      metadata: withoutFinalizer(attachment.metadata, finalizer),
    });
    return;
  }
  const volume = client.get(persistentVolumes, "", attachment.spec.source.persistentVolumeName ?? "");
  if (volume && needToAddFinalizer(volume, finalizer)) {
    client.update(persistentVolumes, { ...volume, metadata: withFinalizer(volume.metadata, finalizer) });
  }
  const protectedAttachment = needToAddFinalizer(attachment, finalizer)
    ? client.update(volumeAttachments, { ...attachment, metadata: withFinalizer(attachment.metadata, finalizer) })
    : attachment;
  client.updateStatus(volumeAttachments, { ...protectedAttachment, status: { attached: true } });
}

function releaseVolume(name: string, client: Client): void {
  const volume = client.get(persistentVolumes, "", name);
  const finalizer = finalizerOf(volume?.spec.csi?.driver ?? "");
  if (!volume || !isDeletionCandidate(volume, finalizer)) return;
  const isAttached = client.list(volumeAttachments).some(({ spec }) => spec.source.persistentVolumeName === name);
  if (isAttached) return;
  client.update(persistentVolumes, { ...volume, metadata: withoutFinalizer(volume.metadata, finalizer) });
}
