// The attach-detach controller: maintains a VolumeAttachment for each attachable volume that a node's pods need. A request is a node.
import type { Node, Pod, PersistentVolume } from "../../../shared/k8s/api/core-v1.ts";
import type { VolumeAttachment } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import {
  type AttachableVolume,
  attachable,
  attachableVolumes,
  attachmentName,
  isMultiAttachAllowed,
} from "../../kinds/storage/attachable.ts";
import { volumeAttachments } from "../../kinds/storage/volume-attachment.ts";
import type { Client } from "../../registry/client.ts";
import { type ReconcileContext, type Request, type Result, defineController, watch } from "../../runtime/controller.ts";
import { claimsOf, isPodTerminated, namesClaim } from "../common/volumes/pod-claims.ts";

/** The time after which upstream reports a slow attacher. */
const attachPatienceMs = 120_000;
/** The time for which an unhealthy node may keep a volume that none of its pods needs. */
const unmountPatienceMs = 360_000;
/** The pattern of names that this controller generates. See `attachmentName`. */
const ownName = /^csi-[0-9a-f]{64}$/;
const outOfService = "node.kubernetes.io/out-of-service";

interface Memory {
  /** The `node/volume` pairs whose multi-attach error was recorded. Losing it costs one more event. */
  readonly multiAttachReported: Set<string>;
}

export const attachDetachController = defineController({
  name: "attachdetach-controller",
  user: "system:serviceaccount:kube-system:attachdetach-controller",
  component: "attachdetach-controller",
  memory: (): Memory => ({ multiAttachReported: new Set() }),
  watches: [
    watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
      const pod = next ?? previous;
      if (!pod?.spec.nodeName || claimsOf(pod).length === 0) return;
      if (next && previous && isHolding(next) === isHolding(previous)) return;
      if (client.count(volumeAttachments) > 0 || attachableVolumes(pod, client).length > 0) {
        yield { namespace: "", name: pod.spec.nodeName };
      }
    }),
    watch(persistentVolumeClaims, function* (next, previous, client) {
      if (next?.status.phase !== "Bound" || previous?.status.phase === "Bound") return;
      const volume = client.get(persistentVolumes, "", next.spec.volumeName ?? "");
      if (volume && attachable(volume, client)) yield* nodesUsing(next.metadata.namespace, next.metadata.name, client);
    }),
    watch<VolumeAttachment>(volumeAttachments, function* (next, previous, client): Generator<Request> {
      const { spec } = next ?? previous ?? {};
      if (!spec) return;
      yield { namespace: "", name: spec.nodeName };
      if (next) return;
      // Another node may wait for the volume.
      const volume = client.get(persistentVolumes, "", spec.source.persistentVolumeName ?? "");
      const { namespace, name } = volume?.spec.claimRef ?? {};
      yield* nodesUsing(namespace, name, client);
    }),
    watch<Node>(nodes, function* (next, previous, client): Generator<Request> {
      if (client.count(volumeAttachments) === 0 || semanticEqual(holdOf(next), holdOf(previous))) return;
      yield { namespace: "", name: (next ?? previous)?.metadata.name ?? "" };
    }),
  ],
  reconcile({ name }, context) {
    const required = wantedBy(name, context.client);
    const attached = attachmentsOf(name, context.client);
    const waits = attached.map((attachment) =>
      required.has(attachment.metadata.name ?? "") ? undefined : detach(attachment, name, context),
    );
    for (const [attachment, { volume, users }] of required)
      waits.push(attach(attachment, volume, users, name, context));
    reportAttached(name, required, context);
    const soonest = Math.min(...waits.map((wait) => wait?.afterMs ?? Number.POSITIVE_INFINITY));
    return soonest === Number.POSITIVE_INFINITY ? undefined : { afterMs: soonest };
  },
});

export interface Wanted {
  readonly volume: AttachableVolume;
  readonly users: readonly Pod[];
}

function isHolding(pod: Pod): boolean {
  return pod.spec.nodeName !== undefined && !isPodTerminated(pod);
}

/** Returns the properties of a node that decide whether volumes may be detached. */
function holdOf(node: Node | undefined) {
  return [node?.status.volumesInUse, node && isHealthy(node), node && isOutOfService(node), node === undefined];
}

function* nodesUsing(namespace: string | undefined, claimName: string | undefined, client: Client): Generator<Request> {
  if (!namespace || !claimName) return;
  for (const pod of client.each(pods, { namespace })) {
    if (pod.spec.nodeName && namesClaim(pod, claimName)) yield { namespace: "", name: pod.spec.nodeName };
  }
}

/** Returns the required volumes by the name of the attachment. */
function wantedBy(nodeName: string, client: Client): ReadonlyMap<string, Wanted> {
  const required = new Map<string, { volume: AttachableVolume; users: Pod[] }>();
  if (!client.get(nodes, "", nodeName)) return required;
  for (const pod of client.byIndexValue(pods, nodeName).filter(isHolding)) {
    for (const volume of attachableVolumes(pod, client)) {
      const name = attachmentName(volume, nodeName);
      const entry = required.get(name) ?? { volume, users: [] };
      entry.users.push(pod);
      required.set(name, entry);
    }
  }
  return required;
}

function attach(
  name: string,
  { volume, driver }: AttachableVolume,
  users: readonly Pod[],
  nodeName: string,
  { client, event, nowMs, memory }: ReconcileContext<Memory>,
): Result | undefined {
  const volumeName = volume.metadata.name ?? "";
  const existing = client.get(volumeAttachments, "", name);
  if (existing?.status.attached) return undefined;
  if (existing) {
    const leftMs = parseTime(existing.metadata.creationTimestamp ?? "") + attachPatienceMs - nowMs;
    if (leftMs > 0) return { afterMs: leftMs };
    const handle = volume.spec.csi?.volumeHandle ?? "";
    const why = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
    const message = `AttachVolume.Attach failed for volume ${JSON.stringify(volumeName)} : ${why}`;
    for (const pod of users) event(pod, "Warning", "FailedAttachVolume", message);
    return undefined;
  }
  const otherNodes = isMultiAttachAllowed(volume) ? [] : elsewhere(volumeName, nodeName, client);
  const { multiAttachReported } = memory;
  const key = `${nodeName}/${volumeName}`;
  if (otherNodes.length > 0) {
    if (multiAttachReported.has(key)) return undefined;
    multiAttachReported.add(key);
    for (const [pod, message] of reportMultiAttachError(volume, users, otherNodes, client)) {
      event(pod, "Warning", "FailedAttachVolume", message);
    }
    return undefined;
  }
  multiAttachReported.delete(key);
  client.create(volumeAttachments, {
    metadata: { name },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: volumeName } },
  });
  return { afterMs: attachPatienceMs };
}

/** Returns the other nodes that a volume is attached to. */
function elsewhere(volumeName: string, nodeName: string, client: Client): readonly string[] {
  return client
    .list(volumeAttachments)
    .filter(({ spec }) => spec.source.persistentVolumeName === volumeName && spec.nodeName !== nodeName)
    .map(({ spec }) => spec.nodeName);
}

/** Detaches a volume when the kubelet no longer uses it; from an unhealthy node, also after a time. */
function detach(attachment: VolumeAttachment, nodeName: string, context: ReconcileContext): Result | undefined {
  const { client, nowMs } = context;
  const { metadata, spec } = attachment;
  // An attachment that someone else created is not deleted. Its name identifies the creator.
  if (metadata.deletionTimestamp || !ownName.test(metadata.name ?? "")) return undefined;
  const node = client.get(nodes, "", nodeName);
  const volume = client.get(persistentVolumes, "", spec.source.persistentVolumeName ?? "");
  const name = volume ? attachable(volume, client)?.name : undefined;
  const isInUse = name !== undefined && node?.status.volumesInUse?.includes(name);
  if (node && isInUse && !isOutOfService(node)) {
    if (isHealthy(node)) return undefined;
    const sickMs = parseTime(readyOf(node)?.lastTransitionTime ?? "") + unmountPatienceMs - nowMs;
    if (sickMs > 0) return { afterMs: sickMs };
  }
  client.tryDelete(volumeAttachments, "", metadata.name ?? "");
  return undefined;
}

function readyOf({ status }: Node) {
  return status.conditions?.find(({ type }) => type === "Ready");
}

function isHealthy(node: Node): boolean {
  return readyOf(node)?.status === "True";
}

function isOutOfService({ spec }: Node): boolean {
  return spec.taints?.some(({ key }) => key === outOfService) ?? false;
}

function attachmentsOf(nodeName: string, client: Client): readonly VolumeAttachment[] {
  return client.list(volumeAttachments).filter(({ spec }) => spec.nodeName === nodeName);
}

type WantedVolumes = ReadonlyMap<string, { readonly users: readonly Pod[] }>;

/** Writes the node's `volumesAttached`, and records events for the pods of new volumes. */
function reportAttached(nodeName: string, required: WantedVolumes, { client, event }: ReconcileContext): void {
  const node = client.get(nodes, "", nodeName);
  if (!node) return;
  const before = node.status.volumesAttached ?? [];
  const attachedVolumes = attachmentsOf(nodeName, client).flatMap(({ metadata, spec, status }) => {
    const volume = client.get(persistentVolumes, "", spec.source.persistentVolumeName ?? "");
    const attachableVolume = volume && attachable(volume, client);
    const isThere = status.attached && !metadata.deletionTimestamp;
    return attachableVolume && isThere
      ? [{ ...attachableVolume, users: required.get(metadata.name ?? "")?.users ?? [] }]
      : [];
  });
  const remaining = before.filter(({ name }) => attachedVolumes.some((attachedVolume) => attachedVolume.name === name));
  const added = attachedVolumes.filter((attachedVolume) => !before.some(({ name }) => name === attachedVolume.name));
  if (added.length === 0 && remaining.length === before.length) return;
  for (const { volume, users } of added) {
    const message = `AttachVolume.Attach succeeded for volume ${JSON.stringify(volume.metadata.name ?? "")} `;
    for (const pod of users) event(pod, "Normal", "SuccessfulAttachVolume", message);
  }
  const { volumesAttached: _, ...status } = node.status;
  const volumesAttached = [...remaining, ...added.map(({ name }) => ({ name, devicePath: "" }))];
  client.updateStatus(nodes, { ...node, status: volumesAttached.length > 0 ? { ...status, volumesAttached } : status });
}

/** Records the multi-attach error with the holders that each pod may know. */
function reportMultiAttachError(
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
