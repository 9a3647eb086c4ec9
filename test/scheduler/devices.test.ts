// Pods with device claims: allocated devices, selected nodes, and the messages if there are none.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { Device, DeviceClaim, ResourceClaim } from "../../shared/k8s/api/resource-v1.ts";
import { deviceClasses } from "../../worker/kinds/resource/device-class.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { resourceClaims } from "../../worker/kinds/resource/resource-claim.ts";
import { resourceSlices } from "../../worker/kinds/resource/resource-slice.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, conditionOf, nodeOf, podOf } from "./bed.ts";

const driver = "gpu.example.com";

function addClass(cluster: TestCluster, name = "gpu", expression = `device.driver == "${driver}"`): void {
  cluster.apply(deviceClasses, { metadata: { name }, spec: { selectors: [{ cel: { expression } }] } });
}

function addSlice(cluster: TestCluster, nodeName: string, devices: readonly Device[]): void {
  cluster.apply(resourceSlices, {
    metadata: { name: `${nodeName}-gpus` },
    spec: { driver, nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 }, devices: [...devices] },
  });
}

function gpu(name: string, model = "small", memory = "16Gi"): Device {
  return {
    name,
    attributes: { model: { string: model }, version: { version: "1.2.3" } },
    capacity: { memory: { value: memory } },
  };
}

function addClaim(cluster: TestCluster, name: string, devices: DeviceClaim): void {
  cluster.apply(resourceClaims, { metadata: { namespace: "default", name }, spec: { devices } });
}

function exactly(name: string, more: object = {}): DeviceClaim["requests"][number] {
  return { name, exactly: { deviceClassName: "gpu", ...more } };
}

function select(expression: string): object {
  return { selectors: [{ cel: { expression } }] };
}

function addUser(cluster: TestCluster, name: string, claim: string): void {
  addPod(cluster, name, { cpu: "0", spec: { resourceClaims: [{ name: "gpu", resourceClaimName: claim }] } });
  cluster.runUntilQuiet();
}

function claimOf(cluster: TestCluster, name: string): ResourceClaim {
  return cluster.get(resourceClaims, "default", name);
}

function devicesOf(cluster: TestCluster, name: string): string[] {
  const results = claimOf(cluster, name).status.allocation?.devices.results ?? [];
  return results.map(({ request, pool, device }) => `${request}: ${pool}/${device}`);
}

/** Returns a cluster of two nodes, of which only the second has devices. */
function withDevices(...devices: readonly Device[]): TestCluster {
  const cluster = clusterWith(["n1", "n2"]);
  addClass(cluster);
  addSlice(cluster, "n2", devices.length > 0 ? devices : [gpu("gpu-0"), gpu("gpu-1", "large", "80Gi")]);
  return cluster;
}

describe("the allocation of a claim", () => {
  test("places the pod at the device, and reserves, protects and binds the claim to the node", () => {
    const cluster = withDevices();
    addClaim(cluster, "one", { requests: [exactly("gpu")] });
    addUser(cluster, "p", "one");
    expect(nodeOf(cluster, "p")).toBe("n2");
    expect(devicesOf(cluster, "one")).toEqual(["gpu: n2/gpu-0"]);
    const { metadata, status } = claimOf(cluster, "one");
    expect(metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
    expect(status.reservedFor).toEqual([{ resource: "pods", name: "p", uid: podOf(cluster, "p").metadata.uid }]);
    expect(status.allocation?.nodeSelector?.nodeSelectorTerms).toEqual([
      { matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] },
    ]);
    expect(podOf(cluster, "p").status.nominatedNodeName).toBeUndefined();
  });

  test("uses selectors with attributes, capacities and versions", () => {
    const cluster = withDevices();
    addClaim(cluster, "large", {
      requests: [exactly("gpu", select(`device.attributes["${driver}"].model == "large"`))],
    });
    addClaim(cluster, "roomy", {
      requests: [
        exactly(
          "gpu",
          select(
            `device.capacity["${driver}"].memory.compareTo(quantity("20Gi")) < 0 && device.attributes["${driver}"].version.isGreaterThan(semver("1.0.0"))`,
          ),
        ),
      ],
    });
    addUser(cluster, "a", "large");
    addUser(cluster, "b", "roomy");
    expect(devicesOf(cluster, "large")).toEqual(["gpu: n2/gpu-1"]);
    expect(devicesOf(cluster, "roomy")).toEqual(["gpu: n2/gpu-0"]);
  });

  test("places a second pod with the same claim on its node", () => {
    const cluster = withDevices();
    addClaim(cluster, "shared", { requests: [exactly("gpu")] });
    addUser(cluster, "a", "shared");
    addUser(cluster, "b", "shared");
    expect(nodeOf(cluster, "b")).toBe("n2");
    expect(claimOf(cluster, "shared").status.reservedFor?.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("supports several devices, all devices, and the first possible alternative", () => {
    const cluster = withDevices(gpu("g0"), gpu("g1"), gpu("g2"), gpu("g3", "large"));
    addClaim(cluster, "two", {
      requests: [exactly("gpu", { count: 2, ...select(`device.attributes["${driver}"].model == "small"`) })],
    });
    addUser(cluster, "a", "two");
    expect(devicesOf(cluster, "two")).toEqual(["gpu: n2/g0", "gpu: n2/g1"]);
    addClaim(cluster, "either", {
      requests: [
        {
          name: "gpu",
          firstAvailable: [
            { name: "huge", deviceClassName: "gpu", ...select(`device.attributes["${driver}"].model == "huge"`) },
            { name: "large", deviceClassName: "gpu", ...select(`device.attributes["${driver}"].model == "large"`) },
          ],
        },
      ],
    });
    addUser(cluster, "b", "either");
    expect(devicesOf(cluster, "either")).toEqual(["gpu/large: n2/g3"]);
    addClaim(cluster, "all", { requests: [exactly("gpu", { allocationMode: "All" })] });
    addUser(cluster, "c", "all");
    expect(nodeOf(cluster, "c")).toBeUndefined();
  });

  test("applies a constraint to the requests of a claim, trying all combinations", () => {
    const cluster = withDevices(gpu("a"), gpu("b", "large"), gpu("c", "large"));
    addClaim(cluster, "same", {
      requests: [exactly("x"), exactly("y")],
      constraints: [{ matchAttribute: `${driver}/model` }],
    });
    addUser(cluster, "p", "same");
    expect(devicesOf(cluster, "same")).toEqual(["x: n2/b", "y: n2/c"]);
  });

  test("ends with the work budget if there are too many combinations, and the pod waits", () => {
    const cluster = withDevices(...Array.from({ length: 40 }, (_, at) => gpu(`d${at}`, `model-${at}`)));
    addClaim(cluster, "endless", {
      requests: [exactly("w"), exactly("x"), exactly("y"), exactly("z")],
      constraints: [{ matchAttribute: `${driver}/model`, requests: ["w", "z"] }],
    });
    const { meter } = cluster.registry.store;
    const before = meter.spent;
    addPod(cluster, "p", { cpu: "0", spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "endless" }] } });
    cluster.step(500);
    expect(devicesOf(cluster, "endless")).toEqual([]);
    expect(meter.spent - before).toBeLessThan(4 * limits.requestWork);
    const events = cluster.eventsOf(podOf(cluster, "p"));
    expect(events.join("\n")).toContain("takes more work than one request may");
  });

  test("uses the counters of one device for its partitions", () => {
    const cluster = clusterWith(["n1"]);
    addClass(cluster);
    const counters = (value: string) => [{ counterSet: "card", counters: { memory: { value } } }];
    const pool = { name: "n1", generation: 1, resourceSliceCount: 2 };
    cluster.apply(resourceSlices, {
      metadata: { name: "counters" },
      spec: {
        driver,
        nodeName: "n1",
        pool,
        sharedCounters: [{ name: "card", counters: { memory: { value: "10Gi" } } }],
      },
    });
    cluster.apply(resourceSlices, {
      metadata: { name: "devices" },
      spec: {
        ...{ driver, nodeName: "n1", pool },
        devices: [
          { name: "half", consumesCounters: counters("5Gi") },
          { name: "other-half", consumesCounters: counters("5Gi") },
          { name: "whole", consumesCounters: counters("10Gi") },
        ],
      },
    });
    for (const name of ["a", "b", "c"]) {
      addClaim(cluster, name, { requests: [exactly("gpu")] });
      addUser(cluster, `pod-${name}`, name);
    }
    expect([devicesOf(cluster, "a"), devicesOf(cluster, "b"), devicesOf(cluster, "c")]).toEqual([
      ["gpu: n1/half"],
      ["gpu: n1/other-half"],
      [],
    ]);
  });

  test("shares a device among several claims up to its capacity", () => {
    const cluster = withDevices({
      name: "card",
      allowMultipleAllocations: true,
      capacity: { memory: { value: "10Gi", requestPolicy: { default: "1Gi" } } },
    });
    for (const [name, memory] of [
      ["a", "6Gi"],
      ["b", "4Gi"],
      ["c", "1Gi"],
    ] as const) {
      addClaim(cluster, name, { requests: [exactly("gpu", { capacity: { requests: { memory } } })] });
      addUser(cluster, `pod-${name}`, name);
    }
    const [result] = claimOf(cluster, "b").status.allocation?.devices.results ?? [];
    expect(result).toMatchObject({ device: "card", consumedCapacity: { memory: "4Gi" } });
    expect(result?.shareID).toMatch(/^[0-9a-f-]{36}$/);
    expect(nodeOf(cluster, "pod-c")).toBeUndefined();
  });

  test("requires a toleration for a tainted device", () => {
    const cluster = withDevices({ ...gpu("g"), taints: [{ key: "broken", effect: "NoSchedule" }] });
    addClaim(cluster, "no", { requests: [exactly("gpu")] });
    addClaim(cluster, "yes", { requests: [exactly("gpu", { tolerations: [{ key: "broken", operator: "Exists" }] })] });
    addUser(cluster, "a", "no");
    addUser(cluster, "b", "yes");
    expect([nodeOf(cluster, "a"), nodeOf(cluster, "b")]).toEqual([undefined, "n2"]);
  });
});

describe("a pod that waits for its claims", () => {
  test("is not tried without its claim, and is tried with it", () => {
    const cluster = withDevices();
    addUser(cluster, "p", "late");
    expect(cluster.eventsOf(podOf(cluster, "p"))).toEqual([]);
    addClaim(cluster, "late", { requests: [exactly("gpu")] });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n2");
  });

  test("reports for each node that no device is left, and is retried when a slice adds more", () => {
    const cluster = withDevices(gpu("only"));
    for (const name of ["a", "b"]) {
      addClaim(cluster, name, { requests: [exactly("gpu")] });
      addUser(cluster, `pod-${name}`, name);
    }
    expect(conditionOf(cluster, "pod-b")?.message).toBe(
      "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    );
    addSlice(cluster, "n1", [gpu("more")]);
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "pod-b")).toBe("n1");
  });

  test("names a missing class, and waits for it", () => {
    const cluster = clusterWith(["n1"]);
    addSlice(cluster, "n1", [gpu("g")]);
    addClaim(cluster, "one", { requests: [exactly("gpu")] });
    addUser(cluster, "p", "one");
    expect(conditionOf(cluster, "p")?.message).toBe(
      "0/1 nodes are available: request gpu: device class gpu does not exist. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    );
    addClass(cluster);
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n1");
  });

  test("reports a failing selector as an error of the scheduler, not of the nodes", () => {
    const cluster = withDevices();
    addClaim(cluster, "wrong", { requests: [exactly("gpu", select(`device.attributes["${driver}"].absent == "x"`))] });
    addPod(cluster, "p", { cpu: "0", spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "wrong" }] } });
    cluster.step(0);
    expect(conditionOf(cluster, "p")).toMatchObject({
      reason: "SchedulerError",
      message:
        'running "DynamicResources" filter plugin: claim default/wrong: selector #0: CEL runtime error: no such key: absent',
    });
  });

  test("deallocates an idle claim whose devices it cannot reach, and allocates it elsewhere", () => {
    const cluster = withDevices();
    addClaim(cluster, "one", { requests: [exactly("gpu")] });
    addUser(cluster, "first", "one");
    cluster.client.delete(pods, "default", "first", { gracePeriodSeconds: 0 });
    const claim = claimOf(cluster, "one");
    cluster.client.updateStatus(resourceClaims, { ...claim, status: { ...claim.status, reservedFor: [] } });
    addNode(cluster, "n3", { labels: { disk: "ssd" } });
    addSlice(cluster, "n3", [gpu("g")]);
    const spec = { resourceClaims: [{ name: "gpu", resourceClaimName: "one" }], nodeSelector: { disk: "ssd" } };
    addPod(cluster, "second", { cpu: "0", spec });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "second")).toBe("n3");
    expect(devicesOf(cluster, "one")).toEqual(["gpu: n3/g"]);
  });

  test("waits for a device with binding conditions", () => {
    const cluster = withDevices({
      ...gpu("fabric"),
      bindingConditions: ["attached"],
      bindingFailureConditions: ["failed"],
    });
    addClaim(cluster, "one", { requests: [exactly("gpu")] });
    addUser(cluster, "p", "one");
    expect(nodeOf(cluster, "p")).toBeUndefined();
    expect(podOf(cluster, "p").status.nominatedNodeName).toBe("n2");
    expect(cluster.eventsOf(podOf(cluster, "p"))).toEqual([
      "BindingConditionsPending: waiting for binding conditions for device on node n2",
    ]);
    const claim = claimOf(cluster, "one");
    const condition = {
      type: "attached",
      status: "True",
      reason: "Done",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const devices = [{ driver, pool: "n2", device: "fabric", conditions: [condition] }];
    cluster.client.updateStatus(resourceClaims, { ...claim, status: { ...claim.status, devices } });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "p")).toBe("n2");
  });
});
