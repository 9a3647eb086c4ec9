// The kubelet in a whole cluster: through the API's own pipeline, with scheduler and controllers.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { leases } from "../../worker/kinds/coordination/lease.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { simulatedAnnotation } from "../../worker/kinds/core/node/simulated.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

function create(cluster: TestCluster, name: string, spec: object): Pod {
  return cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { ...spec } });
}

function ready(): TestCluster {
  const cluster = newCluster();
  cluster.runUntilQuiet();
  return cluster;
}

const nginx = { containers: [{ name: "web", image: "nginx:1.27" }] };

describe("a pod", () => {
  test("is bound and Ready with one status write when there are no delays", () => {
    const cluster = ready();
    create(cluster, "web", nginx);
    const from = cluster.changes.length;
    cluster.runUntilQuiet();
    const pod = cluster.get(pods, "default", "web");
    expect(pod.status.phase).toBe("Running");
    const writes = cluster.changes.slice(from).filter((change) => change.resource === "pods" && change.name === "web");
    // The binding and the status.
    expect(writes).toHaveLength(2);
    const node = cluster.get(nodes, "", pod.spec.nodeName ?? "");
    expect(pod.status.hostIP).toBe(node.status.addresses?.[0]?.address);
    expect(pod.status.podIP?.startsWith(node.spec.podCIDR?.replace("0/24", "") ?? "?")).toBe(true);
    expect(pod.status.observedGeneration).toBe(pod.metadata.generation);
    expect(cluster.eventsOf(pod)).toEqual([
      `Scheduled: Successfully assigned default/web to ${pod.spec.nodeName ?? ""}`,
      'Pulling: Pulling image "nginx:1.27"',
      'Pulled: Successfully pulled image "nginx:1.27" in 0s (0s including waiting). Image size: 72099410 bytes.',
      "Created: Container created",
      "Started: Container started",
    ]);
  });

  test("has events from its node's kubelet that name the container", () => {
    const cluster = ready();
    const pod = create(cluster, "web", nginx);
    cluster.runUntilQuiet();
    const started = cluster.client
      .list(events)
      .find((event) => event.involvedObject.uid === pod.metadata.uid && event.reason === "Started");
    expect(started?.source).toEqual({ component: "kubelet", host: cluster.get(pods, "default", "web").spec.nodeName });
    expect(started?.involvedObject.fieldPath).toBe("spec.containers{web}");
  });

  test("stops gracefully and is removed when it is deleted", () => {
    const cluster = newCluster({ controllers: allControllers({ zeroDelays: false, caPem: "test" }) });
    cluster.runUntilQuiet();
    create(cluster, "web", nginx);
    cluster.runUntilQuiet();
    cluster.client.delete(pods, "default", "web");
    expect(cluster.get(pods, "default", "web").metadata.deletionGracePeriodSeconds).toBe(30);
    cluster.step(100);
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
    cluster.step(2_000);
    expect(cluster.client.get(pods, "default", "web")).toBeUndefined();
    const killing = cluster.client.list(events).filter((event) => event.reason === "Killing");
    expect(killing.map((event) => [event.message, event.count])).toEqual([["Stopping container web", 1]]);
  });

  test("with a finalizer stays terminal, and the kubelet releases it once", () => {
    const cluster = ready();
    cluster.apply(pods, {
      metadata: { name: "kept", namespace: "default", finalizers: ["example.com/keep"] },
      spec: nginx,
    });
    cluster.runUntilQuiet();
    cluster.client.delete(pods, "default", "kept");
    cluster.runUntilQuiet();
    const pod = cluster.get(pods, "default", "kept");
    expect(pod.status.phase).toBe("Succeeded");
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(0);
    cluster.edit(pods, "default", "kept", (draft) => {
      delete draft.metadata.finalizers;
    });
    cluster.runUntilQuiet();
    expect(cluster.client.get(pods, "default", "kept")).toBeUndefined();
  });

  test("is started as soon as the ConfigMap that it waits for exists", () => {
    const cluster = ready();
    create(cluster, "web", {
      containers: [{ name: "web", image: "nginx:1.27", envFrom: [{ configMapRef: { name: "settings" } }] }],
    });
    cluster.step(1_000);
    expect(cluster.get(pods, "default", "web").status.containerStatuses?.[0]?.state.waiting?.reason).toBe(
      "CreateContainerConfigError",
    );
    cluster.apply(configMaps, { metadata: { name: "settings", namespace: "default" }, data: { a: "1" } });
    cluster.step(0);
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Running");
  });
});

describe("an exec probe", () => {
  test.each([
    ["a name lookup", ["nslookup", "db"]],
    ["a connection", ["nc", "-z", "db", "80"]],
  ])("with %s of a Service succeeds from the first tick after its creation, after any delay", (_, command) => {
    const cluster = ready();
    const readinessProbe = { exec: { command }, periodSeconds: 5 };
    const sleeper = { name: "c", image: "busybox", command: ["sleep", "1000000"], readinessProbe };
    create(cluster, "waits", { containers: [sleeper] });
    cluster.step(600_000);
    const isReady = () => cluster.get(pods, "default", "waits").status.containerStatuses?.[0]?.ready;
    expect(isReady()).toBe(false);
    const labels = { app: "db" };
    cluster.apply(pods, { metadata: { name: "db", namespace: "default", labels }, spec: nginx });
    cluster.apply(services, {
      metadata: { name: "db", namespace: "default" },
      spec: { ports: [{ port: 80 }], selector: labels },
    });
    cluster.step(10_000);
    expect(isReady()).toBe(true);
    expect(cluster.runtime.nextDueMs() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(cluster.clock.nowMs() + 5_000);
  });
});

describe("pod addresses", () => {
  test("are unique among a node's running pods, and reused after a full round of the range", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.runUntilQuiet();
    const addresses: (string | undefined)[] = [];
    for (let round = 0; round < 6; round++) {
      for (let at = 0; at < 60; at++) create(cluster, `web-${at}`, nginx);
      cluster.step(0);
      const ips = cluster.client.list(pods).map((pod) => pod.status.podIP);
      expect(ips.every((ip) => ip?.startsWith("10.244.1."))).toBe(true);
      expect(new Set(ips).size).toBe(62);
      addresses.push(cluster.get(pods, "default", "web-0").status.podIP);
      for (let at = 0; at < 60; at++) cluster.client.delete(pods, "default", `web-${at}`, { gracePeriodSeconds: 0 });
      cluster.step(0);
    }
    expect(new Set(addresses.slice(0, 4)).size).toBe(4);
  });
});

describe("a user's node", () => {
  const node = (name: string, annotations: Record<string, string>) => ({ metadata: { name, annotations } });

  test("is completed, becomes ready, and runs pods if it is simulated", () => {
    const cluster = ready();
    cluster.apply(nodes, { ...node("mine", { [simulatedAnnotation]: "true" }), status: { capacity: { cpu: "64" } } });
    const bound = create(cluster, "early", { ...nginx, nodeName: "mine" });
    cluster.runUntilQuiet();
    const mine = cluster.get(nodes, "", "mine");
    expect(mine.spec).toEqual({ podCIDR: "10.244.4.0/24", podCIDRs: ["10.244.4.0/24"] });
    expect(mine.metadata.labels).toMatchObject({ "kubernetes.io/hostname": "mine", "kubernetes.io/os": "linux" });
    expect(mine.status.addresses).toEqual([
      { type: "InternalIP", address: "172.18.0.6" },
      { type: "Hostname", address: "mine" },
    ]);
    expect(mine.status.capacity).toMatchObject({ cpu: "64", pods: "110" });
    expect(mine.status.allocatable?.["cpu"]).toBe("64");
    // To a kubelet the name of its node is its uid.
    const ownPod = { ...mine, metadata: { ...mine.metadata, uid: "mine" } };
    expect(cluster.eventsOf(ownPod)).toContain("NodeReady: Node mine status is now: NodeReady");
    expect(cluster.get(leases, "kube-node-lease", "mine").spec.holderIdentity).toBe("mine");
    expect(cluster.get(pods, "default", bound.metadata.name ?? "").status.podIP).toBe("10.244.4.2");
  });

  test("offers extended resources that clients add to its capacity, until they are removed", () => {
    const cluster = ready();
    const offered = (capacity: Record<string, string>) => {
      const firstNode = cluster.get(nodes, "", "node-1");
      const { "example.com/dongle": _, ...ownCapacity } = firstNode.status.capacity ?? {};
      cluster.client.updateStatus(nodes, {
        ...firstNode,
        status: { ...firstNode.status, capacity: { ...ownCapacity, ...capacity } },
      });
      cluster.runUntilQuiet();
      return cluster.get(nodes, "", "node-1").status.allocatable;
    };
    expect(offered({ "example.com/dongle": "4" })).toMatchObject({ "example.com/dongle": "4", cpu: "4" });
    expect(offered({})).not.toHaveProperty("example.com/dongle");
  });

  test("is left unchanged if it is not simulated, and its pods stay Pending", () => {
    const cluster = ready();
    cluster.apply(nodes, node("theirs", {}));
    create(cluster, "web", { ...nginx, nodeName: "theirs" });
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", "web").status.phase).toBe("Pending");
    expect(cluster.get(pods, "default", "web").status.startTime).toBeUndefined();
  });
});
