// The simulated device drivers: publishes devices of every device class that requests a driver, in a ResourceSlice for each simulated node.
// A class requests a driver by the name `gpu.sandbar.dev` or by an annotation with the number of devices. The driver has the class's name.
import type { Node } from "../../shared/k8s/api/core-v1.ts";
import type {
  Device,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceSlice,
} from "../../shared/k8s/api/resource-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { stableHex } from "../../shared/base/stable.ts";
import { deviceClasses } from "../kinds/resource/device-class.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { resourceClaims } from "../kinds/resource/resource-claim.ts";
import { resourceSlices } from "../kinds/resource/resource-slice.ts";
import {
  type ReconcileContext,
  type Request,
  defineController,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";

export const gpuDriver = "gpu.sandbar.dev";
/** The annotation of a device class with the number of devices of its driver on each simulated node. */
export const devicesAnnotation = "sandbar.dev/devices-per-node";

const gpusPerNode = 4;
/** Upstream's limit of devices in one slice. */
const maxDevices = 128;

interface Driver {
  readonly name: string;
  readonly count: number;
}

export const simulatedDevices = defineController({
  name: "simulated-devices",
  user: "system:node:sandbar",
  component: "sandbar-dra-driver",
  watches: [
    watch<DeviceClass>(deviceClasses, function* (next, previous, client): Generator<Request> {
      if (driverOf(next)?.count === driverOf(previous)?.count) return;
      for (const node of client.each(nodes)) if (isSimulated(node)) yield requestOf(node);
    }),
    watch<Node>(nodes, function* (next, previous, client): Generator<Request> {
      if (next && isSimulated(next) && !(previous && isSimulated(previous)) && client.count(deviceClasses) > 0) {
        yield requestOf(next);
      }
    }),
    // Publishes a deleted slice again.
    watch<ResourceSlice>(resourceSlices, function* (next, previous): Generator<Request> {
      const owner = next ? undefined : previous?.metadata.ownerReferences?.find(({ kind }) => kind === "Node");
      if (owner) yield { namespace: "", name: owner.name };
    }),
  ],
  reconcile({ name }, context) {
    const node = context.client.get(nodes, "", name);
    if (node && isSimulated(node) && !node.metadata.deletionTimestamp) publish(node, context);
    return undefined;
  },
});

/** Writes the status of devices that the drivers have prepared for a claim's users. */
export const simulatedDeviceStatus = defineController({
  name: "simulated-device-status",
  user: "system:node:sandbar",
  component: "sandbar-dra-driver",
  watches: [self(resourceClaims, (next) => next !== undefined && isUnreported(next))],
  reconcile({ namespace, name }, { client, nowMs }) {
    const claim = client.get(resourceClaims, namespace, name);
    if (!claim || !isUnreported(claim)) return undefined;
    const drivers = client.list(deviceClasses).flatMap((deviceClass) => driverOf(deviceClass)?.name ?? []);
    const results = claim.status.allocation?.devices.results ?? [];
    const devices = results
      .filter(({ driver }) => drivers.includes(driver))
      .map((result) => readyDevice(result, nowMs));
    if (devices.length > 0) client.updateStatus(resourceClaims, { ...claim, status: { ...claim.status, devices } });
    return undefined;
  },
});

function isUnreported({ status }: ResourceClaim): boolean {
  return status.allocation !== undefined && (status.reservedFor?.length ?? 0) > 0 && !status.devices?.length;
}

function readyDevice({ driver, pool, device, shareID }: DeviceRequestAllocationResult, nowMs: number) {
  const condition = {
    type: "Ready",
    status: "True" as const,
    reason: "Prepared",
    message: "The simulated device is ready",
    lastTransitionTime: rfc3339(nowMs),
  };
  return { driver, pool, device, ...(shareID ? { shareID } : {}), conditions: [condition] };
}

function driverOf(deviceClass: DeviceClass | undefined): Driver | undefined {
  if (!deviceClass) return undefined;
  const { name = "", annotations } = deviceClass.metadata;
  const annotation = annotations?.[devicesAnnotation];
  const count = annotation === undefined && name === gpuDriver ? gpusPerNode : Number(annotation);
  return Number.isInteger(count) && count > 0 ? { name, count: Math.min(count, maxDevices) } : undefined;
}

function publish(node: Node, { client }: ReconcileContext): void {
  const drivers = client.list(deviceClasses).flatMap((deviceClass) => driverOf(deviceClass) ?? []);
  const published = client.controlledBy(resourceSlices, node.metadata.uid ?? "");
  for (const { metadata, spec } of published) {
    if (!drivers.some(({ name }) => name === spec.driver)) client.tryDelete(resourceSlices, "", metadata.name ?? "");
  }
  for (const driver of drivers) {
    const slice = published.find(({ spec }) => spec.driver === driver.name);
    if (!slice) client.create(resourceSlices, sliceOf(node, driver));
    else if (slice.spec.devices?.length !== driver.count) resize(slice, node, driver, client);
  }
}

function sliceOf({ metadata: { name = "", uid = "" } }: Node, driver: Driver) {
  const devices = Array.from({ length: driver.count }, (_, at) => deviceOf(uid, driver.name, at));
  return {
    metadata: {
      generateName: `${name}-${driver.name}-`,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid, controller: true }],
    },
    spec: {
      driver: driver.name,
      nodeName: name,
      pool: { name, generation: 1, resourceSliceCount: 1 },
      devices,
    },
  };
}

/** Changes the number of devices. Devices that remain keep their changes, such as taints. */
function resize(slice: ResourceSlice, node: Node, driver: Driver, client: ReconcileContext["client"]): void {
  const { spec } = slice;
  const devices = sliceOf(node, driver).spec.devices.map(
    (device) => spec.devices?.find(({ name }) => name === device.name) ?? device,
  );
  const pool = { ...spec.pool, generation: spec.pool.generation + 1 };
  client.update(resourceSlices, { ...slice, spec: { ...spec, pool, devices } });
}

function deviceOf(nodeUid: string, driver: string, at: number): Device {
  const hex = stableHex(`${nodeUid}/${driver}/${at}`, 32);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return {
    name: `gpu-${at}`,
    attributes: {
      driverVersion: { version: "1.0.0" },
      index: { int: at },
      model: { string: "SANDBAR-SIMULATED-GPU" },
      uuid: { string: `gpu-${groups.join("-")}` },
    },
    capacity: { memory: { value: "80Gi" } },
  };
}
