// The common story of each controller of storage, devices and network, golden: every object, event and status, in order.
import { expect, test } from "vitest";
import { ingressClasses } from "../../worker/kinds/networking/ingress-class.ts";
import { ingresses } from "../../worker/kinds/networking/ingress.ts";
import { ipAddresses } from "../../worker/kinds/networking/ip-address.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { resourceClaims } from "../../worker/kinds/resource/resource-claim.ts";
import { resourceSlices } from "../../worker/kinds/resource/resource-slice.ts";
import { serviceCidrs } from "../../worker/kinds/networking/service-cidr.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { volumeAttributesClasses } from "../../worker/kinds/storage/volume-attributes-class.ts";
import { type TestCluster, newCluster } from "../cluster.ts";
import { claimOf, disk, diskCluster, driver, podOn } from "./csi.ts";
import { allocate, applyClaim as applyDeviceClaim, applyClass, applyPod, applyTemplate } from "./devices.ts";
import { timeline } from "./timeline.ts";
import { applyClaim, podWith } from "./volumes.ts";

const metadata = { name: "web", namespace: "default" };
const everywhere = ["", "default"];

/** What happens, with the parts of names that follow from uids left out. */
function story(cluster: TestCluster, happen: (step: () => void) => void): string[] {
  const from = cluster.registry.store.revision;
  happen(() => cluster.step(60_000));
  cluster.step(60_000);
  // How often the kubelet tries again is its own story.
  const lines = timeline(cluster, from, everywhere).filter((line) => !/^Warning \S+ \(x/.test(line));
  return lines.map((line) =>
    line.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#").replaceAll(/csi-[0-9a-f]{64}/g, "csi-#"),
  );
}

function quiet(nodes: number): TestCluster {
  const cluster = newCluster({ nodes });
  cluster.runUntilQuiet();
  return cluster;
}

test("a Service's address is lost, repaired and given back", () => {
  const cluster = quiet(0);
  const told = story(cluster, (step) => {
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 80 }] } });
    step();
    cluster.client.delete(ipAddresses, "", "10.96.7.7");
    step();
    cluster.client.delete(services, "default", "web");
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "IPAddress 10.96.7.7 made",
      "Service web made",
      "IPAddress 10.96.7.7 gone",
      "Warning ClusterIPNotAllocated: Cluster IP [IPv4]: 10.96.7.7 is not allocated; repairing",
      "IPAddress 10.96.7.7 made",
      "Service web gone",
      "IPAddress 10.96.7.7 gone",
    ]
  `);
});

test("a range of addresses comes and goes", () => {
  const cluster = quiet(0);
  const told = story(cluster, (step) => {
    cluster.apply(serviceCidrs, { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } });
    step();
    cluster.client.delete(serviceCidrs, "", "more");
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "ServiceCIDR more made",
      "ServiceCIDR more: conditions [Ready=True/]",
      "ServiceCIDR more gone",
    ]
  `);
});

test("a Service is balanced, and no more", () => {
  const cluster = quiet(1);
  const told = story(cluster, (step) => {
    cluster.apply(services, {
      metadata,
      spec: { type: "LoadBalancer", clusterIP: "10.96.7.7", ports: [{ port: 80 }] },
    });
    step();
    cluster.edit(services, "default", "web", ({ spec }) => {
      spec.type = "ClusterIP";
    });
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "IPAddress 10.96.7.7 made",
      "Service web made",
      "Normal EnsuringLoadBalancer: Ensuring load balancer",
      "Normal EnsuredLoadBalancer: Ensured load balancer",
      "Service web: loadBalancer {ingress 1}",
      "Normal Type: LoadBalancer -> ClusterIP",
      "Normal DeletingLoadBalancer: Deleting load balancer",
      "Service web: loadBalancer {}",
      "Normal DeletedLoadBalancer: Deleted load balancer",
    ]
  `);
});

test("an Ingress is served", () => {
  const cluster = quiet(0);
  const told = story(cluster, () => {
    cluster.apply(ingressClasses, { metadata: { name: "mine" }, spec: { controller: "sandbar.dev/ingress" } });
    const service = { name: "web", port: { number: 80 } };
    cluster.apply(ingresses, { metadata, spec: { ingressClassName: "mine", defaultBackend: { service } } });
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "IngressClass mine made",
      "Ingress web made",
      "Normal Sync: Scheduled for sync",
      "Ingress web: loadBalancer {ingress 1}",
    ]
  `);
});

test("a claim of the default class waits for its pod, has a volume, and goes", () => {
  const cluster = quiet(1);
  const told = story(cluster, (step) => {
    applyClaim(cluster, "data", { storageClassName: "standard" });
    step();
    cluster.apply(pods, podWith("web", "data"));
    step();
    cluster.client.delete(pods, "default", "web");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  });
  expect(told).toMatchInlineSnapshot(`
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

test("a disk is attached with its pod, and detached", () => {
  const cluster = diskCluster(1);
  disk(cluster, "data");
  const told = story(cluster, (step) => {
    podOn(cluster, "node-1", "web", "data");
    step();
    cluster.client.delete(pods, "default", "web");
  });
  expect(told).toMatchInlineSnapshot(`
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

test("a disk grows under a pod, and changes its attributes", () => {
  const cluster = diskCluster(1);
  disk(cluster, "data");
  podOn(cluster, "node-1", "web", "data");
  cluster.runUntilQuiet();
  const told = story(cluster, (step) => {
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
  expect(told).toMatchInlineSnapshot(`
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

test("a pod's claim of a device is made, allocated, and goes with it", () => {
  const cluster = quiet(1);
  const told = story(cluster, (step) => {
    applyClass(cluster);
    applyTemplate(cluster);
    const pod = applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" }, { nodeName: "node-1" });
    step();
    const [claim] = cluster.client.list(resourceClaims, { namespace: "default" });
    allocate(cluster, claim?.metadata.name ?? "", { node: "node-1", user: pod });
    step();
    cluster.client.delete(pods, "default", "web");
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "DeviceClass gpu.sandbar.dev made",
      "ResourceClaimTemplate gpu made",
      "Pod web made",
      "ResourceSlice node-1-gpu.sandbar.dev-? made",
      "ResourceClaim web-gpu-? made",
      "Warning FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: pod web (#) is not allowed to use ResourceClaim web-gpu-? (#)",
      "ResourceClaim web-gpu-?: allocation {devices 1}, reservedFor [item]",
      "ResourceClaim web-gpu-?: devices [item]",
      "Pod web Running",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "ResourceClaim web-gpu-?: -allocation, -reservedFor, -devices",
      "ResourceClaim web-gpu-? gone",
    ]
  `);
});

test("a pod leaves a device that breaks", () => {
  const cluster = quiet(1);
  applyClass(cluster);
  applyDeviceClaim(cluster, "shared");
  allocate(cluster, "shared", { node: "node-1" });
  applyPod(cluster, "web", { resourceClaimName: "shared" }, { nodeName: "node-1" });
  cluster.runUntilQuiet();
  const told = story(cluster, () => {
    const slice = cluster.client.list(resourceSlices)[0]?.metadata.name ?? "";
    cluster.edit(resourceSlices, "", slice, ({ spec }) => {
      for (const one of spec.devices ?? []) one.taints = [{ key: "broken", effect: "NoExecute" }];
    });
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "Normal DeviceTaintManagerEviction: Marking for deletion",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "ResourceClaim shared: -allocation, -reservedFor, -devices",
    ]
  `);
});
