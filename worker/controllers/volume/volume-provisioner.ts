// The simulated provisioners: local-path as kind installs it, and one for every known CSI driver. They create the volumes of claims, and
// delete released volumes.
import type { PersistentVolume, PersistentVolumeClaim, Node } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { csiDrivers } from "../../kinds/storage/csi-driver.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../kinds/core/persistent-volume/persistent-volume.ts";
import { storageClasses } from "../../kinds/storage/storage-class.ts";
import type { Client } from "../../registry/client.ts";
import {
  type Controller,
  type ReconcileContext,
  defineController,
  requestOf,
  watch,
} from "../../runtime/controller.ts";
import { provisionedBy, selectedNode, storageProvisioner, withoutAnnotation } from "../common/volumes/annotations.ts";
import { classOfClaim } from "../common/volumes/matching.ts";
import { hasFinalizer, withoutFinalizer } from "../common/finalizers.ts";
import { claimOf } from "./persistent-volume/sync-volume.ts";
import type { StorageClass } from "../../../shared/k8s/api/storage-v1.ts";
import { referenceTo } from "../common/volumes/binding.ts";

export const localProvisioner = "rancher.io/local-path";

interface Provisioner {
  readonly name: string;
  readonly user: string;
  readonly component: string;
  serves(provisioner: string, client: Client): boolean;
  problem(claim: PersistentVolumeClaim): string | undefined;
  volume(order: Order): Draft<PersistentVolume>;
}

export const localPathProvisioner = provisionerOf({
  name: "local-path-provisioner",
  user: "system:serviceaccount:local-path-storage:local-path-provisioner-service-account",
  component: "rancher.io/local-path_local-path-provisioner",
  serves: (provisioner) => provisioner === localProvisioner,
  problem: localProblem,
  volume: localVolume,
});

export const csiProvisioner = provisionerOf({
  name: "csi-provisioner",
  user: "system:serviceaccount:kube-system:csi-provisioner",
  component: "external-provisioner",
  serves: (provisioner, client) => client.get(csiDrivers, "", provisioner) !== undefined,
  problem: () => undefined,
  volume: csiVolume,
});

/** Defines a provisioner. Requests with a namespace are claims, the others volumes. */
function provisionerOf(provisioner: Provisioner): Controller {
  return defineController({
    name: provisioner.name,
    user: provisioner.user,
    component: provisioner.component,
    watches: [
      watch<PersistentVolumeClaim>(persistentVolumeClaims, function* (next, _, client) {
        if (next && isOrdered(next) && provisioner.serves(makerFor(next), client)) yield requestOf(next);
      }),
      watch<PersistentVolume>(persistentVolumes, function* (next) {
        if (next?.status.phase === "Released" && makerOf(next) !== "") yield requestOf(next);
      }),
      // A new driver handles the claims that wait for it.
      watch(csiDrivers, function* (next, previous, client) {
        if (!next || previous) return;
        for (const claim of client.list(persistentVolumeClaims)) {
          if (isOrdered(claim) && makerFor(claim) === next.metadata.name) yield requestOf(claim);
        }
      }),
    ],
    reconcile({ namespace, name }, context) {
      if (namespace === "") remove(provisioner, name, context);
      else provisionClaimOperation(provisioner, context.client.get(persistentVolumeClaims, namespace, name), context);
      return undefined;
    },
  });
}

/** Returns the provisioner in the annotation of a claim. */
function makerFor({ metadata }: PersistentVolumeClaim): string {
  return metadata.annotations?.[storageProvisioner] ?? "";
}

function makerOf({ metadata }: PersistentVolume): string {
  return metadata.annotations?.[provisionedBy] ?? "";
}

function isOrdered(claim: PersistentVolumeClaim): boolean {
  return !claim.spec.volumeName && claim.metadata.deletionTimestamp === undefined && makerFor(claim) !== "";
}

function provisionClaimOperation(
  provisioner: Provisioner,
  claim: PersistentVolumeClaim | undefined,
  context: ReconcileContext,
): void {
  const { client, event } = context;
  if (!claim || !isOrdered(claim) || !provisioner.serves(makerFor(claim), client)) return;
  if (client.get(persistentVolumes, "", volumeName(claim))) return;
  const storageClass = client.get(storageClasses, "", classOfClaim(claim));
  if (!storageClass) return;
  const nodeName = claim.metadata.annotations?.[selectedNode];
  if (storageClass.volumeBindingMode === "WaitForFirstConsumer" && !nodeName) return;
  const node = nodeName ? client.get(nodes, "", nodeName) : undefined;
  const { namespace = "", name = "" } = claim.metadata;
  if (nodeName && !node) {
    const message = `failed to get target node: node ${JSON.stringify(nodeName)} not found`;
    event(claim, "Warning", "ProvisioningFailed", message);
    // The scheduler must select a node again.
    const metadata = withoutAnnotation(claim.metadata, selectedNode);
    client.update(persistentVolumeClaims, { ...claim, metadata });
    return;
  }
  event(
    claim,
    "Normal",
    "Provisioning",
    `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
  );
  const problem = provisioner.problem(claim);
  if (problem !== undefined) {
    const head = `failed to provision volume with StorageClass ${JSON.stringify(storageClass.metadata.name ?? "")}`;
    event(claim, "Warning", "ProvisioningFailed", `${head}: ${problem}`);
    return;
  }
  const order = { claim, storageClass, node, provisioner: makerFor(claim) };
  client.create(persistentVolumes, provisioner.volume(order));
  event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${volumeName(claim)}`);
}

function remove(provisioner: Provisioner, name: string, { client }: ReconcileContext): void {
  const volume = client.get(persistentVolumes, "", name);
  if (!volume || volume.status.phase !== "Released" || !provisioner.serves(makerOf(volume), client)) return;
  if (volume.spec.persistentVolumeReclaimPolicy !== "Delete" || claimOf(volume, client)) return;
  client.tryDelete(persistentVolumes, "", name);
  const left = client.get(persistentVolumes, "", name);
  if (!left || !hasFinalizer(left, provisionerFinalizer)) return;
  client.update(persistentVolumes, { ...left, metadata: withoutFinalizer(left.metadata, provisionerFinalizer) });
}

interface Order {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly provisioner: string;
  /** The node that the scheduler selected, if the class waits for it. */
  readonly node: Node | undefined;
}

/** The finalizer of CSI volumes: the disk is deleted before the object is removed. */
const provisionerFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";

function volumeName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid ?? ""}`;
}

/** Returns the fields that all provisioners set. */
function orderedVolume(
  { claim, storageClass, provisioner }: Order,
  more: Draft<PersistentVolume["spec"]>,
  annotations: Readonly<Record<string, string>> = {},
): Draft<PersistentVolume> {
  const { spec } = claim;
  const { mountOptions, metadata, reclaimPolicy } = storageClass;
  return {
    metadata: { name: volumeName(claim), annotations: { ...annotations, [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: spec.resources.requests?.storage ?? "0" },
      accessModes: spec.accessModes ?? [],
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: reclaimPolicy ?? "Delete",
      storageClassName: metadata.name ?? "",
      ...(mountOptions ? { mountOptions } : {}),
      volumeMode: spec.volumeMode ?? "Filesystem",
      ...(spec.volumeAttributesClassName ? { volumeAttributesClassName: spec.volumeAttributesClassName } : {}),
      ...more,
    },
  };
}

/** Returns a volume in a directory of a node, as local-path-provisioner creates it. */
function localVolume(order: Order): Draft<PersistentVolume> {
  const { claim, node } = order;
  const { namespace = "", name = "" } = claim.metadata;
  const path = `/var/local-path-provisioner/${volumeName(claim)}_${namespace}_${name}`;
  const hostPath = { path, type: "DirectoryOrCreate" as const };
  const hostname = node?.metadata.labels?.["kubernetes.io/hostname"] ?? node?.metadata.name;
  if (hostname === undefined) return orderedVolume(order, { hostPath });
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [hostname] }];
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
  const annotations = { "local.path.provisioner/selected-node": node?.metadata.name ?? "" };
  return orderedVolume(order, { hostPath, nodeAffinity }, annotations);
}

/** Returns why local-path-provisioner cannot provision a claim. */
function localProblem({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.selector) return "claim.Spec.Selector is not supported";
  const isNear = (mode: string) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod";
  if (spec.accessModes?.every(isNear)) return undefined;
  return "NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes";
}

/** Returns a CSI volume that every node can access. */
function csiVolume(order: Order): Draft<PersistentVolume> {
  const { claim, storageClass, provisioner } = order;
  const fsType = storageClass.parameters?.["csi.storage.k8s.io/fstype"] ?? "ext4";
  const source = { driver: provisioner, volumeHandle: `vol-${(claim.metadata.uid ?? "").replaceAll("-", "")}` };
  const ordered = orderedVolume(order, { csi: claim.spec.volumeMode === "Block" ? source : { ...source, fsType } });
  return { ...ordered, metadata: { ...ordered.metadata, finalizers: [provisionerFinalizer] } };
}
