import { describe, expect, test } from "vitest";
import { csiDrivers } from "../../../worker/kinds/storage/csi-driver.ts";
import { csiStorageCapacities } from "../../../worker/kinds/storage/csi-storage-capacity.ts";
import { csiNodes } from "../../../worker/kinds/storage/csi-node.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { volumeAttachments } from "../../../worker/kinds/storage/volume-attachment.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { disk, diskCluster, driver, phaseOf, podOn, volumeOf } from "./csi.ts";
import { applyClaim } from "./volumes.ts";

const attachments = (cluster: TestCluster) => cluster.client.list(volumeAttachments);
const nodeOf = (cluster: TestCluster, name: string) => cluster.get(nodes, "", name);

describe("attaching", () => {
  test("a pod's disk is attached to its node, with an event, and the pod runs", () => {
    const cluster = diskCluster();
    const volume = disk(cluster, "data");
    const pod = podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    const name = volume.metadata.name ?? "";
    const [attachment] = attachments(cluster);
    expect(attachment?.metadata.name).toMatch(/^csi-[0-9a-f]{64}$/);
    expect(attachment).toMatchObject({
      metadata: { finalizers: ["external-attacher/disk-example-com"] },
      spec: { attacher: driver, nodeName: "node-1", source: { persistentVolumeName: name } },
      status: { attached: true },
    });
    expect(cluster.eventsOf(pod)).toContain(
      `SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "${name}" `,
    );
    const unique = `kubernetes.io/csi/${driver}^${volume.spec.csi?.volumeHandle ?? ""}`;
    expect(nodeOf(cluster, "node-1").status).toMatchObject({
      volumesAttached: [{ name: unique, devicePath: "" }],
      volumesInUse: [unique],
    });
    expect(phaseOf(cluster, "web")).toBe("Running");
    expect(volumeOf(cluster, "data").metadata.finalizers).toContain("external-attacher/disk-example-com");
  });

  test("a disk is detached after the last pod that needs it", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    podOn(cluster, "node-1", "a", "data");
    podOn(cluster, "node-1", "b", "data");
    cluster.runUntilQuiet();
    cluster.client.delete(pods, "default", "a");
    cluster.runUntilQuiet();
    expect(attachments(cluster)).toHaveLength(1);
    cluster.client.delete(pods, "default", "b");
    cluster.runUntilQuiet();
    expect(attachments(cluster)).toEqual([]);
    expect(nodeOf(cluster, "node-1").status.volumesAttached).toBeUndefined();
    expect(nodeOf(cluster, "node-1").status.volumesInUse).toBeUndefined();
  });

  test("a single-node disk is not attached to a second node until the first releases it, and the pod there gets an event", () => {
    const cluster = diskCluster();
    const { metadata } = disk(cluster, "data");
    podOn(cluster, "node-1", "first", "data");
    cluster.runUntilQuiet();
    const second = podOn(cluster, "node-2", "second", "data");
    cluster.step(60_000);
    expect(cluster.eventsOf(second)).toEqual([
      `FailedAttachVolume: Multi-Attach error for volume "${metadata.name ?? ""}" Volume is already used by pod(s) first`,
    ]);
    expect(phaseOf(cluster, "second")).toBe("Pending");
    cluster.client.delete(pods, "default", "first");
    cluster.runUntilQuiet();
    expect(phaseOf(cluster, "second")).toBe("Running");
    expect(attachments(cluster).map(({ spec }) => spec.nodeName)).toEqual(["node-2"]);
  });

  test("a multi-node disk is attached to several nodes", () => {
    const cluster = diskCluster();
    disk(cluster, "data", { accessModes: ["ReadWriteMany"] });
    podOn(cluster, "node-1", "first", "data");
    podOn(cluster, "node-2", "second", "data");
    cluster.runUntilQuiet();
    expect(attachments(cluster)).toHaveLength(2);
    expect([phaseOf(cluster, "first"), phaseOf(cluster, "second")]).toEqual(["Running", "Running"]);
  });

  test("a driver without attach needs no attachment", () => {
    const cluster = diskCluster(1, { attachRequired: false });
    disk(cluster, "data");
    podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    expect(attachments(cluster)).toEqual([]);
    expect(phaseOf(cluster, "web")).toBe("Running");
  });

  test("a pod without the driver waits, and gets an event after two minutes", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.step(0);
    cluster.apply(persistentVolumes, {
      metadata: { name: "byhand" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: { driver, volumeHandle: "vol-1" },
      },
    });
    applyClaim(cluster, "data");
    cluster.step(0);
    const pod = podOn(cluster, "node-1", "web", "data");
    cluster.step(121_000);
    expect(cluster.eventsOf(pod)).toContain(
      `FailedAttachVolume: AttachVolume.Attach failed for volume "byhand" : timed out waiting for external-attacher of ${driver} CSI driver to attach volume vol-1`,
    );
    expect(phaseOf(cluster, "web")).toBe("Pending");
    cluster.apply(csiDrivers, { metadata: { name: driver }, spec: {} });
    cluster.runUntilQuiet();
    expect(phaseOf(cluster, "web")).toBe("Running");
  });

  test("a disk of an out-of-service node can be attached elsewhere", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    podOn(cluster, "node-1", "first", "data");
    cluster.runUntilQuiet();
    cluster.edit(nodes, "", "node-1", ({ spec }) => {
      spec.taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    });
    podOn(cluster, "node-2", "second", "data");
    cluster.runUntilQuiet();
    expect(phaseOf(cluster, "second")).toBe("Running");
  });

  test("a volume is detached and deleted after its claim", () => {
    const cluster = diskCluster();
    disk(cluster, "data");
    podOn(cluster, "node-1", "web", "data");
    cluster.runUntilQuiet();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    expect(cluster.client.list(persistentVolumes)).toEqual([]);
    expect(attachments(cluster)).toEqual([]);
  });
});

test("a foreign attachment without users is not deleted", () => {
  const cluster = diskCluster();
  const spec = { attacher: driver, nodeName: "node-1", source: { persistentVolumeName: "none" } };
  cluster.apply(volumeAttachments, { metadata: { name: "va-own" }, spec });
  cluster.runUntilQuiet();
  expect(attachments(cluster).map(({ metadata }) => metadata.name)).toEqual(["va-own"]);
});

describe("drivers of nodes", () => {
  test("are empty until a driver is installed, then set on every simulated node, also on new ones", () => {
    const without = newCluster({ nodes: 1 });
    without.runUntilQuiet();
    expect(without.client.list(csiNodes)).toEqual([]);
    const cluster = diskCluster(1);
    cluster.apply(nodes, { metadata: { name: "late", annotations: { "sandbar.dev/simulated": "true" } } });
    cluster.runUntilQuiet();
    const nodeDrivers = cluster.client.list(csiNodes);
    expect(nodeDrivers.map(({ metadata }) => metadata.name)).toEqual(["late", "node-1"]);
    expect(nodeDrivers[0]?.spec.drivers).toEqual([{ name: driver, nodeID: "late", topologyKeys: [] }]);
    cluster.client.delete(csiDrivers, "", driver);
    cluster.runUntilQuiet();
    expect(cluster.get(csiNodes, "", "late").spec.drivers).toEqual([]);
  });
});

describe("capacity of drivers", () => {
  const capacities = (cluster: TestCluster) => cluster.client.list(csiStorageCapacities, { namespace: "kube-system" });

  test("is published by a driver with storageCapacity, for each class", () => {
    expect(capacities(diskCluster(1))).toEqual([]);
    const cluster = diskCluster(1, { storageCapacity: true });
    expect(capacities(cluster)).toMatchObject([{ storageClassName: "fast", nodeTopology: {}, capacity: "100Ti" }]);
    cluster.client.delete(csiDrivers, "", driver);
    cluster.runUntilQuiet();
    expect(capacities(cluster)).toEqual([]);
  });
});
