import { describe, expect, test } from "vitest";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { deviceClasses } from "../../../worker/kinds/resource/device-class.ts";
import { resourceClaims } from "../../../worker/kinds/resource/resource-claim.ts";
import { resourceSlices } from "../../../worker/kinds/resource/resource-slice.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { allocate, applyClaim, applyClass, applyPod, applyTemplate, gpu } from "./devices.ts";

function ready(nodeCount = 1): { cluster: TestCluster; node: string } {
  const cluster = newCluster({ nodes: nodeCount });
  cluster.step(0);
  return { cluster, node: cluster.client.list(nodes)[0]?.metadata.name ?? "" };
}

const claimsOf = (cluster: TestCluster) => cluster.client.list(resourceClaims, { namespace: "default" });
const podOf = (cluster: TestCluster, name: string) => cluster.get(pods, "default", name);
const claimOf = (cluster: TestCluster, name: string) => cluster.get(resourceClaims, "default", name);

describe("claims from templates", () => {
  test("a pod gets a claim with a generated name, which it owns and its status names", () => {
    const { cluster } = ready();
    applyTemplate(cluster);
    const pod = applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" });
    cluster.step(0);
    const [claim] = claimsOf(cluster);
    expect(claim?.metadata).toMatchObject({
      generateName: "web-gpu-",
      labels: { made: "here" },
      annotations: { "resource.kubernetes.io/pod-claim-name": "gpu" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: pod.metadata.uid, controller: true }],
    });
    expect(podOf(cluster, "web").status.resourceClaimStatuses).toEqual([
      { name: "gpu", resourceClaimName: claim?.metadata.name },
    ]);
  });

  test("long names are shortened in proportion", () => {
    const { cluster } = ready();
    applyTemplate(cluster);
    applyPod(cluster, "w".repeat(60), { resourceClaimTemplateName: "gpu" });
    cluster.step(0);
    expect(claimsOf(cluster)[0]?.metadata.generateName).toBe(`${"w".repeat(52)}-gp`);
  });

  test("a missing template is reported and awaited", () => {
    const { cluster } = ready();
    const pod = applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" });
    cluster.runUntilQuiet();
    expect(cluster.eventsOf(pod)).toContain(
      'FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
    );
    applyTemplate(cluster);
    cluster.step(0);
    expect(claimsOf(cluster)).toHaveLength(1);
  });

  test("a deleted claim is created again", () => {
    const { cluster } = ready();
    applyTemplate(cluster);
    applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" });
    cluster.step(0);
    const first = claimsOf(cluster)[0]?.metadata.name ?? "";
    cluster.client.delete(resourceClaims, "default", first);
    cluster.step(0);
    const names = claimsOf(cluster).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(1);
    expect(names).not.toContain(first);
    expect(podOf(cluster, "web").status.resourceClaimStatuses).toEqual([{ name: "gpu", resourceClaimName: names[0] }]);
  });

  test("the claim of an ended or deleted pod is deleted", () => {
    const { cluster } = ready();
    applyTemplate(cluster);
    const pod = applyPod(cluster, "web", { resourceClaimTemplateName: "gpu" });
    applyPod(cluster, "other", { resourceClaimTemplateName: "gpu" });
    cluster.step(0);
    cluster.client.updateStatus(pods, {
      ...podOf(cluster, "web"),
      status: { ...podOf(cluster, "web").status, phase: "Failed" },
    });
    cluster.step(0);
    expect(claimsOf(cluster).map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["other"]);
    cluster.client.delete(pods, "default", "other");
    cluster.runUntilQuiet();
    expect(claimsOf(cluster)).toEqual([]);
    expect(pod.metadata.uid).toBeDefined();
  });
});

describe("users of claims", () => {
  test("ended and deleted pods are removed, and the last one deallocates the claim", () => {
    const { cluster, node } = ready();
    applyClaim(cluster, "shared");
    const pod = applyPod(cluster, "web", { resourceClaimName: "shared" });
    allocate(cluster, "shared", { node, user: pod });
    cluster.step(0);
    expect(claimOf(cluster, "shared").status.reservedFor).toHaveLength(1);
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    const { status, metadata } = claimOf(cluster, "shared");
    expect(status).toEqual({});
    expect(metadata.finalizers).toBeUndefined();
  });

  test("a deleted claim keeps its devices while it has a user", () => {
    const { cluster, node } = ready();
    applyClaim(cluster, "shared");
    const pod = applyPod(cluster, "web", { resourceClaimName: "shared" });
    allocate(cluster, "shared", { node, user: pod });
    cluster.client.delete(resourceClaims, "default", "shared");
    cluster.step(0);
    expect(claimOf(cluster, "shared").status.allocation).toBeDefined();
    cluster.client.delete(pods, "default", "web");
    cluster.runUntilQuiet();
    expect(claimsOf(cluster)).toEqual([]);
  });

  test("an allocated unused claim is removed when deleted", () => {
    const { cluster, node } = ready();
    applyClaim(cluster, "shared");
    allocate(cluster, "shared", { node });
    cluster.client.delete(resourceClaims, "default", "shared");
    cluster.step(0);
    expect(claimsOf(cluster)).toEqual([]);
  });

  test("a claim of a pod with a node is reserved for it, and the pod runs", () => {
    const { cluster, node } = ready();
    applyClass(cluster);
    applyClaim(cluster, "shared");
    allocate(cluster, "shared", { node });
    const pod = applyPod(cluster, "web", { resourceClaimName: "shared" }, { nodeName: node });
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "shared").status.reservedFor).toEqual([
      { resource: "pods", name: "web", uid: pod.metadata.uid },
    ]);
    expect(podOf(cluster, "web").status.phase).toBe("Running");
    expect(claimOf(cluster, "shared").status.devices).toMatchObject([
      { driver: gpu, pool: node, device: "gpu-0", conditions: [{ type: "Ready", status: "True" }] },
    ]);
  });

  test("a pod on a node waits for its allocated claim, and reports why", () => {
    const { cluster, node } = ready();
    const pod = applyPod(cluster, "web", { resourceClaimName: "shared" }, { nodeName: node });
    cluster.step(0);
    expect(cluster.eventsOf(pod)).toContain(
      'FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: fetch ResourceClaim shared: resourceclaims.resource.k8s.io "shared" not found',
    );
    applyClaim(cluster, "shared");
    cluster.step(0);
    expect(podOf(cluster, "web").status.phase).toBe("Pending");
    allocate(cluster, "shared", { node });
    cluster.step(0);
    expect(podOf(cluster, "web").status.phase).toBe("Running");
  });
});

describe("simulated devices", () => {
  const slicesOf = (cluster: TestCluster) => cluster.client.list(resourceSlices);

  test("are absent in a cluster without a device setting", () => {
    const { cluster } = ready(2);
    applyClass(cluster, "gpu.example.com");
    cluster.step(0);
    expect(slicesOf(cluster)).toEqual([]);
  });

  test("exist four times on every simulated node, also later ones, with the simulated driver's class", () => {
    const { cluster } = ready(2);
    applyClass(cluster);
    cluster.step(0);
    const slices = slicesOf(cluster);
    expect(slices).toHaveLength(2);
    expect(slices[0]?.spec.devices?.map(({ name }) => name)).toEqual(["gpu-0", "gpu-1", "gpu-2", "gpu-3"]);
    expect(slices[0]?.spec.devices?.[1]).toMatchObject({
      attributes: { index: { int: 1 }, model: { string: "SANDBAR-SIMULATED-GPU" } },
      capacity: { memory: { value: "80Gi" } },
    });
    cluster.apply(nodes, { metadata: { name: "late", annotations: { "sandbar.dev/simulated": "true" } } });
    cluster.step(0);
    expect(slicesOf(cluster).map(({ spec }) => spec.nodeName)).toContain("late");
  });

  test("exist as often as another class says, with a new pool generation for more, and are removed with the class", () => {
    const { cluster } = ready();
    applyClass(cluster, "gpu.example.com", { "sandbar.dev/devices-per-node": "2" });
    cluster.step(0);
    expect(slicesOf(cluster)[0]?.spec).toMatchObject({ driver: "gpu.example.com", pool: { generation: 1 } });
    cluster.edit(deviceClasses, "", "gpu.example.com", ({ metadata }) => {
      metadata.annotations = { "sandbar.dev/devices-per-node": "3" };
    });
    cluster.step(0);
    expect(slicesOf(cluster)[0]?.spec.pool.generation).toBe(2);
    expect(slicesOf(cluster)[0]?.spec.devices).toHaveLength(3);
    cluster.client.delete(deviceClasses, "", "gpu.example.com");
    cluster.step(0);
    expect(slicesOf(cluster)).toEqual([]);
  });

  test("have slices that are deleted with their node, and created again when deleted", () => {
    const { cluster, node } = ready();
    applyClass(cluster);
    cluster.step(0);
    cluster.client.delete(resourceSlices, "", slicesOf(cluster)[0]?.metadata.name ?? "");
    cluster.step(0);
    expect(slicesOf(cluster)).toHaveLength(1);
    cluster.client.delete(nodes, "", node);
    cluster.runUntilQuiet();
    expect(slicesOf(cluster)).toEqual([]);
  });
});

describe("device taints", () => {
  function tainted(tolerations?: Parameters<typeof allocate>[2]["tolerations"]) {
    const { cluster, node } = ready();
    applyClass(cluster);
    applyClaim(cluster, "shared");
    allocate(cluster, "shared", { node, ...(tolerations ? { tolerations } : {}) });
    const pod = applyPod(cluster, "web", { resourceClaimName: "shared" }, { nodeName: node });
    cluster.step(0);
    const slice = cluster.client.list(resourceSlices)[0]?.metadata.name ?? "";
    const taint = (effect: "NoExecute" | "NoSchedule") =>
      cluster.edit(resourceSlices, "", slice, ({ spec }) => {
        for (const device of spec.devices ?? []) device.taints = [{ key: "broken", effect }];
      });
    return { cluster, pod, slice, taint };
  }

  test("a NoExecute taint on a device deletes its pod, and no other taint does", () => {
    const { cluster, pod, taint } = tainted();
    taint("NoSchedule");
    cluster.step(0);
    expect(podOf(cluster, "web").metadata.deletionTimestamp).toBeUndefined();
    taint("NoExecute");
    cluster.step(0);
    expect(cluster.eventsOf(pod)).toContain("DeviceTaintManagerEviction: Marking for deletion");
    const gone = cluster.changes.findLast(({ resource, type }) => resource === "pods" && type === "DELETED");
    expect(JSON.stringify(gone?.object)).toContain('"reason":"DeletionByDeviceTaintManager"');
    cluster.runUntilQuiet();
    expect(claimOf(cluster, "shared").status.allocation).toBeUndefined();
  });

  test("a toleration limits the time, and the deletion is cancelled when the taint is removed", () => {
    const { cluster, pod, slice, taint } = tainted([
      { key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
    ]);
    taint("NoExecute");
    cluster.step(50_000);
    expect(podOf(cluster, "web").metadata.deletionTimestamp).toBeUndefined();
    cluster.edit(resourceSlices, "", slice, ({ spec }) => {
      for (const device of spec.devices ?? []) delete device.taints;
    });
    cluster.step(60_000);
    expect(podOf(cluster, "web").metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.eventsOf(pod)).toContain("DeviceTaintManagerEviction: Cancelling deletion");
    taint("NoExecute");
    cluster.step(61_000);
    expect(cluster.client.get(pods, "default", "web")).toBeUndefined();
  });
});
