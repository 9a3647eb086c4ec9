// Endpoints and EndpointSlices follow the pods behind a Service.
import { describe, expect, test } from "vitest";
import type { EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { endpointSlices } from "../../../worker/kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../../../worker/kinds/core/endpoints.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import type { TestCluster } from "../../cluster.ts";
import { setReady } from "../bed.ts";
import { applyService, applyWeb, podsOf, web, workloadCluster } from "../deployment/web.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";

const slicesOf = (cluster: TestCluster): EndpointSlice[] =>
  cluster.client
    .list(endpointSlices, { namespace: "default" })
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web");
const readyIps = (cluster: TestCluster) =>
  podsOf(cluster)
    .filter(({ status }) =>
      status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
    )
    .map(({ status }) => status.podIP ?? "")
    .sort();
const scale = (cluster: TestCluster, replicas: number) =>
  cluster.edit(deployments, "default", "web", ({ spec }) => {
    spec.replicas = replicas;
  });

/** Expects that both forms contain exactly the ready pods. */
function expectEndpointsAreReadyPods(cluster: TestCluster): void {
  const { subsets = [] } = cluster.get(endpoints, "default", "web");
  expect(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)).sort()).toEqual(readyIps(cluster));
  const ready = slicesOf(cluster).flatMap(({ endpoints: list = [] }) =>
    list.filter(({ conditions }) => conditions.ready),
  );
  expect(ready.flatMap(({ addresses }) => addresses).sort()).toEqual(readyIps(cluster));
}

describe("a Service with pods", () => {
  const { cluster } = workloadCluster();
  applyWeb(cluster);
  cluster.runUntilQuiet();
  const service = applyService(cluster);
  cluster.runUntilQuiet();

  test("has Endpoints with its name", () => {
    expectEndpointsAreReadyPods(cluster);
    const { metadata, subsets = [] } = cluster.get(endpoints, "default", "web");
    expect(metadata.labels).toEqual({ tier: "front", "endpoints.kubernetes.io/managed-by": "endpoint-controller" });
    expect(metadata.annotations).toEqual({
      "endpoints.kubernetes.io/last-change-trigger-time": service.metadata.creationTimestamp,
    });
    expect(subsets.length).toBe(1);
    expect(subsets[0]?.ports).toEqual([{ port: 8080, protocol: "TCP" }]);
    const [pod] = podsOf(cluster);
    expect(subsets[0]?.addresses).toContainEqual({
      ip: pod?.status.podIP,
      nodeName: pod?.spec.nodeName,
      targetRef: { kind: "Pod", namespace: "default", name: pod?.metadata.name, uid: pod?.metadata.uid },
    });
  });
  test("has one slice of upstream's form", () => {
    const [slice, ...otherSlices] = slicesOf(cluster);
    expect(otherSlices).toEqual([]);
    expect(slice?.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(slice?.metadata.generateName).toBe("web-");
    expect(slice?.metadata.labels).toEqual({
      tier: "front",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    });
    expect(slice?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "v1",
        kind: "Service",
        name: "web",
        uid: service.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(slice?.addressType).toBe("IPv4");
    expect(slice?.ports).toEqual([{ name: "", protocol: "TCP", port: 8080 }]);
    const [pod] = podsOf(cluster);
    expect(slice?.endpoints).toContainEqual(
      expect.objectContaining({
        addresses: [pod?.status.podIP],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: pod?.spec.nodeName,
        targetRef: { kind: "Pod", namespace: "default", name: pod?.metadata.name, uid: pod?.metadata.uid },
      }),
    );
  });
});

describe("following pods", () => {
  test("after scaling, readiness changes and rollouts, endpoints equal the ready pods, in one slice with a stable name", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    cluster.runUntilQuiet();
    const name = slicesOf(cluster)[0]?.metadata.name;
    expect(slicesOf(cluster)[0]?.endpoints ?? []).toEqual([]);
    applyWeb(cluster);
    for (const replicas of [5, 1, 4, 0, 2]) {
      scale(cluster, replicas);
      cluster.runUntilQuiet();
      expectEndpointsAreReadyPods(cluster);
    }
    const [first] = podsOf(cluster);
    if (first) setReady(cluster, first, false);
    cluster.runUntilQuiet();
    expectEndpointsAreReadyPods(cluster);
    expect(cluster.get(endpoints, "default", "web").subsets?.[0]?.notReadyAddresses?.length).toBe(1);
    expect(slicesOf(cluster).map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  test("a terminating pod is in the slice as serving, and not in Endpoints", () => {
    const { cluster, node } = workloadCluster();
    applyService(cluster);
    applyWeb(cluster);
    cluster.runUntilQuiet();
    node.lingers = () => true;
    cluster.client.delete(pods, "default", podsOf(cluster)[0]?.metadata.name ?? "");
    cluster.step(1_000);
    const terminating = slicesOf(cluster)
      .flatMap((slice) => slice.endpoints ?? [])
      .filter(({ conditions }) => conditions.terminating);
    expect(terminating.map(({ conditions }) => conditions)).toEqual([
      { ready: false, serving: true, terminating: true },
    ]);
    expectEndpointsAreReadyPods(cluster);
  });

  test("150 pods are in two slices, and deleting one rewrites only its slice", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    applyWeb(cluster, { replicas: 150 });
    cluster.runUntilQuiet();
    expectEndpointsAreReadyPods(cluster);
    expect(slicesOf(cluster).length).toBe(2);
    const versions = () => slicesOf(cluster).map(({ metadata }) => metadata.resourceVersion);
    const before = versions();
    const [pod] = podsOf(cluster);
    if (pod) setReady(cluster, pod, false);
    cluster.runUntilQuiet();
    expect(versions().filter((version) => !before.includes(version)).length).toBe(1);
  });

  test("the trigger time is that of the changed pod", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    applyWeb(cluster);
    cluster.runUntilQuiet();
    cluster.step(60_000);
    const [pod] = podsOf(cluster);
    if (pod) setReady(cluster, pod, false);
    cluster.runUntilQuiet();
    const time = "endpoints.kubernetes.io/last-change-trigger-time";
    expect(cluster.get(endpoints, "default", "web").metadata.annotations?.[time]).toBe("2026-01-01T00:01:00Z");
    expect(slicesOf(cluster)[0]?.metadata.annotations?.[time]).toBe("2026-01-01T00:01:00Z");
  });
});

describe("Services and ports", () => {
  test("without a selector nothing is created, and a user's object stays", () => {
    const { cluster } = workloadCluster();
    cluster.apply(services, { metadata: { name: "web", namespace: "default" }, spec: { ports: [{ port: 80 }] } });
    cluster.apply(endpoints, {
      metadata: { name: "web", namespace: "default" },
      subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
    });
    applyWeb(cluster);
    cluster.runUntilQuiet();
    expect(cluster.get(endpoints, "default", "web").subsets?.[0]?.addresses).toEqual([{ ip: "192.0.2.1" }]);
    expect(slicesOf(cluster)).toEqual([]);
  });

  test("the deletion of a Service deletes its Endpoints", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    cluster.runUntilQuiet();
    cluster.client.delete(services, "default", "web");
    cluster.runUntilQuiet();
    expect(cluster.client.get(endpoints, "default", "web")).toBeUndefined();
  });

  test("deleted or changed Endpoints and slices are restored", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    applyWeb(cluster);
    cluster.runUntilQuiet();
    cluster.client.delete(endpoints, "default", "web");
    cluster.client.delete(endpointSlices, "default", slicesOf(cluster)[0]?.metadata.name ?? "");
    cluster.runUntilQuiet();
    expectEndpointsAreReadyPods(cluster);
    cluster.edit(endpointSlices, "default", slicesOf(cluster)[0]?.metadata.name ?? "", (slice) => {
      slice.endpoints = [];
    });
    cluster.runUntilQuiet();
    expectEndpointsAreReadyPods(cluster);
  });

  test("named target ports are resolved in each pod: different numbers are in separate subsets and slices", () => {
    const { cluster } = workloadCluster();
    applyService(cluster, { ports: [{ name: "http", port: 80, targetPort: "http" }] });
    for (const containerPort of [8080, 9090]) {
      cluster.apply(pods, {
        metadata: { name: `p-${containerPort}`, namespace: "default", labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "x", ports: [{ name: "http", containerPort }] }] },
      });
    }
    cluster.runUntilQuiet();
    const ports = cluster
      .get(endpoints, "default", "web")
      .subsets?.map((subset) => subset.ports?.map(({ port }) => port));
    expect(ports?.sort()).toEqual([[8080], [9090]]);
    expect(
      slicesOf(cluster)
        .map((slice) => slice.ports?.[0])
        .sort((a, b) => (a?.port ?? 0) - (b?.port ?? 0)),
    ).toEqual([
      { name: "http", protocol: "TCP", port: 8080 },
      { name: "http", protocol: "TCP", port: 9090 },
    ]);
  });

  test("a headless Service is labelled, and may publish addresses that are not ready", () => {
    const { cluster, node } = workloadCluster();
    node.isReady = () => false;
    applyService(cluster, { clusterIP: "None", publishNotReadyAddresses: true });
    applyWeb(cluster, { replicas: 2 });
    cluster.step(1_000);
    const { metadata, subsets } = cluster.get(endpoints, "default", "web");
    expect(metadata.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
    expect(subsets?.[0]?.addresses?.length).toBe(2);
    const [slice] = slicesOf(cluster);
    expect(slice?.metadata.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
    expect(slice?.endpoints?.map(({ conditions }) => conditions)).toEqual(
      Array(2).fill({ ready: true, serving: false, terminating: false }),
    );
    expect(web(cluster).status.readyReplicas).toBeUndefined();
  });
});

describe("nodes", () => {
  const zone = "topology.kubernetes.io/zone";
  const endpointsOf = (cluster: TestCluster) => slicesOf(cluster).flatMap(({ endpoints: list = [] }) => list);

  test("endpoints have the zone of their node, and hints follow trafficDistribution", () => {
    const { cluster } = workloadCluster();
    applyService(cluster);
    applyWeb(cluster);
    cluster.runUntilQuiet();
    for (const node of cluster.client.list(nodes)) {
      const name = node.metadata.name ?? "";
      cluster.edit(nodes, "", name, ({ metadata }) => {
        metadata.labels = { ...metadata.labels, [zone]: `zone-of-${name}` };
      });
    }
    cluster.runUntilQuiet();
    expect(endpointsOf(cluster).map((endpoint) => endpoint.zone)).toEqual(
      endpointsOf(cluster).map((endpoint) => `zone-of-${endpoint.nodeName ?? ""}`),
    );
    expect(endpointsOf(cluster).some(({ hints }) => hints)).toBe(false);
    const prefer = (trafficDistribution?: string) => {
      cluster.edit(services, "default", "web", ({ spec }) => {
        delete spec.trafficDistribution;
        if (trafficDistribution) spec.trafficDistribution = trafficDistribution;
      });
      cluster.runUntilQuiet();
      return endpointsOf(cluster).map(({ hints }) => hints);
    };
    const zones = endpointsOf(cluster).map((endpoint) => [{ name: endpoint.zone }]);
    const names = endpointsOf(cluster).map((endpoint) => [{ name: endpoint.nodeName }]);
    expect(prefer("PreferSameZone")).toEqual(zones.map((forZones) => ({ forZones })));
    expect(prefer("PreferSameNode")).toEqual(zones.map((forZones, at) => ({ forZones, forNodes: names[at] })));
    expect(prefer()).toEqual(zones.map(() => undefined));
  });

  test("a pod of a missing node is not in the slices until the node exists", () => {
    const { cluster } = workloadCluster();
    const service = applyService(cluster);
    applyWeb(cluster);
    cluster.runUntilQuiet();
    const [pod] = podsOf(cluster);
    const name = pod?.spec.nodeName ?? "";
    const node = cluster.get(nodes, "", name);
    cluster.client.delete(nodes, "", name);
    cluster.runUntilQuiet();
    const left = podsOf(cluster).filter(({ spec }) => spec.nodeName !== name);
    expect(endpointsOf(cluster).length).toBe(left.length);
    expect(cluster.eventsOf(service)).toContain(
      `FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/web: skipping Pod ${pod?.metadata.name ?? ""} for Service default/web: Node ${name} Not Found`,
    );
    cluster.apply(nodes, { metadata: { name }, spec: node.spec, status: node.status });
    cluster.runUntilQuiet();
    expect(endpointsOf(cluster).length).toBe(3);
  });
});

describe("a leftover Endpoints object of the controller", () => {
  test("is deleted if it has no Service; a user's object stays", () => {
    const { cluster } = workloadCluster();
    const managed = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
    cluster.client.create(endpoints, { metadata: { namespace: "default", name: "left", labels: managed } });
    cluster.client.create(endpoints, { metadata: { namespace: "default", name: "own" } });
    cluster.runUntilQuiet();
    expect(cluster.client.get(endpoints, "default", "left")).toBeUndefined();
    expect(cluster.client.get(endpoints, "default", "own")).toBeDefined();
  });
});
