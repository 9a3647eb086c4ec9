// Memory pressure of a node: conditions, evictions and recovery.
import { expect, test, describe } from "vitest";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { rankMemoryPressure } from "../../worker/kubelet/pressure/ranking.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";
import { podOf } from "./pod-run.ts";

interface Wanted {
  readonly memory?: string;
  readonly request?: string;
  readonly priorityClassName?: string;
  readonly nodeName?: string;
  readonly tolerations?: Pod["spec"]["tolerations"];
}

/** Creates a pod on the first node with the given memory usage. */
function use(cluster: TestCluster, name: string, podOptions: Wanted = {}, namespace = "default"): Pod {
  const { memory, request, ...spec } = podOptions;
  const annotations = memory === undefined ? {} : { "sandbar.dev/memory-usage": memory };
  const resources = request === undefined ? {} : { requests: { memory: request } };
  const containers = [{ name: "web", image: "nginx", resources }];
  return cluster.apply(pods, {
    metadata: { name, namespace, annotations },
    spec: { nodeName: "node-1", containers, ...spec },
  });
}

function newest(cluster: TestCluster, name: string, namespace = "default"): Pod {
  return cluster.get(pods, namespace, name);
}

function pressureOf(cluster: TestCluster) {
  const node = cluster.get(nodes, "", "node-1");
  const condition = node.status.conditions?.find(({ type }) => type === "MemoryPressure");
  return [condition?.status, condition?.reason, condition?.message];
}

function taintsOf({ spec }: Node) {
  return (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

/** Lists the events that the kubelet recorded about its node. The kubelet uses the name of the node as its uid. */
function nodeEvents(cluster: TestCluster): string[] {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "node-1" } };
  return cluster.eventsOf(node).filter((eventLine) => /Memory|Eviction/.test(eventLine));
}

const short = ["True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"];
const enough = ["False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"];

describe("N23: a node under memory pressure", () => {
  test("has the condition and the taint, and evicts a pod with upstream's messages", () => {
    const cluster = quietCluster({ base: "layered" });
    use(cluster, "small");
    use(cluster, "large", { memory: "7900Mi" });
    cluster.step(15_000);
    expect(pressureOf(cluster)).toEqual(short);
    expect(taintsOf(cluster.get(nodes, "", "node-1"))).toEqual(["node.kubernetes.io/memory-pressure:NoSchedule"]);
    expect(nodeEvents(cluster).slice(-2)).toEqual([
      "NodeHasInsufficientMemory: Node node-1 status is now: NodeHasInsufficientMemory",
      "EvictionThresholdMet: Attempting to reclaim memory",
    ]);
    const { status } = newest(cluster, "large");
    const message =
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0. Container web was using 7900Mi, request is 0, has larger consumption of memory. ";
    expect([status.phase, status.reason, status.message]).toEqual(["Failed", "Evicted", message]);
    expect(status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message,
    });
    expect(status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
    expect(cluster.eventsOf(newest(cluster, "large")).slice(-2)).toEqual([
      `Evicted: ${message}`,
      "Killing: Stopping container web",
    ]);
    expect(newest(cluster, "small").status.phase).toBe("Running");
  });

  test("loses the condition five minutes after memory is free, and then is idle", () => {
    const cluster = quietCluster({ base: "layered" });
    use(cluster, "large", { memory: "8Gi" });
    cluster.step(300_000);
    expect(pressureOf(cluster)).toEqual(short);
    cluster.step(15_000);
    expect(pressureOf(cluster)).toEqual(enough);
    expect(taintsOf(cluster.get(nodes, "", "node-1"))).toEqual([]);
    expect(nodeEvents(cluster).at(-1)).toBe(
      "NodeHasSufficientMemory: Node node-1 status is now: NodeHasSufficientMemory",
    );
    expect(cluster.runtime.pending().filter(({ controller }) => controller === "kubelet")).toEqual([]);
  });

  test("evicts pods above their request first, then by low priority, then by excess", () => {
    const cluster = quietCluster({ base: "layered" });
    use(cluster, "within", { memory: "1500Mi", request: "1500Mi" });
    use(cluster, "least", { memory: "1500Mi", request: "1400Mi" });
    use(cluster, "most", { memory: "1700Mi", request: "1100Mi" });
    use(cluster, "middle", { memory: "1600Mi", request: "1200Mi" });
    cluster.step(60_000);
    expect(pressureOf(cluster)).toEqual(enough);
    use(cluster, "needed", { memory: "5600Mi", priorityClassName: "system-node-critical" }, "kube-system");
    cluster.step(60_000);
    const ended = cluster.changes.flatMap((change) => {
      if (change.resource !== "pods") return [];
      const [object, previous] = [change.object as Pod, change.previous as Pod | undefined];
      const isEnd = object.status.reason === "Evicted" && previous?.status.reason !== "Evicted";
      return isEnd ? [object.metadata.name] : [];
    });
    expect(ended).toEqual(["most", "middle", "least"]);
    expect(newest(cluster, "within").status.phase).toBe("Running");
    expect(newest(cluster, "needed", "kube-system").status.phase).toBe("Running");
  });

  test("does not evict critical system pods, for any duration", () => {
    const cluster = quietCluster({ base: "layered" });
    use(cluster, "needed", { memory: "9Gi", priorityClassName: "system-node-critical" }, "kube-system");
    cluster.step(900_000);
    expect(newest(cluster, "needed", "kube-system").status.phase).toBe("Running");
    expect(pressureOf(cluster)).toEqual(short);
    expect(nodeEvents(cluster).filter((nodeEvent) => nodeEvent.startsWith("EvictionThresholdMet"))).toHaveLength(1);
    cluster.client.delete(pods, "kube-system", "needed");
    cluster.step(400_000);
    expect(pressureOf(cluster)).toEqual(enough);
  });

  test("accepts only pods that request memory or tolerate the taint", () => {
    const cluster = quietCluster({ base: "layered" });
    use(cluster, "large", { memory: "8Gi" });
    cluster.step(15_000);
    use(cluster, "plain");
    use(cluster, "asking", { request: "10Mi" });
    const key = "node.kubernetes.io/memory-pressure";
    use(cluster, "bearing", { tolerations: [{ key, operator: "Exists" as const }] });
    cluster.step(5_000);
    const { phase, reason, message } = newest(cluster, "plain").status;
    expect([phase, reason, message]).toEqual([
      "Failed",
      "Evicted",
      "Pod was rejected: The node had condition: [MemoryPressure]. ",
    ]);
    expect(newest(cluster, "asking").status.phase).toBe("Running");
    expect(newest(cluster, "bearing").status.phase).toBe("Running");
  });

  test("notices changed usage annotations of running pods and of their controllers", () => {
    const cluster = quietCluster({ base: "layered" });
    const labels = { app: "web" };
    cluster.apply(deployments, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { "kubernetes.io/hostname": "node-1" },
            containers: [{ name: "web", image: "nginx" }],
          },
        },
      },
    });
    use(cluster, "alone");
    cluster.step(60_000);
    expect(pressureOf(cluster)).toEqual(enough);
    cluster.edit(pods, "default", "alone", ({ metadata }) => {
      metadata.annotations = { "sandbar.dev/memory-usage": "4Gi" };
    });
    cluster.step(60_000);
    expect(pressureOf(cluster)).toEqual(enough);
    cluster.edit(deployments, "default", "web", ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, "sandbar.dev/memory-usage": "5Gi" };
    });
    cluster.step(15_000);
    expect(pressureOf(cluster)).toEqual(short);
    expect(newest(cluster, "alone").status.phase).toBe("Running");
  });

  test("measures the memory of `stress`, and not of programs that end before the measurement", () => {
    const cluster = quietCluster({ base: "layered" });
    const args = ["--vm", "1", "--vm-bytes", "7900M", "--vm-hang", "1"];
    const strained = (name: string, more: readonly string[]) =>
      cluster.apply(pods, {
        metadata: { name, namespace: "default" },
        spec: {
          nodeName: "node-1",
          restartPolicy: "Never" as const,
          containers: [{ name: "c", image: "polinux/stress", command: ["stress"], args: [...args, ...more] }],
        },
      });
    strained("brief", ["--timeout", "1"]);
    cluster.step(30_000);
    expect(pressureOf(cluster)).toEqual(enough);
    strained("lasting", []);
    cluster.step(30_000);
    expect(newest(cluster, "lasting").status.reason).toBe("Evicted");
  });
});

test("N23: a cluster with little memory use measures nothing and has nothing due", () => {
  const cluster = quietCluster({ base: "layered" });
  for (let at = 0; at < 30; at++) use(cluster, `small-${at}`);
  cluster.runUntilQuiet();
  expect(cluster.runtime.nextDueMs()).toBeUndefined();
});

test("N23: pods above their request are evicted first, then by low priority, then by excess over the request", () => {
  const used = (name: string, bytes: bigint, requestBytes: bigint, priority: number) => ({
    pod: podOf({ priority }, { name }),
    containers: [],
    bytes,
    requestBytes,
  });
  const all = [
    used("within, far", 1n, 9n, 0),
    used("within, near", 8n, 9n, 0),
    used("beyond, dear", 20n, 1n, 100),
    used("beyond, near", 3n, 2n, 0),
    used("beyond, far", 9n, 2n, 0),
    used("within, dear", 9n, 9n, 100),
  ];
  expect(rankMemoryPressure(all).map(({ pod }) => pod.metadata.name)).toEqual([
    "beyond, far",
    "beyond, near",
    "beyond, dear",
    "within, near",
    "within, far",
    "within, dear",
  ]);
});
