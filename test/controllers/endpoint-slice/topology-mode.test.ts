import { expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { endpointSlices } from "../../../worker/kinds/discovery/endpoint-slice.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { addHints } from "../../../worker/controllers/endpoint-slice/zones.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const endpoint = (zone: string, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: ["10.0.0.1"],
  conditions: { ready: true },
  zone,
  ...more,
});
const shares = new Map([
  ["a", 0.5],
  ["b", 0.5],
]);

test("endpoints are assigned to zones in proportion to their CPUs", () => {
  expect(addHints([endpoint("a"), endpoint("a"), endpoint("a"), endpoint("b")], shares)).toEqual({
    zones: ["b", "a", "a", "b"],
  });
  expect(addHints([endpoint("a"), endpoint("b"), endpoint("a", { conditions: { ready: false } })], shares)).toEqual({
    zones: ["a", "b", undefined],
  });
});

test("hints are omitted with insufficient data", () => {
  expect(addHints([endpoint("a")], shares)).toEqual({
    problem: "Insufficient number of endpoints (1 endpoints, 2 zones)",
  });
  expect(addHints([endpoint("a"), endpoint("")], shares)).toEqual({
    problem: "One or more endpoints do not have a zone specified",
  });
  const three = new Map([
    ["a", 0.34],
    ["b", 0.33],
    ["c", 0.33],
  ]);
  const four = [endpoint("a"), endpoint("a"), endpoint("b"), endpoint("c")];
  expect(addHints(four, three)).toEqual({
    problem:
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)",
  });
});

function zoned(): TestCluster {
  // Upstream does not count the first node, which is a control plane node.
  const cluster = newCluster({ nodes: 3 });
  cluster.runUntilQuiet();
  ["a", "b"].forEach((zone, at) =>
    cluster.edit(nodes, "", `node-${at + 2}`, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, "topology.kubernetes.io/zone": zone };
    }),
  );
  for (const [at, nodeName] of ["node-2", "node-2", "node-3", "node-3"].entries()) {
    cluster.apply(pods, {
      metadata: { name: `web-${at}`, namespace: "default", labels: { app: "web" } },
      spec: { nodeName, containers: [{ name: "web", image: "nginx:1" }] },
    });
  }
  cluster.runUntilQuiet();
  return cluster;
}

test("topology mode Auto sets hints on a Service's slices, and removes them with the annotation", () => {
  const cluster = zoned();
  const service = cluster.apply(services, {
    metadata: { name: "web", namespace: "default", annotations: { "service.kubernetes.io/topology-mode": "Auto" } },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  cluster.runUntilQuiet();
  const zones = () =>
    cluster.client
      .list<EndpointSlice>(endpointSlices, { namespace: "default" })
      .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web")
      .flatMap(({ endpoints = [] }) => endpoints.map(({ hints }) => hints?.forZones?.[0]?.name ?? ""));
  expect(zones().toSorted()).toEqual(["a", "a", "b", "b"]);
  expect(cluster.eventsOf(service)).toEqual([
    "TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4",
  ]);
  cluster.edit(services, "default", "web", ({ metadata }) => {
    metadata.annotations = {};
  });
  cluster.runUntilQuiet();
  expect(zones()).toEqual(["", "", "", ""]);
  expect(cluster.eventsOf(service).at(-1)).toBe(
    "TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4",
  );
});
