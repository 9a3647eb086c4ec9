import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { volumeAttributesClasses } from "../../../worker/kinds/storage/volume-attributes-class.ts";
import type { TestCluster } from "../../cluster.ts";
import { claimOf, disk, diskCluster, driver, podOn, volumeOf } from "./csi.ts";

const ask = (cluster: TestCluster, storage: string) =>
  cluster.edit(persistentVolumeClaims, "default", "data", ({ spec }) => {
    spec.resources.requests = { storage };
  });

const conditionsOf = (cluster: TestCluster) =>
  (claimOf(cluster, "data").status.conditions ?? []).map(({ type, status }) => `${type}=${status}`);

describe("expansion of volumes", () => {
  test("the volume is expanded immediately, and its file system when a pod mounts it", () => {
    const cluster = diskCluster();
    const volume = disk(cluster, "data").metadata.name ?? "";
    const claim = ask(cluster, "2Gi");
    cluster.runUntilQuiet();
    expect(volumeOf(cluster, "data").spec.capacity).toEqual({ storage: "2Gi" });
    expect(volumeOf(cluster, "data").metadata.annotations).toMatchObject({
      "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi",
    });
    expect(claimOf(cluster, "data").status).toMatchObject({
      capacity: { storage: "1Gi" },
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    });
    expect(conditionsOf(cluster)).toEqual(["Resizing=True", "FileSystemResizePending=True"]);
    expect(cluster.eventsOf(claim).slice(-3)).toEqual([
      "ExternalExpanding: waiting for an external controller to expand this PVC",
      `Resizing: External resizer is resizing volume ${volume}`,
      "FileSystemResizeRequired: Require file system resize of volume on node",
    ]);
    const pod = podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    const { status } = claimOf(cluster, "data");
    expect(status).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(status.allocatedResourceStatuses).toBeUndefined();
    expect(status.conditions).toBeUndefined();
    const done = `FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "${volume}" node-1`;
    expect(cluster.eventsOf(pod)).toContain(done);
    expect(cluster.eventsOf(claim)).toContain(done);
    expect(volumeOf(cluster, "data").metadata.annotations).not.toHaveProperty(
      "volume.alpha.kubernetes.io/pre-resize-capacity",
    );
  });

  test("a mounted file system is expanded while its pod runs, and once more", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    for (const size of ["2Gi", "3Gi"]) {
      ask(cluster, size);
      cluster.runUntilQuiet();
      expect(claimOf(cluster, "data").status.capacity).toEqual({ storage: size });
    }
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
  });

  test("a second expansion waits for the node's part of the first", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    ask(cluster, "2Gi");
    cluster.runUntilQuiet();
    ask(cluster, "3Gi");
    cluster.runUntilQuiet();
    expect(volumeOf(cluster, "data").spec.capacity).toEqual({ storage: "2Gi" });
    podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "data").status.capacity).toEqual({ storage: "3Gi" });
  });

  test("a block device has no file system, and the claim has its size immediately", () => {
    const cluster = diskCluster();
    disk(cluster, "data", { volumeMode: "Block" });
    const claim = ask(cluster, "2Gi");
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "data").status.capacity).toEqual({ storage: "2Gi" });
    expect(claimOf(cluster, "data").status.conditions).toBeUndefined();
    expect(cluster.eventsOf(claim).at(-1)).toBe("VolumeResizeSuccessful: Resize volume succeeded");
  });
});

describe("attributes", () => {
  const applyAttributes = (cluster: TestCluster, name: string) =>
    cluster.apply(volumeAttributesClasses, { metadata: { name }, driverName: driver, parameters: { iops: "100" } });
  const want = (cluster: TestCluster, name: string) =>
    cluster.edit(persistentVolumeClaims, "default", "data", ({ spec }) => {
      spec.volumeAttributesClassName = name;
    });

  test("a claim that requests a class gets its attributes, with conditions on both sides", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    applyAttributes(cluster, "gold");
    const claim = want(cluster, "gold");
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "data").status.currentVolumeAttributesClassName).toBe("gold");
    expect(claimOf(cluster, "data").status.modifyVolumeStatus).toBeUndefined();
    expect(claimOf(cluster, "data").status.conditions).toBeUndefined();
    expect(volumeOf(cluster, "data").spec.volumeAttributesClassName).toBe("gold");
    expect(cluster.eventsOf(claim).slice(-2)).toEqual([
      "VolumeModify: external resizer is modifying volume data with vac gold",
      "VolumeModifySuccessful: external resizer modified volume data with vac gold successfully",
    ]);
  });

  test("a missing class is awaited", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    const claim = want(cluster, "gold");
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "data").status.modifyVolumeStatus).toEqual({ status: "Pending" });
    expect(cluster.eventsOf(claim).at(-1)).toBe('VolumeModifyFailed: VAC "gold" does not exist.');
    applyAttributes(cluster, "gold");
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "data").status.currentVolumeAttributesClassName).toBe("gold");
  });

  test("a class stays while a claim or a volume uses it", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    applyAttributes(cluster, "gold");
    want(cluster, "gold");
    cluster.runUntilQuiet();
    expect(cluster.get(volumeAttributesClasses, "", "gold").metadata.finalizers).toEqual([
      "kubernetes.io/vac-protection",
    ]);
    cluster.client.delete(volumeAttributesClasses, "", "gold");
    cluster.runUntilQuiet();
    expect(cluster.client.get(volumeAttributesClasses, "", "gold")).toBeDefined();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.runUntilQuiet();
    expect(cluster.client.list(persistentVolumes)).toEqual([]);
    expect(cluster.client.get(volumeAttributesClasses, "", "gold")).toBeUndefined();
  });
});
