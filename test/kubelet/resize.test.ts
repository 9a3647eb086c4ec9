// Admission of pods by a node, resources that change in place, and ephemeral containers.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { newCluster, type TestCluster } from "../cluster.ts";
import { container, podOf, type PodRun, runPod, steady } from "./pod-run.ts";

function cluster(): { readonly cluster: TestCluster; readonly node: string } {
  const newTestCluster = newCluster({ nodes: 1 });
  newTestCluster.runUntilQuiet();
  return { cluster: newTestCluster, node: newTestCluster.client.list(nodes)[0]?.metadata.name ?? "" };
}

function bound(target: TestCluster, name: string, spec: object, metadata: object = {}): Pod {
  const containers = [{ name: "web", image: "nginx:1.27" }];
  target.apply(pods, { metadata: { name, namespace: "default", ...metadata }, spec: { containers, ...spec } });
  target.step(0);
  return target.get(pods, "default", name);
}

const asking = (cpu: string) => [{ name: "web", image: "nginx:1.27", resources: { requests: { cpu } } }];

describe("a pod with spec.nodeName set by hand", () => {
  test("is refused without free resources: OutOfcpu, with requested, used and capacity", () => {
    const { cluster: testCluster, node } = cluster();
    const first = bound(testCluster, "first", { nodeName: node, containers: asking("3") });
    expect(first.status.phase).toBe("Running");
    const pod = bound(testCluster, "second", { nodeName: node, containers: asking("1500m") });
    const message = /^Node didn't have enough resource: cpu, requested: 1500, used: 3\d\d\d, capacity: 4000$/;
    expect(pod.status).toMatchObject({ phase: "Failed", reason: "OutOfcpu" });
    expect(pod.status.message?.replace("Pod was rejected: ", "")).toMatch(message);
    expect(pod.status.containerStatuses).toBeUndefined();
    expect(testCluster.eventsOf(pod)[0]?.replace("OutOfcpu: ", "")).toMatch(message);
  });

  test("is refused if node selector or host port do not fit", () => {
    const { cluster: testCluster, node } = cluster();
    const picky = bound(testCluster, "picky", { nodeName: node, nodeSelector: { disk: "ssd" } });
    expect(picky.status).toMatchObject({
      phase: "Failed",
      reason: "NodeAffinity",
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
    const ports = [{ name: "web", image: "nginx:1.27", ports: [{ containerPort: 80, hostPort: 80 }] }];
    expect(bound(testCluster, "port-1", { nodeName: node, containers: ports }).status.phase).toBe("Running");
    expect(bound(testCluster, "port-2", { nodeName: node, containers: ports }).status).toMatchObject({
      reason: "NodePorts",
      message:
        "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    });
  });
});

function resized(run: PodRun, requests: Record<string, string>): void {
  const { metadata, spec } = run.pod;
  const containers = spec.containers.map((container) => ({ ...container, resources: { requests } }));
  run.pod = {
    ...run.pod,
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
    spec: { ...spec, containers },
  };
}

describe("resources that change in place", () => {
  const small = container("nginx", { resources: { requests: { cpu: "100m" } } });
  const status = (run: PodRun) => run.pod.status.containerStatuses?.[0];
  const resizing = (run: PodRun) =>
    run.pod.status.conditions?.filter((condition) => condition.type.startsWith("PodResize"));

  test("are allocated first, then actuated: PodResizeInProgress, ResizeStarted, ResizeCompleted", () => {
    const run = runPod(podOf({ containers: [small] }), steady);
    run.pass(5);
    resized(run, { cpu: "200m" });
    run.pass(0);
    expect(status(run)).toMatchObject({
      allocatedResources: { cpu: "200m" },
      resources: { requests: { cpu: "100m" } },
    });
    expect(resizing(run)).toMatchObject([{ type: "PodResizeInProgress", status: "True", observedGeneration: 2 }]);
    run.pass(1);
    expect(status(run)).toMatchObject({ resources: { requests: { cpu: "200m" } }, restartCount: 0 });
    expect(resizing(run)).toEqual([]);
    const summary = '{"containers":[{"name":"web","resources":{"requests":{"cpu":"200m"}}}],"generation":2}';
    expect(run.events.slice(-2)).toEqual([
      `+5 ResizeStarted: Pod resize started: ${summary}`,
      `+5.2 ResizeCompleted: Pod resize completed: ${summary}`,
    ]);
  });

  test("restart the container if the resource's policy requires it", () => {
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" as const }];
    const run = runPod(podOf({ containers: [{ ...small, resizePolicy }] }), zeroDelays);
    run.pass(5);
    resized(run, { cpu: "200m" });
    run.pass(1);
    expect(run.events).toContain("+5 Killing: Container web resize requires restart");
    expect(status(run)).toMatchObject({ restartCount: 1, ready: true, resources: { requests: { cpu: "200m" } } });
  });

  test("are deferred without room: PodResizePending has the reason, and the resize continues when a pod is deleted", () => {
    const { cluster: testCluster, node } = cluster();
    bound(testCluster, "big", { nodeName: node, containers: asking("3") });
    bound(testCluster, "small", { nodeName: node, containers: asking("100m") });
    testCluster.client.updateSubresource(pods, "resize", {
      ...testCluster.get(pods, "default", "small"),
      spec: { ...testCluster.get(pods, "default", "small").spec, containers: asking("2") },
    });
    testCluster.step(0);
    const waiting = testCluster.get(pods, "default", "small");
    const condition = waiting.status.conditions?.find((condition) => condition.type === "PodResizePending");
    expect(condition).toMatchObject({
      status: "True",
      reason: "Deferred",
      observedGeneration: waiting.metadata.generation,
    });
    expect(condition?.message).toContain("Node didn't have enough resource: cpu, requested: 2000");
    expect(waiting.status.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: "100m" });
    testCluster.client.delete(pods, "default", "big", { gracePeriodSeconds: 0 });
    testCluster.step(0);
    const done = testCluster.get(pods, "default", "small");
    expect(done.status.conditions?.some((condition) => condition.type.startsWith("PodResize"))).toBe(false);
    expect(done.status.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: "2" });
  });
});

test("an ephemeral container is started beside the others and changes nothing else of the pod", () => {
  const run = runPod(podOf({ containers: [container("nginx")] }), zeroDelays);
  run.pass(5);
  const debug = { name: "debugger", image: "busybox", imagePullPolicy: "IfNotPresent", resources: {} } as const;
  const { metadata, spec } = run.pod;
  run.pod = {
    ...run.pod,
    metadata: { ...metadata, generation: 2 },
    spec: {
      ...spec,
      ephemeralContainers: [
        { ...debug, stdin: true, tty: true },
        { ...debug, name: "once", command: ["false"] },
      ],
    },
  };
  run.pass(60);
  expect(run.events.slice(-7).map((event) => event.slice(0, 40))).toContain("+5 Started: Container started");
  expect(run.pod.status.ephemeralContainerStatuses).toMatchObject([
    { name: "debugger", state: { running: { startedAt: "2026-01-01T00:00:05Z" } }, restartCount: 0 },
    { name: "once", state: { terminated: { exitCode: 1, reason: "Error" } }, restartCount: 0 },
  ]);
  expect(run.pod.status.phase).toBe("Running");
  expect(run.pod.status.conditions?.find((condition) => condition.type === "Ready")?.status).toBe("True");
  run.remove(3);
  run.pass(3);
  expect(run.finished).toBe(true);
});
