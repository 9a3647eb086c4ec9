// Claims, volumes and pods that use them, for tests of storage.
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import type { TestCluster } from "../../cluster.ts";

/** Creates a claim, by default without a class and of one GiB. */
export function applyClaim(
  cluster: TestCluster,
  name: string,
  spec: Draft<PersistentVolumeClaim["spec"]> = {},
): PersistentVolumeClaim {
  return cluster.apply(persistentVolumeClaims, {
    metadata: { name, namespace: "default" },
    spec: {
      storageClassName: "",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
}

/** Creates a volume without a class, of one GiB, at a path that its reclaimer would delete. */
export function applyVolume(
  cluster: TestCluster,
  name: string,
  spec: Draft<PersistentVolume["spec"]> = {},
  labels: Record<string, string> = {},
): PersistentVolume {
  return cluster.apply(persistentVolumes, {
    metadata: { name, labels },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: `/tmp/${name}` },
      ...spec,
    },
  });
}

export function podWith(name: string, claimName: string, spec: Draft<Pod["spec"]> = {}): Draft<Pod> {
  return {
    metadata: { name, namespace: "default" },
    spec: {
      containers: [{ name: "web", image: "nginx:1", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
      ...spec,
    },
  };
}
