// Hands a claim to the provisioner of its class (upstream: `provisionClaim`).
import type { PersistentVolumeClaim } from "../../../../shared/k8s/api/core-v1.ts";
import { persistentVolumeClaims } from "../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { storageClasses } from "../../../kinds/storage/storage-class.ts";
import type { ReconcileContext } from "../../../runtime/controller.ts";
import { betaStorageProvisioner, storageProvisioner, withAnnotations } from "./annotations.ts";
import { classOfClaim } from "./matching.ts";

/** In-tree plugins whose work CSI drivers have taken over. */
const migrated: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

export function provision(claim: PersistentVolumeClaim, { client, event }: ReconcileContext): void {
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
