// The scheduler's snapshot is correct for changes in any order.
import { describe, expect, test } from "vitest";
import { parseSelector } from "../../shared/k8s/selectors/labels.ts";
import { podRequests } from "../../worker/scheduler/resources.ts";
import { aContainer, aNode, aPod, onNode, pictureOf } from "./builders.ts";

describe("the sums of a node", () => {
  test("follow adding, applying twice, ending and removing pods", () => {
    const snapshot = pictureOf([aNode("n1")]);
    const pod = onNode("n1", aPod("p", { requests: { cpu: "500m", memory: "1Gi", "example.com/gpu": "1" } }));
    snapshot.setPod(pod);
    snapshot.setPod(pod);
    const node = snapshot.node("n1");
    expect(node?.requested).toMatchObject({ milliCpu: 500, memory: 2 ** 30 });
    expect(node?.requested.scalars.get("example.com/gpu")).toBe(1);
    expect(node?.pods.size).toBe(1);
    snapshot.setPod({ ...pod, status: { phase: "Succeeded" } });
    expect(node?.requested).toMatchObject({ milliCpu: 0, memory: 0 });
    snapshot.removePod(pod.metadata.uid ?? "");
    expect(node?.pods.size).toBe(0);
    expect(node?.nonZeroRequested).toEqual({ milliCpu: 0, memory: 0 });
  });

  test("ignore an older state of a pod", () => {
    const snapshot = pictureOf([aNode("n1")]);
    const pod = onNode("n1", aPod("p"));
    const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: "900", labels: { app: "web" } } };
    snapshot.setPod(later);
    snapshot.setPod(pod);
    expect(snapshot.matches("default", parseSelector("app=web")).get(nodeOf(snapshot, "n1"))).toBe(1);
  });

  test("include pods of a node that was deleted and added again", () => {
    const snapshot = pictureOf([aNode("n1"), aNode("n2")], [onNode("n1", aPod("p"))]);
    snapshot.removeNode("n1");
    expect(snapshot.nodeInfoList.map(({ name }) => name)).toEqual(["n2"]);
    snapshot.setNode(aNode("n1"));
    expect(snapshot.node("n1")?.pods.size).toBe(1);
    expect(snapshot.nodeInfoList).toHaveLength(2);
  });

  test("count matches of a selector as pods are created, changed and deleted", () => {
    const snapshot = pictureOf([aNode("n1")], [onNode("n1", aPod("a", { labels: { app: "web" } }))]);
    const selector = parseSelector("app=web");
    const count = () => snapshot.matches("default", selector).get(nodeOf(snapshot, "n1")) ?? 0;
    expect(count()).toBe(1);
    const second = onNode("n1", aPod("b", { labels: { app: "web" } }));
    snapshot.setPod(second);
    snapshot.setPod(onNode("n1", aPod("c", { labels: { app: "web" }, namespace: "other" })));
    expect(count()).toBe(2);
    const metadata = { ...second.metadata, resourceVersion: "950", deletionTimestamp: "2026-01-01T00:00:00Z" };
    snapshot.setPod({ ...second, metadata });
    expect(count()).toBe(1);
  });

  test("nodes are visited zone by zone in turn", () => {
    const zone = (name: string) => ({ labels: { "topology.kubernetes.io/zone": name } });
    const nodes = [aNode("a1", zone("a")), aNode("a2", zone("a")), aNode("b1", zone("b")), aNode("a3", zone("a"))];
    expect(pictureOf(nodes).nodeInfoList.map(({ name }) => name)).toEqual(["a1", "b1", "a2", "a3"]);
  });
});

describe("the requests of a pod", () => {
  const requestsOf = (spec: Parameters<typeof aPod>[1]) => podRequests(aPod("p", spec)).requests;

  test("are the sums of containers plus overhead", () => {
    const containers = [aContainer({ cpu: "100m" }), aContainer({ cpu: "250m", memory: "1Mi" })];
    expect(requestsOf({ spec: { containers, overhead: { cpu: "50m" } } })).toMatchObject({
      milliCpu: 400,
      memory: 2 ** 20,
    });
  });

  test("include the largest init container if it exceeds the sum of containers", () => {
    const containers = [aContainer({ cpu: "100m" })];
    const initContainers = [aContainer({ cpu: "300m" }), aContainer({ cpu: "200m" })];
    expect(requestsOf({ spec: { containers, initContainers } }).milliCpu).toBe(300);
  });

  test("include a sidecar beside the containers and the later init containers", () => {
    const containers = [aContainer({ cpu: "100m" })];
    const sidecar = aContainer({ cpu: "200m" }, { restartPolicy: "Always" });
    expect(requestsOf({ spec: { containers, initContainers: [sidecar] } }).milliCpu).toBe(300);
    const large = aContainer({ cpu: "400m" });
    expect(requestsOf({ spec: { containers, initContainers: [sidecar, large] } }).milliCpu).toBe(600);
    expect(requestsOf({ spec: { containers, initContainers: [large, sidecar] } }).milliCpu).toBe(400);
  });

  test("are replaced by pod-level requests", () => {
    const containers = [aContainer({ cpu: "100m", memory: "1Mi" })];
    const resources = { requests: { cpu: "2" } };
    expect(requestsOf({ spec: { containers, resources } })).toMatchObject({ milliCpu: 2000, memory: 2 ** 20 });
  });

  test("are assumed in scores for containers without requests", () => {
    const pod = aPod("p", { spec: { containers: [aContainer(), aContainer({ cpu: "10m" })] } });
    expect(podRequests(pod).nonZeroRequests).toEqual({ milliCpu: 110, memory: 400 * 2 ** 20 });
  });
});

function nodeOf(snapshot: ReturnType<typeof pictureOf>, name: string) {
  const node = snapshot.node(name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}
