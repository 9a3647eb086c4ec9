import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { applyClaim, applyVolume, podWith } from "./volumes.ts";

function claimIn(cluster: TestCluster, name: string) {
  return cluster.client.get(persistentVolumeClaims, "default", name);
}

describe("protection of claims", () => {
  test("an unused claim is removed when deleted", () => {
    const cluster = newCluster({ nodes: 0 });
    expect(applyClaim(cluster, "data").metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.runUntilQuiet();
    expect(claimIn(cluster, "data")).toBeUndefined();
  });

  test("a claim stays while a pod with a node uses it, even an ended one", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.runUntilQuiet();
    applyVolume(cluster, "disk");
    applyClaim(cluster, "data");
    cluster.apply(pods, podWith("web", "data", { nodeName: "node-1" }));
    cluster.runUntilQuiet();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.runUntilQuiet();
    expect(claimIn(cluster, "data")?.metadata.deletionTimestamp).toBeDefined();
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    expect(claimIn(cluster, "data")).toBeUndefined();
  });

  test("an unscheduled pod does not protect a claim", () => {
    const cluster = newCluster({ nodes: 0 });
    cluster.step(0);
    applyClaim(cluster, "data");
    cluster.apply(pods, podWith("web", "data"));
    cluster.client.delete(persistentVolumeClaims, "default", "data");
    cluster.step(0);
    expect(claimIn(cluster, "data")).toBeUndefined();
  });

  test("a removed finalizer is added again", () => {
    const cluster = newCluster({ nodes: 0 });
    applyClaim(cluster, "data");
    cluster.edit(persistentVolumeClaims, "default", "data", ({ metadata }) => {
      metadata.finalizers = [];
    });
    cluster.step(0);
    expect(claimIn(cluster, "data")?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  });
});

describe("protection of volumes", () => {
  test("an unbound volume is removed when deleted", () => {
    const cluster = newCluster({ nodes: 0 });
    expect(applyVolume(cluster, "disk").metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
    cluster.runUntilQuiet();
    cluster.client.delete(persistentVolumes, "", "disk");
    cluster.runUntilQuiet();
    expect(cluster.client.get(persistentVolumes, "", "disk")).toBeUndefined();
  });
});
