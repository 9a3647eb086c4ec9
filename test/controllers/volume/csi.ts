// A cluster with a CSI driver and a class of its disks.
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { CSIDriver } from "../../../shared/k8s/api/storage-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { csiDrivers } from "../../../worker/kinds/storage/csi-driver.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { storageClasses } from "../../../worker/kinds/storage/storage-class.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { applyClaim, podWith } from "./volumes.ts";

export const driver = "disk.example.com";

export function diskCluster(nodeCount = 2, spec: Draft<CSIDriver["spec"]> = {}): TestCluster {
  const cluster = newCluster({ nodes: nodeCount });
  cluster.apply(csiDrivers, { metadata: { name: driver }, spec });
  cluster.apply(storageClasses, { metadata: { name: "fast" }, provisioner: driver, allowVolumeExpansion: true });
  cluster.runUntilQuiet();
  return cluster;
}

/** Creates a claim of one GiB with its disk. */
export function disk(
  cluster: TestCluster,
  name: string,
  spec: Draft<PersistentVolumeClaim["spec"]> = {},
): PersistentVolume {
  applyClaim(cluster, name, { storageClassName: "fast", ...spec });
  cluster.step(0);
  return volumeOf(cluster, name);
}

export const claimOf = (cluster: TestCluster, name: string) => cluster.get(persistentVolumeClaims, "default", name);

export const volumeOf = (cluster: TestCluster, claimName: string) =>
  cluster.get(persistentVolumes, "", claimOf(cluster, claimName).spec.volumeName ?? "");

export function podOn(cluster: TestCluster, nodeName: string, name: string, claimName: string): Pod {
  return cluster.apply(pods, podWith(name, claimName, { nodeName }));
}

export const phaseOf = (cluster: TestCluster, name: string) => cluster.get(pods, "default", name).status.phase;
