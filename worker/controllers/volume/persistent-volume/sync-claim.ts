// Binds a claim to a volume, or requests provisioning.
import type { PersistentVolume, PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { storageClassAnnotation } from "../../../kinds/core/persistent-volume-claim/storage-class.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { isDefaultStorageClass, storageClasses } from "../../../kinds/storage/storage-class.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import {
  bindCompleted,
  boundByController,
  hasAnnotation,
  selectedNode,
  betaStorageProvisioner,
  storageProvisioner,
  withAnnotations,
} from "../../common/volumes/annotations.ts";
import { bind, updateClaimStatus } from "../../common/volumes/binding.ts";
import {
  findBestMatchForClaim,
  classOfClaim,
  isVolumeBoundToClaim,
  checkVolumeSatisfyClaim,
} from "../../common/volumes/matching.ts";
import { isPodTerminated, namesClaim } from "../../common/volumes/pod-claims.ts";

export function syncClaim(claim: PersistentVolumeClaim, context: ReconcileContext): void {
  if (hasAnnotation(claim.metadata, bindCompleted)) syncBound(claim, context);
  else if (claim.spec.volumeName) syncNamed(claim, claim.spec.volumeName, context);
  else syncFree(claim, context);
}

/** Handles a claim without a volume name. */
function syncFree(claim: PersistentVolumeClaim, context: ReconcileContext): void {
  const { client, event } = context;
  const className = classOfClaim(claim);
  const isDelayed =
    className !== "" && client.get(storageClasses, "", className)?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = findBestMatchForClaim(claim, client.list(persistentVolumes), isDelayed);
  if (volume) return bind(volume, claim, client);
  if (getsDefaultClass(claim, context)) return;
  if (isDelayed && !hasAnnotation(claim.metadata, selectedNode)) tellDelay(claim, context);
  else if (className) return provision(claim, context);
  else {
    const message = "no persistent volumes available for this claim and no storage class is set";
    event(claim, "Normal", "FailedBinding", message);
  }
  updateClaimStatus(claim, "Pending", undefined, client);
}

/** Sets the default class of a claim that was created before there was one. */
function getsDefaultClass(claim: PersistentVolumeClaim, { client }: ReconcileContext): boolean {
  const { metadata, spec } = claim;
  if (spec.storageClassName !== undefined || hasAnnotation(metadata, storageClassAnnotation)) return false;
  const [newest] = client
    .list(storageClasses)
    .filter(isDefaultStorageClass)
    .sort((a, b) => ((a.metadata.creationTimestamp ?? "") > (b.metadata.creationTimestamp ?? "") ? -1 : 1));
  const name = newest?.metadata.name;
  if (name === undefined) return false;
  client.update(persistentVolumeClaims, { ...claim, spec: { ...spec, storageClassName: name } });
  return true;
}

function tellDelay(claim: PersistentVolumeClaim, { client, event }: ReconcileContext): void {
  const { namespace = "", name = "" } = claim.metadata;
  const names = client
    .list(pods, { namespace })
    .filter((pod) => !pod.spec.nodeName && namesClaim(pod, name) && !isPodTerminated(pod))
    .map(({ metadata }) => metadata.name ?? "");
  if (names.length === 0) {
    event(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
    return;
  }
  const what = `${names.length > 1 ? "pods" : "pod"} ${names.join(",")}`;
  event(claim, "Normal", "WaitForPodScheduled", `waiting for ${what} to be scheduled`);
}

/** Handles a claim that names a volume and is not bound yet. */
function syncNamed(claim: PersistentVolumeClaim, volumeName: string, { client, event }: ReconcileContext): void {
  const volume = client.get(persistentVolumes, "", volumeName);
  const why = volume && refusal(volume, claim);
  if (volume && !why) return bind(volume, claim, client);
  if (why) event(claim, "Warning", why.reason, why.message);
  if (why?.isBug) throw ApiError.conflict(persistentVolumeClaims.groupResource, claim.metadata.name ?? "", why.message);
  updateClaimStatus(claim, "Pending", undefined, client);
}

function refusal(volume: PersistentVolume, claim: PersistentVolumeClaim) {
  const name = JSON.stringify(volume.metadata.name ?? "");
  if (isVolumeBoundToClaim(volume, claim)) return undefined;
  if (volume.spec.claimRef) {
    const message = `volume ${name} already bound to a different claim.`;
    return { reason: "FailedBinding", message, isBug: hasAnnotation(claim.metadata, boundByController) };
  }
  const why = checkVolumeSatisfyClaim(volume, claim);
  if (why === undefined) return undefined;
  return { reason: "VolumeMismatch", message: `Cannot bind to requested volume ${name}: ${why}`, isBug: false };
}

/** Handles a claim that was bound once. */
function syncBound(claim: PersistentVolumeClaim, context: ReconcileContext): void {
  const { volumeName } = claim.spec;
  if (!volumeName) {
    lose(
      claim,
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
      context,
    );
    return;
  }
  const volume = context.client.get(persistentVolumes, "", volumeName);
  const claimRef = volume?.spec.claimRef;
  if (!volume) {
    lose(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!", context);
  } else if (!claimRef || claimRef.uid === claim.metadata.uid) {
    bind(volume, claim, context.client);
  } else {
    const message = "Two claims are bound to the same volume, this one is bound incorrectly";
    lose(claim, "ClaimMisbound", message, context);
  }
}

function lose(claim: PersistentVolumeClaim, reason: string, message: string, context: ReconcileContext): void {
  if (claim.status.phase === "Lost") return;
  context.event(updateClaimStatus(claim, "Lost", undefined, context.client), "Warning", reason, message);
}

/** In-tree plugins that were migrated to CSI drivers. */
const migrated: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

function provision(claim: PersistentVolumeClaim, { client, event }: ReconcileContext): void {
  const className = classOfClaim(claim);
  const storageClass = client.get(storageClasses, "", className);
  const provisioner = storageClass && (migrated[storageClass.provisioner] ?? storageClass.provisioner);
  if (provisioner === undefined) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`;
    event(claim, "Warning", "ProvisioningFailed", message);
    return;
  }
  if (provisioner.startsWith("kubernetes.io/")) {
    event(claim, "Warning", "ProvisioningFailed", `no volume plugin matched name: ${provisioner}`);
    return;
  }
  const added = { [betaStorageProvisioner]: provisioner, [storageProvisioner]: provisioner };
  const metadata = withAnnotations(claim.metadata, added);
  const handed = client.update(persistentVolumeClaims, { ...claim, metadata });
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  event(handed, "Normal", "ExternalProvisioning", message);
}
