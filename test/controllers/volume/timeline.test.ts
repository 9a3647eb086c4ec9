// Golden timelines of volume: every event and every step, in order.
import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { quietCluster } from "../../cluster.ts";
import { brief, story } from "../story.ts";
import { applyClaim, podWith, applyVolume } from "./volumes.ts";
import { disk, diskCluster, podOn, claimOf, driver } from "./csi.ts";
import { volumeAttributesClasses } from "../../../worker/kinds/storage/volume-attributes-class.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { csiDrivers } from "../../../worker/kinds/storage/csi-driver.ts";
import { storageClasses } from "../../../worker/kinds/storage/storage-class.ts";

/** Returns the deletion mark and the finalizers of an object. */
function held({ kind, metadata: objectMeta }: KubeObject): string {
  if (kind === "Pod" || kind === "Namespace" || kind === "Event") return "";
  return [...(objectMeta.deletionTimestamp ? ["deletion"] : []), ...(objectMeta.finalizers ?? [])].join(" ");
}

test("a claim of the default class waits for its pod, is bound to a volume, and is deleted", () => {
  const cluster = quietCluster({ nodes: 1 });
  const lines = brief(cluster, (step) => {
    applyClaim(cluster, "data", { storageClassName: "standard" });
    step();
    cluster.apply(pods, podWith("web", "data"));
    step();
    cluster.client.delete(pods, "default", "web");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "PersistentVolumeClaim data made",
      "Normal WaitForFirstConsumer: waiting for first consumer to be created before binding",
      "Pod web made",
      "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'rancher.io/local-path' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      "Normal ExternalProvisioning (x2): Waiting for a volume to be created either by the external provisioner 'rancher.io/local-path' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      "Normal Provisioning: External provisioner is provisioning volume for claim "default/data"",
      "PersistentVolume pvc-# made",
      "Normal ProvisioningSucceeded: Successfully provisioned volume pvc-#",
      "PersistentVolume pvc-#: phase Bound",
      "PersistentVolumeClaim data: phase Bound, accessModes [item], capacity {storage 1}",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "PersistentVolumeClaim data gone",
      "PersistentVolume pvc-#: phase Released, lastPhaseTransitionTime 2026-01-01T00:03:00Z",
      "PersistentVolume pvc-# gone",
    ]
  `);
});

test("a disk is attached for its pod, and detached", () => {
  const cluster = diskCluster(1);
  disk(cluster, "data");
  const lines = brief(cluster, (step) => {
    podOn(cluster, "node-1", "web", "data");
    step();
    cluster.client.delete(pods, "default", "web");
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "VolumeAttachment csi-# made",
      "Node node-1: volumesInUse [item]",
      "VolumeAttachment csi-#: attached true",
      "Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pvc-#" ",
      "Node node-1: volumesAttached [item]",
      "Pod web Running",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "Node node-1: -volumesInUse",
      "Node node-1: -volumesAttached",
      "VolumeAttachment csi-# gone",
    ]
  `);
});

test("a disk is expanded under a pod, and gets new attributes", () => {
  const cluster = diskCluster(1);
  disk(cluster, "data");
  podOn(cluster, "node-1", "web", "data");
  cluster.runUntilQuiet();
  const lines = brief(cluster, (step) => {
    cluster.edit(persistentVolumeClaims, "default", "data", ({ spec }) => {
      spec.resources.requests = { storage: "2Gi" };
    });
    step();
    const parameters = { iops: "100" };
    cluster.apply(volumeAttributesClasses, { metadata: { name: "gold" }, driverName: driver, parameters });
    cluster.edit(persistentVolumeClaims, "default", "data", ({ spec }) => {
      spec.volumeAttributesClassName = "gold";
    });
  });
  expect(claimOf(cluster, "data").status.currentVolumeAttributesClassName).toBe("gold");
  expect(lines).toMatchInlineSnapshot(`
    [
      "Normal ExternalExpanding: waiting for an external controller to expand this PVC",
      "PersistentVolumeClaim data: conditions [Resizing=True/], allocatedResources {storage 1}, allocatedResourceStatuses {storage 1}",
      "Normal Resizing: External resizer is resizing volume pvc-#",
      "PersistentVolumeClaim data: conditions [Resizing=True/ FileSystemResizePending=True/], allocatedResourceStatuses {storage 1}",
      "Normal FileSystemResizeRequired: Require file system resize of volume on node",
      "PersistentVolumeClaim data: allocatedResourceStatuses {storage 1}",
      "Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pvc-#" node-1",
      "Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pvc-#" node-1",
      "PersistentVolumeClaim data: capacity {storage 1}, -conditions, -allocatedResourceStatuses",
      "VolumeAttributesClass gold made",
      "PersistentVolumeClaim data: conditions [ModifyingVolume=True/], modifyVolumeStatus {targetVolumeAttributesClassName 1 status 1}",
      "Normal VolumeModify: external resizer is modifying volume data with vac gold",
      "PersistentVolumeClaim data: -conditions, -modifyVolumeStatus, currentVolumeAttributesClassName gold",
      "Normal VolumeModifySuccessful: external resizer modified volume data with vac gold successfully",
    ]
  `);
});

test("a claim for a pod's ephemeral volume is created, protected while the pod exists, and deleted with it", () => {
  const cluster = quietCluster({ nodes: 1 });
  const happen = (step: () => void) => {
    applyVolume(cluster, "disk");
    const spec = {
      storageClassName: "",
      accessModes: ["ReadWriteOnce" as const],
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: { spec } } }];
    cluster.apply(pods, podWith("web", "", { volumes }));
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "web-data");
    step();
    cluster.client.delete(pods, "default", "web");
  };
  expect(story(cluster, happen, { describe: held })).toMatchInlineSnapshot(`
    [
      "PersistentVolume disk made",
      "PersistentVolume disk has kubernetes.io/pv-protection",
      "Pod web made",
      "PersistentVolume disk: phase Available",
      "Warning FailedScheduling: 0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "web-data". not found",
      "PersistentVolumeClaim web-data made",
      "PersistentVolumeClaim web-data has kubernetes.io/pvc-protection",
      "Warning FailedScheduling: 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
      "PersistentVolume disk: phase Bound",
      "PersistentVolumeClaim web-data: phase Bound, accessModes [item], capacity {storage 1}",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "PersistentVolumeClaim web-data has deletion kubernetes.io/pvc-protection",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "PersistentVolumeClaim web-data gone",
      "PersistentVolume disk: phase Released, lastPhaseTransitionTime 2026-01-01T00:02:00Z",
    ]
  `);
});

test("a deleted volume stays until its claim is deleted", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    applyVolume(cluster, "disk", { persistentVolumeReclaimPolicy: "Retain" });
    applyClaim(cluster, "data");
    step();
    cluster.client.delete(persistentVolumes, "", "disk");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  };
  expect(story(cluster, happen, { describe: held })).toMatchInlineSnapshot(`
    [
      "PersistentVolume disk made",
      "PersistentVolume disk has kubernetes.io/pv-protection",
      "PersistentVolumeClaim data made",
      "PersistentVolumeClaim data has kubernetes.io/pvc-protection",
      "PersistentVolume disk: phase Available",
      "PersistentVolume disk: phase Bound",
      "PersistentVolumeClaim data: phase Bound, accessModes [item], capacity {storage 1}",
      "PersistentVolume disk has deletion kubernetes.io/pv-protection",
      "PersistentVolumeClaim data has deletion kubernetes.io/pvc-protection",
      "PersistentVolumeClaim data gone",
      "PersistentVolume disk: phase Released, lastPhaseTransitionTime 2026-01-01T00:12:01Z",
      "PersistentVolume disk gone",
    ]
  `);
});

test("a deleted VolumeAttributesClass stays while a claim names it", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    const parameters = { iops: "100" };
    cluster.apply(volumeAttributesClasses, { metadata: { name: "gold" }, driverName: "disk.example.com", parameters });
    applyClaim(cluster, "data", { storageClassName: "standard", volumeAttributesClassName: "gold" });
    step();
    cluster.client.delete(volumeAttributesClasses, "", "gold");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  };
  expect(story(cluster, happen, { describe: held })).toMatchInlineSnapshot(`
    [
      "VolumeAttributesClass gold made",
      "VolumeAttributesClass gold has kubernetes.io/vac-protection",
      "PersistentVolumeClaim data made",
      "PersistentVolumeClaim data has kubernetes.io/pvc-protection",
      "Normal WaitForFirstConsumer: waiting for first consumer to be created before binding",
      "VolumeAttributesClass gold has deletion kubernetes.io/vac-protection",
      "PersistentVolumeClaim data has deletion kubernetes.io/pvc-protection",
      "PersistentVolumeClaim data gone",
      "VolumeAttributesClass gold gone",
    ]
  `);
});

test("a driver with storageCapacity publishes its capacity for each of its classes", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    const provisioner = "disk.example.com";
    cluster.apply(csiDrivers, { metadata: { name: provisioner }, spec: { storageCapacity: true } });
    cluster.apply(storageClasses, { metadata: { name: "fast" }, provisioner });
    step();
    cluster.client.delete(storageClasses, "", "fast");
  };
  expect(story(cluster, happen, { namespaces: ["", "kube-system"] })).toMatchInlineSnapshot(`
    [
      "CSIDriver disk.example.com made",
      "StorageClass fast made",
      "CSIStorageCapacity csisc-? made",
      "StorageClass fast gone",
      "CSIStorageCapacity csisc-? gone",
    ]
  `);
});
