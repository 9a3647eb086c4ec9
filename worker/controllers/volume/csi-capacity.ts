// The capacity of simulated CSI drivers: one object for all nodes for each class of a driver that reports capacity.
import type { CSIStorageCapacity, StorageClass } from "../../../shared/k8s/api/storage-v1.ts";
import { csiDrivers } from "../../kinds/storage/csi-driver.ts";
import { csiStorageCapacities } from "../../kinds/storage/csi-storage-capacity.ts";
import { storageClasses } from "../../kinds/storage/storage-class.ts";
import type { Client } from "../../registry/client.ts";
import { type Request, defineController, watch } from "../../runtime/controller.ts";

/** The namespace in which the simulated drivers run. */
const namespace = "kube-system";
/** A capacity that is never exhausted. */
const capacity = "100Ti";
const labels = { "csi.storage.k8s.io/managed-by": "external-provisioner" } as const;
const driverLabel = "csi.storage.k8s.io/drivername";

/** Maintains the objects. Requests are classes. */
export const csiCapacity = defineController({
  name: "csi-capacity",
  user: "system:serviceaccount:kube-system:csi-provisioner",
  component: "external-provisioner",
  watches: [
    watch<StorageClass>(storageClasses, function* (next, previous, client): Generator<Request> {
      if (next && previous) return;
      const { metadata, provisioner } = next ?? previous ?? {};
      if (provisioner !== undefined && tells(provisioner, client)) yield { namespace: "", name: metadata?.name ?? "" };
    }),
    watch(csiDrivers, function* (next, previous, client): Generator<Request> {
      if (next?.spec.storageCapacity === (previous?.spec.storageCapacity ?? false)) return;
      const driver = (next ?? previous)?.metadata.name;
      for (const storageClass of client.each(storageClasses)) {
        if (storageClass.provisioner === driver) yield { namespace: "", name: storageClass.metadata.name ?? "" };
      }
    }),
  ],
  reconcile({ name }, { client }) {
    const ownCapacities = client
      .list(csiStorageCapacities, { namespace })
      .filter((capacityObject) => isOurs(capacityObject, name));
    const storageClass = client.get(storageClasses, "", name);
    const driver = storageClass?.provisioner;
    if (driver === undefined || !tells(driver, client)) {
      for (const { metadata } of ownCapacities) client.tryDelete(csiStorageCapacities, namespace, metadata.name ?? "");
    } else if (ownCapacities.length === 0) {
      client.create(csiStorageCapacities, {
        metadata: { generateName: "csisc-", namespace, labels: { ...labels, [driverLabel]: driver } },
        storageClassName: name,
        nodeTopology: {},
        capacity,
      });
    }
    return undefined;
  },
});

function tells(driver: string, client: Client): boolean {
  return client.get(csiDrivers, "", driver)?.spec.storageCapacity === true;
}

function isOurs({ metadata, storageClassName }: CSIStorageCapacity, className: string): boolean {
  return storageClassName === className && metadata.labels?.[driverLabel] !== undefined;
}
