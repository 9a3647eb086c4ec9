// The number of simulated nodes of a running cluster.
import { describe, expect, test } from "vitest";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { scaleSomeNodes } from "../../worker/cluster/bootstrap/scale-nodes.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { leases } from "../../worker/kinds/coordination/lease.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 6
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx }] }`;

function scale(cluster: TestCluster, count: number): number {
  let turns = 1;
  while (!scaleSomeNodes(cluster.client, count, cluster.clock.nowMs())) turns++;
  return turns;
}

const namesOf = ({ client }: TestCluster) =>
  client.list(nodes).map(({ metadata, status: { conditions = [] } }) => {
    const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
    return `${metadata.name} ${isReady ? "Ready" : "NotReady"}`;
  });

describe("nodes", () => {
  test("I13: new ones join with the next numbers, are ready, and have ranges and leases of their own", () => {
    const cluster = newCluster({ nodes: 2 });
    cluster.runUntilQuiet();
    scale(cluster, 4);
    cluster.runUntilQuiet();
    expect(namesOf(cluster)).toEqual(["node-1 Ready", "node-2 Ready", "node-3 Ready", "node-4 Ready"]);
    const ranges = cluster.client.list(nodes).map(({ spec }) => spec.podCIDR);
    expect(new Set(ranges).size).toBe(4);
    expect(cluster.client.get(leases, "kube-node-lease", "node-4")).toBeDefined();
  });

  test("I13: the nodes with the highest numbers are deleted, and their pods run on the others", () => {
    const cluster = newCluster({ nodes: 3 });
    cluster.runUntilQuiet();
    for (const _ of applyManifests(cluster.registry, deployment));
    cluster.runUntilQuiet();
    expect(new Set(cluster.client.list(pods, { namespace: "default" }).map(({ spec }) => spec.nodeName)).size).toBe(3);
    scale(cluster, 1);
    cluster.step(10 * 60_000);
    expect(namesOf(cluster)).toEqual(["node-1 Ready"]);
    const placed = cluster.client.list(pods, { namespace: "default" });
    expect(placed.map(({ spec, status }) => `${spec.nodeName} ${status.phase}`)).toEqual(
      Array.from({ length: 6 }, () => "node-1 Running"),
    );
    expect(cluster.client.get(leases, "kube-node-lease", "node-3")).toBeUndefined();
  });

  test("I13: the same number changes nothing, none is possible, and many take several turns", () => {
    const cluster = newCluster({ nodes: 2 });
    cluster.runUntilQuiet();
    expect([scale(cluster, 2), namesOf(cluster).length]).toEqual([1, 2]);
    expect([scale(cluster, 0), namesOf(cluster).length]).toEqual([1, 0]);
    expect([scale(cluster, 120), namesOf(cluster).length]).toEqual([3, 120]);
  });

  test("I13: a node that a user has made with the next name is left as it is", () => {
    const cluster = newCluster({ nodes: 1 });
    cluster.runUntilQuiet();
    cluster.client.create(nodes, { metadata: { name: "node-2" }, spec: {}, status: {} });
    scale(cluster, 2);
    expect(cluster.client.list(nodes).map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2", "node-3"]);
    scale(cluster, 1);
    expect(cluster.client.list(nodes).map(({ metadata }) => metadata.name)).toEqual(["node-1", "node-2"]);
  });
});
