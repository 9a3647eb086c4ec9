// Pods that no kubelet will delete are deleted.
import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { oldestTerminated, podGcController } from "../../../worker/controllers/pod-gc.ts";
import { serviceAccountController } from "../../../worker/controllers/service-account/controller.ts";
import { nodes } from "../../../worker/kinds/core/node/node.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { aPod } from "../../scheduler/builders.ts";

function started(): TestCluster {
  const cluster = newCluster({ nodes: 0, controllers: [podGcController, serviceAccountController] });
  cluster.runUntilQuiet();
  cluster.apply(nodes, { metadata: { name: "n1" } });
  return cluster;
}

function running(cluster: TestCluster, name: string, nodeName = "n1", spec: Draft<Pod["spec"]> = {}): Pod {
  const containers = [{ name: "c", image: "nginx" }];
  const created = cluster.apply(pods, {
    metadata: { namespace: "default", name },
    spec: { containers, nodeName, ...spec },
  });
  return cluster.client.updateStatus(pods, { ...created, status: { phase: "Running" } });
}

function lastOf(cluster: TestCluster, pod: Pod): Pod {
  const last = cluster.changes.filter(
    ({ type, previous }) => type === "DELETED" && previous?.metadata.uid === pod.metadata.uid,
  );
  return last[0]?.previous as Pod;
}

describe("pods of a missing node", () => {
  test("are failed and deleted after the quarantine, with the reason", () => {
    const cluster = started();
    const pod = running(cluster, "p");
    cluster.client.delete(nodes, "", "n1");
    cluster.step(39_000);
    expect(cluster.get(pods, "default", "p").status.phase).toBe("Running");
    cluster.step(1_000);
    expect(cluster.client.get(pods, "default", "p")).toBeUndefined();
    const { status } = lastOf(cluster, pod);
    expect(status.phase).toBe("Failed");
    expect(status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    });
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("stay if the node is back in time", () => {
    const cluster = started();
    running(cluster, "p");
    cluster.client.delete(nodes, "", "n1");
    cluster.step(20_000);
    cluster.apply(nodes, { metadata: { name: "n1" } });
    cluster.step(120_000);
    expect(cluster.get(pods, "default", "p").status.phase).toBe("Running");
    cluster.client.delete(nodes, "", "n1");
    cluster.step(39_000);
    expect(cluster.client.get(pods, "default", "p")).toBeDefined();
    cluster.step(1_000);
    expect(cluster.client.get(pods, "default", "p")).toBeUndefined();
  });

  test("are deleted also if the node never existed", () => {
    const cluster = started();
    running(cluster, "p", "nowhere");
    cluster.runUntilQuiet();
    expect(cluster.client.get(pods, "default", "p")).toBeUndefined();
  });
});

describe("terminating pods without a kubelet", () => {
  test("are deleted by force without a node", () => {
    const cluster = started();
    const finalizers = ["example.com/hold"];
    const containers = [{ name: "c", image: "nginx" }];
    cluster.apply(pods, { metadata: { namespace: "default", name: "p", finalizers }, spec: { containers } });
    cluster.client.delete(pods, "default", "p");
    cluster.runUntilQuiet();
    const { metadata, status } = cluster.get(pods, "default", "p");
    expect(status.phase).toBe("Failed");
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
  });

  test("are deleted on a node with the out-of-service taint", () => {
    const cluster = started();
    running(cluster, "deleted");
    running(cluster, "kept");
    cluster.client.delete(pods, "default", "deleted");
    cluster.step(60_000);
    expect(cluster.client.get(pods, "default", "deleted")).toBeDefined();
    cluster.edit<Node>(nodes, "", "n1", (draft) => {
      draft.spec.taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    });
    cluster.runUntilQuiet();
    expect(cluster.client.get(pods, "default", "deleted")).toBeUndefined();
    expect(cluster.get(pods, "default", "kept").status.phase).toBe("Running");
  });
});

describe("terminated pods beyond the threshold", () => {
  const ended = (name: string, created: string, status: Pod["status"]) =>
    aPod(name, { status, metadata: { creationTimestamp: created } });

  test("are deleted: evicted ones first, then the oldest, then by name", () => {
    const all = [
      ended("young", "2026-01-03T00:00:00Z", { phase: "Succeeded" }),
      ended("b", "2026-01-01T00:00:00Z", { phase: "Failed" }),
      ended("a", "2026-01-01T00:00:00Z", { phase: "Succeeded" }),
      ended("evicted", "2026-01-04T00:00:00Z", { phase: "Failed", reason: "Evicted" }),
    ];
    expect(oldestTerminated(all, 3).map(({ metadata }) => metadata.name)).toEqual(["evicted", "a", "b"]);
    expect(oldestTerminated(all, -1)).toEqual([]);
  });
});
