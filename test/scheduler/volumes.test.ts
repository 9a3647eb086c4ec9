// Volumes restrict the nodes of pods: exclusive claims, zones, attach limits, and free capacity.
import { describe, expect, test } from "vitest";
import type { PersistentVolume } from "../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { persistentVolumeController } from "../../worker/controllers/volume/persistent-volume/controller.ts";
import { csiDrivers } from "../../worker/kinds/storage/csi-driver.ts";
import { csiNodes } from "../../worker/kinds/storage/csi-node.ts";
import { csiStorageCapacities } from "../../worker/kinds/storage/csi-storage-capacity.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { storageClasses } from "../../worker/kinds/storage/storage-class.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, conditionOf, nodeOf, podOf, remove } from "./bed.ts";

const driver = "disk.csi.example.com";

function cluster(names: readonly string[] = ["n1", "n2"]): TestCluster {
  return clusterWith(names, [persistentVolumeController]);
}

function addVolume(all: TestCluster, name: string, more: Draft<PersistentVolume["spec"]>, labels = {}): void {
  all.apply(persistentVolumes, {
    metadata: { name, labels },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver, volumeHandle: name },
      claimRef: { namespace: "default", name },
      ...more,
    },
  });
}

/** Adds a claim for the volume with its name. */
function addClaim(
  all: TestCluster,
  name: string,
  mode: "ReadWriteOnce" | "ReadWriteOncePod" = "ReadWriteOnce",
  storageClassName = "",
): void {
  all.apply(persistentVolumeClaims, {
    metadata: { namespace: "default", name },
    spec: { accessModes: [mode], storageClassName, resources: { requests: { storage: "1Gi" } } },
  });
  all.runUntilQuiet();
}

function addUser(all: TestCluster, name: string, claim: string, priority?: "high"): void {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: claim } }];
  addPod(all, name, { cpu: "0", spec: { volumes }, ...(priority ? { priority } : {}) });
  all.runUntilQuiet();
}

describe("VolumeRestrictions", () => {
  test("lets one pod use a ReadWriteOncePod claim, and the next after its deletion", () => {
    const all = cluster();
    addVolume(all, "data", { accessModes: ["ReadWriteOncePod"] });
    addClaim(all, "data", "ReadWriteOncePod");
    addUser(all, "a", "data");
    addUser(all, "b", "data");
    expect(nodeOf(all, "a")).toBeDefined();
    expect(conditionOf(all, "b")?.message).toBe(
      "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    );
    remove(all, "a");
    expect(nodeOf(all, "b")).toBeDefined();
  });

  test("preempts the user of an exclusive claim for a pod of higher priority", () => {
    const all = cluster(["n1"]);
    addVolume(all, "data", { accessModes: ["ReadWriteOncePod"] });
    addClaim(all, "data", "ReadWriteOncePod");
    addUser(all, "a", "data");
    addUser(all, "b", "data", "high");
    expect(podOf(all, "a").metadata.deletionTimestamp).toBeDefined();
    remove(all, "a");
    expect(nodeOf(all, "b")).toBe("n1");
  });

  test("excludes the node of a disk's user if the disk cannot be shared", () => {
    const all = cluster();
    const iscsi = { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:disk", lun: 0 };
    for (const name of ["a", "b", "c"]) {
      addPod(all, name, { cpu: "0", spec: { volumes: [{ name: "d", iscsi }] } });
      all.runUntilQuiet();
    }
    expect(new Set([nodeOf(all, "a"), nodeOf(all, "b")])).toEqual(new Set(["n1", "n2"]));
    expect(conditionOf(all, "c")?.message).toContain("0/2 nodes are available: 2 node(s) had no available disk.");
  });

  test("names a missing claim", () => {
    const all = cluster(["n1"]);
    addUser(all, "p", "absent");
    expect(conditionOf(all, "p")?.message).toBe(
      '0/1 nodes are available: persistentvolumeclaim "absent" not found. not found',
    );
  });
});

describe("VolumeZone", () => {
  test("restricts a volume with zone labels to these zones", () => {
    const all = cluster([]);
    for (const zone of ["a", "b", "c"]) {
      addNode(all, `n-${zone}`, { labels: { "topology.kubernetes.io/zone": zone } });
    }
    addVolume(all, "data", {}, { "failure-domain.beta.kubernetes.io/zone": "b__c" });
    addClaim(all, "data");
    addUser(all, "p", "data");
    expect(nodeOf(all, "p")).toMatch(/^n-[bc]$/);
    addVolume(all, "far", {}, { "topology.kubernetes.io/zone": "z" });
    addClaim(all, "far");
    addUser(all, "q", "far");
    expect(conditionOf(all, "q")?.message).toContain("3 node(s) had no available volume zone.");
  });
});

describe("NodeVolumeLimits", () => {
  test("limits the volumes of a driver on a node, and a raised limit allows the pod", () => {
    const all = cluster(["n1"]);
    const drivers = (count: number) => [{ name: driver, nodeID: "n1", topologyKeys: [], allocatable: { count } }];
    all.apply(csiNodes, { metadata: { name: "n1" }, spec: { drivers: drivers(1) } });
    for (const name of ["one", "two"]) {
      addVolume(all, name, {});
      addClaim(all, name);
      addUser(all, `pod-${name}`, name);
    }
    expect(nodeOf(all, "pod-one")).toBe("n1");
    expect(conditionOf(all, "pod-two")?.message).toContain("1 node(s) exceed max volume count.");
    addUser(all, "shares", "one");
    expect(nodeOf(all, "shares")).toBe("n1");
    all.edit(csiNodes, "", "n1", ({ spec }) => {
      spec.drivers = drivers(2);
    });
    all.runUntilQuiet();
    expect(nodeOf(all, "pod-two")).toBe("n1");
  });
});

describe("VolumeBinding", () => {
  test("selects a node with capacity for a driver that reports it", () => {
    const all = cluster();
    all.apply(csiDrivers, { metadata: { name: driver }, spec: { storageCapacity: true } });
    all.apply(storageClasses, {
      metadata: { name: "local" },
      provisioner: driver,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    addClaim(all, "data", "ReadWriteOnce", "local");
    addUser(all, "p", "data");
    expect(conditionOf(all, "p")?.message).toContain("2 node(s) did not have enough free storage.");
    all.apply(csiStorageCapacities, {
      metadata: { namespace: "kube-system", name: "n2" },
      storageClassName: "local",
      capacity: "5Gi",
      nodeTopology: { matchLabels: { "kubernetes.io/hostname": "n2" } },
    });
    all.runUntilQuiet();
    expect(podOf(all, "p").status.nominatedNodeName).toBe("n2");
  });

  test("counts the pod on its node while its volume is provisioned", () => {
    const all = cluster(["n1"]);
    all.apply(storageClasses, {
      metadata: { name: "slow" },
      provisioner: driver,
      volumeBindingMode: "WaitForFirstConsumer",
    });
    addClaim(all, "data", "ReadWriteOnce", "slow");
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    addPod(all, "p", { cpu: "2", spec: { volumes } });
    all.runUntilQuiet();
    expect(podOf(all, "p").status.nominatedNodeName).toBe("n1");
    addPod(all, "other");
    all.runUntilQuiet();
    expect(nodeOf(all, "other")).toBeUndefined();
    addPod(all, "high", { cpu: "2", priority: "high" });
    all.step(0);
    // The pod was only assumed: it returns to the queue, and nothing is deleted.
    expect(podOf(all, "p").metadata.deletionTimestamp).toBeUndefined();
    expect(all.eventsOf(podOf(all, "p")).at(-1)).toMatch(/ on node n1 \(in kube-scheduler memory\)\.$/);
    expect(nodeOf(all, "high")).toBe("n1");
  });
});
