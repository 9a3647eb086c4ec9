import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { storageClasses } from "../../../worker/kinds/storage/storage-class.ts";
import { csiDrivers } from "../../../worker/kinds/storage/csi-driver.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { applyClaim, applyVolume, podWith } from "./volumes.ts";

function quietCluster(nodes = 0): TestCluster {
  const cluster = newCluster({ nodes });
  cluster.step(0);
  return cluster;
}

const claimOf = (cluster: TestCluster, name = "data") => cluster.get(persistentVolumeClaims, "default", name);
const volumeOf = (cluster: TestCluster, name: string) => cluster.get(persistentVolumes, "", name);

function phases(cluster: TestCluster, claim: string, volume: string) {
  return [claimOf(cluster, claim).status.phase, volumeOf(cluster, volume).status.phase];
}

describe("static binding", () => {
  test("both sides reference each other, and show the binding", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "disk", { capacity: { storage: "2Gi" } });
    const { uid } = applyClaim(cluster, "data").metadata;
    cluster.step(0);
    const [claim, volume] = [claimOf(cluster), volumeOf(cluster, "disk")];
    expect(claim.spec.volumeName).toBe("disk");
    expect(claim.status).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } });
    expect(claim.metadata.annotations).toEqual({
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    });
    expect(volume.spec.claimRef).toMatchObject({
      kind: "PersistentVolumeClaim",
      namespace: "default",
      name: "data",
      uid,
    });
    expect(volume.metadata.annotations).toEqual({ "pv.kubernetes.io/bound-by-controller": "yes" });
    expect(volume.status.phase).toBe("Bound");
  });

  test("a claim gets the smallest volume with the fewest sufficient access modes", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "small", { capacity: { storage: "500Mi" } });
    applyVolume(cluster, "wide", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] });
    applyVolume(cluster, "big", { capacity: { storage: "10Gi" } });
    applyVolume(cluster, "fitting", { capacity: { storage: "3Gi" } });
    applyVolume(cluster, "classy", { storageClassName: "fast" });
    applyVolume(cluster, "block", { volumeMode: "Block" });
    cluster.step(0);
    applyClaim(cluster, "data");
    cluster.step(0);
    expect(claimOf(cluster).spec.volumeName).toBe("fitting");
  });

  test("a selector restricts the volumes", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "a");
    applyVolume(cluster, "b", {}, { tier: "gold" });
    applyClaim(cluster, "data", { selector: { matchLabels: { tier: "gold" } } });
    cluster.step(0);
    expect(claimOf(cluster).spec.volumeName).toBe("b");
  });

  test("a volume reserved for a claim waits for it", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "disk", { claimRef: { namespace: "default", name: "data" } });
    applyClaim(cluster, "other");
    cluster.step(0);
    expect(phases(cluster, "other", "disk")).toEqual(["Pending", "Available"]);
    applyClaim(cluster, "data");
    cluster.step(0);
    expect(phases(cluster, "data", "disk")).toEqual(["Bound", "Bound"]);
    expect(volumeOf(cluster, "disk").metadata.annotations).toBeUndefined();
  });

  test("a claim that names a volume gets that volume, or an event", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "small");
    const claim = applyClaim(cluster, "data", { volumeName: "small", resources: { requests: { storage: "5Gi" } } });
    cluster.step(0);
    expect(cluster.eventsOf(claim)).toEqual([
      'VolumeMismatch: Cannot bind to requested volume "small": requested PV is too small',
    ]);
    applyClaim(cluster, "first", { volumeName: "small" });
    cluster.step(0);
    expect(phases(cluster, "first", "small")).toEqual(["Bound", "Bound"]);
    const late = applyClaim(cluster, "late", { volumeName: "small" });
    cluster.step(0);
    expect(cluster.eventsOf(late)).toEqual(['FailedBinding: volume "small" already bound to a different claim.']);
  });

  test("a claim without a class or a volume gets an event, and is bound once a volume exists", () => {
    const cluster = quietCluster();
    const claim = applyClaim(cluster, "data");
    cluster.step(0);
    expect(cluster.eventsOf(claim)).toEqual([
      "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    ]);
    applyVolume(cluster, "disk");
    cluster.step(0);
    expect(claimOf(cluster).status.phase).toBe("Bound");
  });

  test("a claim whose volume is missing is Lost", () => {
    const cluster = quietCluster();
    applyVolume(cluster, "disk");
    const claim = applyClaim(cluster, "data");
    cluster.step(0);
    cluster.client.delete(persistentVolumes, "", "disk");
    cluster.step(0);
    expect(volumeOf(cluster, "disk").metadata.deletionTimestamp).toBeDefined();
    cluster.edit(persistentVolumes, "", "disk", ({ metadata }) => {
      metadata.finalizers = [];
    });
    cluster.step(0);
    expect(claimOf(cluster).status).toEqual({ phase: "Lost" });
    expect(cluster.eventsOf(claim)).toContain(
      "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  });
});

describe("reclaiming", () => {
  function released(policy: "Retain" | "Delete" | "Recycle", path = "/tmp/disk") {
    const cluster = quietCluster();
    applyVolume(cluster, "disk", { persistentVolumeReclaimPolicy: policy, hostPath: { path } });
    applyClaim(cluster, "data");
    cluster.step(0);
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.step(0);
    return cluster;
  }

  test("a retained volume is Released, and cannot be bound again", () => {
    const cluster = released("Retain");
    applyClaim(cluster, "data");
    cluster.step(0);
    expect(phases(cluster, "data", "disk")).toEqual(["Pending", "Released"]);
  });

  test("a volume with Delete is deleted with its claim", () => {
    expect(released("Delete").client.get(persistentVolumes, "", "disk")).toBeUndefined();
  });

  test("a volume that cannot be deleted is Failed", () => {
    const cluster = released("Delete", "/data/disk");
    const why = "host_path deleter only supports /tmp/.+ but received provided /data/disk";
    expect(volumeOf(cluster, "disk").status).toMatchObject({ phase: "Failed", message: why });
    expect(cluster.eventsOf(volumeOf(cluster, "disk"))).toEqual([`VolumeFailedDelete: ${why}`]);
  });

  test("a recycled volume is available again", () => {
    const cluster = released("Recycle");
    expect(volumeOf(cluster, "disk").status.phase).toBe("Available");
    expect(volumeOf(cluster, "disk").spec.claimRef).toBeUndefined();
  });
});

describe("dynamic provisioning", () => {
  const delayed = { storageClassName: "standard" };

  test("a new cluster has a default class that waits for the first consumer", () => {
    const cluster = quietCluster();
    expect(cluster.get(storageClasses, "", "standard")).toMatchObject({
      provisioner: "rancher.io/local-path",
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    cluster.apply(persistentVolumeClaims, {
      metadata: { name: "data", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    expect(claimOf(cluster).spec.storageClassName).toBe("standard");
    cluster.step(0);
    expect(claimOf(cluster).status).toEqual({ phase: "Pending" });
    expect(cluster.eventsOf(claimOf(cluster))).toEqual([
      "WaitForFirstConsumer: waiting for first consumer to be created before binding",
    ]);
  });

  test("the first pod causes provisioning on its node", () => {
    const cluster = quietCluster(3);
    const claim = applyClaim(cluster, "data", delayed);
    cluster.apply(pods, podWith("web", "data"));
    cluster.runUntilQuiet();
    const { nodeName = "" } = cluster.get(pods, "default", "web").spec;
    const name = `pvc-${claim.metadata.uid ?? ""}`;
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
    expect(claimOf(cluster).spec.volumeName).toBe(name);
    expect(claimOf(cluster).metadata.annotations).toMatchObject({
      "volume.kubernetes.io/selected-node": nodeName,
      "volume.kubernetes.io/storage-provisioner": "rancher.io/local-path",
    });
    expect(volumeOf(cluster, name).status.phase).toBe("Bound");
    expect(volumeOf(cluster, name).spec).toMatchObject({
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "standard",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", values: [nodeName] }] }],
        },
      },
    });
    const reasons = cluster.eventsOf(claim).map((text) => text.split(":")[0]);
    expect(reasons).toEqual(expect.arrayContaining(["ExternalProvisioning", "Provisioning", "ProvisioningSucceeded"]));
    expect(cluster.eventsOf(cluster.get(pods, "default", "web")).join()).not.toContain("FailedScheduling");
  });

  test("a later pod goes only where the volume is", () => {
    const cluster = quietCluster(3);
    applyClaim(cluster, "data", delayed);
    cluster.apply(pods, podWith("web", "data"));
    cluster.runUntilQuiet();
    const { nodeName = "" } = cluster.get(pods, "default", "web").spec;
    cluster.apply(pods, podWith("again", "data"));
    const far = podWith("far", "data", {
      nodeSelector: { "kubernetes.io/hostname": nodeName === "node-1" ? "node-2" : "node-1" },
    });
    cluster.apply(pods, far);
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", "again").spec.nodeName).toBe(nodeName);
    expect(cluster.eventsOf(cluster.get(pods, "default", "far")).join()).toContain(
      "didn't match PersistentVolume's node affinity",
    );
  });

  test("volume and claim are deleted together", () => {
    const cluster = quietCluster(1);
    const claim = applyClaim(cluster, "data", delayed);
    cluster.apply(pods, podWith("web", "data"));
    cluster.runUntilQuiet();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.runUntilQuiet();
    expect(claimOf(cluster).metadata.deletionTimestamp).toBeDefined();
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    expect(cluster.client.get(persistentVolumeClaims, "default", "data")).toBeUndefined();
    expect(cluster.client.get(persistentVolumes, "", `pvc-${claim.metadata.uid ?? ""}`)).toBeUndefined();
  });

  test("a pod waits for an immediate claim, and then runs", () => {
    const cluster = quietCluster(3);
    applyClaim(cluster, "data");
    const pod = cluster.apply(pods, podWith("web", "data"));
    cluster.step(0);
    expect(cluster.eventsOf(pod)).toEqual([
      "FailedScheduling: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    ]);
    applyVolume(cluster, "disk");
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
  });

  test("a pod with a node starts once its claim is bound", () => {
    const cluster = quietCluster(1);
    applyClaim(cluster, "data");
    const pod = cluster.apply(pods, podWith("web", "data", { nodeName: "node-1" }));
    cluster.step(1_000);
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Pending");
    expect(cluster.eventsOf(pod)).toEqual([
      "FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/data: PVC is not bound",
    ]);
    applyVolume(cluster, "disk");
    cluster.step(1_000);
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
  });

  test("a pod waits for a missing claim", () => {
    const cluster = quietCluster(1);
    const pod = cluster.apply(pods, podWith("web", "data"));
    cluster.step(0);
    expect(cluster.eventsOf(pod)[0]).toContain('persistentvolumeclaim "data" not found');
    applyClaim(cluster, "data", delayed);
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
  });

  test("a class of a CSI driver waits for the driver, and then provisions at once", () => {
    const cluster = quietCluster();
    const provisioner = "disk.example.com";
    cluster.apply(storageClasses, { metadata: { name: "fast" }, provisioner });
    const claim = applyClaim(cluster, "data", { storageClassName: "fast", accessModes: ["ReadWriteMany"] });
    cluster.step(0);
    expect(claimOf(cluster).status.phase).toBe("Pending");
    expect(cluster.eventsOf(claim)).toEqual([
      `ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    ]);
    cluster.apply(csiDrivers, { metadata: { name: provisioner }, spec: {} });
    cluster.step(0);
    expect(claimOf(cluster).status.phase).toBe("Bound");
    expect(volumeOf(cluster, claimOf(cluster).spec.volumeName ?? "").spec.csi?.driver).toBe(provisioner);
  });

  test("a claim that cannot be provisioned gets an event", () => {
    const cluster = quietCluster();
    const absent = applyClaim(cluster, "absent", { storageClassName: "none" });
    cluster.apply(storageClasses, { metadata: { name: "manual" }, provisioner: "kubernetes.io/no-provisioner" });
    const manual = applyClaim(cluster, "manual", { storageClassName: "manual" });
    cluster.step(0);
    expect(cluster.eventsOf(absent)).toEqual(['ProvisioningFailed: storageclass.storage.k8s.io "none" not found']);
    expect(cluster.eventsOf(manual)).toEqual([
      "ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
    ]);
  });

  test("a class without a provisioner binds volumes of the selected node", () => {
    const cluster = quietCluster(3);
    const provisioner = "kubernetes.io/no-provisioner";
    cluster.apply(storageClasses, {
      metadata: { name: "local" },
      provisioner,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In" as const, values: ["node-2"] }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    applyVolume(cluster, "disk", { storageClassName: "local", nodeAffinity });
    applyClaim(cluster, "data", { storageClassName: "local" });
    cluster.runUntilQuiet();
    expect(phases(cluster, "data", "disk")).toEqual(["Pending", "Available"]);
    cluster.apply(pods, podWith("web", "data"));
    cluster.runUntilQuiet();
    expect(phases(cluster, "data", "disk")).toEqual(["Bound", "Bound"]);
    expect(cluster.get(pods, "default", "web").spec.nodeName).toBe("node-2");
    applyClaim(cluster, "more", { storageClassName: "local" });
    const pod = cluster.apply(pods, podWith("late", "more"));
    cluster.step(0);
    expect(cluster.eventsOf(pod)[0]).toContain("3 node(s) didn't find available persistent volumes to bind");
  });

  test("an ephemeral volume gets a claim that is deleted with its pod", () => {
    const cluster = quietCluster(1);
    const volumeClaimTemplate = {
      spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
    };
    cluster.apply(pods, podWith("web", "", { volumes: [{ name: "data", ephemeral: { volumeClaimTemplate } }] }));
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "web-data").status.phase).toBe("Bound");
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    expect(cluster.client.get(persistentVolumeClaims, "default", "web-data")).toBeUndefined();
    expect(cluster.client.list(persistentVolumes)).toEqual([]);
  });
});
