// Injected faults of nodes, containers and registries, compared with what a real cluster does in the same situation.
import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { jobs } from "../../worker/kinds/batch/job/job.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newFaultyServer } from "./faulty-server.ts";
import { savedState } from "./state/saved.ts";

type Server = ReturnType<typeof newFaultyServer>;

const node = "node-2";
const minuteMs = 60_000;

/** Returns a cluster with a Deployment of three pods, one on each node, and a pod without a controller on the second node. */
function newWeb(): Server {
  const server = newFaultyServer({ zeroDelays: false });
  const labels = { app: "web" };
  const spread = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" } as const;
  server.cluster.apply(deployments, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "web", image: "nginx:1.27" }],
          topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels } }],
        },
      },
    },
  });
  server.settle();
  return server;
}

function runPod(server: Server, name: string, spec: Partial<Pod["spec"]> = {}): Pod {
  const containers = [{ name: "main", image: "nginx:1.27" }];
  return server.cluster.apply(pods, { metadata: { name, namespace: "default" }, spec: { containers, ...spec } });
}

const podOf = ({ cluster }: Server, name: string) => cluster.get(pods, "default", name);
const nodeOf = ({ cluster }: Server) => cluster.get(nodes, "", node);
const conditionOf = ({ status }: Node | Pod, name: string) => {
  const { status: value, reason, message } = (status.conditions ?? []).find(({ type }) => type === name) ?? {};
  return [value, reason, message].filter((text) => text !== undefined).join(" ");
};
const taintsOf = (server: Server) =>
  (nodeOf(server).spec.taints ?? [])
    .map(({ key, effect }) => `${key.slice("node.kubernetes.io/".length)}:${effect}`)
    .sort();
/** Lists the events about the second node that were recorded after the given number. A kubelet names its node as uid. */
const nodeEvents = ({ cluster }: Server, uid = node) =>
  cluster.eventsOf({ apiVersion: "v1", kind: "Node", metadata: { name: node, uid } });
const onNode = ({ cluster }: Server) =>
  cluster.client.byIndexValue(pods, node).filter(({ metadata }) => metadata.labels?.["app"] === "web");
const stateOf = ({ status }: Pod) => {
  const [container] = status.containerStatuses ?? [];
  const { reason = container?.state.running ? "Running" : "" } =
    container?.state.waiting ?? container?.state.terminated ?? {};
  return `${reason} ${container?.restartCount}`;
};

describe("a node whose container runtime is down", () => {
  test("is not ready, in the words of its kubelet, and keeps its pods for the time they tolerate", async () => {
    const server = newWeb();
    const before = nodeEvents(server).length;
    await server.set({ name: "down", selector: { name: node }, action: { node: "notReady" } });
    server.cluster.step(10_000);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("False KubeletNotReady container runtime is down");
    expect(
      nodeOf(server)
        .status.conditions?.map(({ type }) => type)
        .at(-1),
    ).toBe("Ready");
    expect(nodeEvents(server).slice(before)).toEqual(["NodeNotReady: Node node-2 status is now: NodeNotReady"]);
    expect(taintsOf(server)).toEqual(["not-ready:NoExecute", "not-ready:NoSchedule"]);
    server.cluster.step(280_000);
    // The kubelet still reports, so its pods keep their readiness. They are deleted after 300 seconds.
    expect(onNode(server).map((pod) => [conditionOf(pod, "Ready"), pod.metadata.deletionTimestamp])).toEqual([
      ["True", undefined],
    ]);
    server.cluster.step(60_000);
    // A runtime that does not respond ends no container, and runs none.
    expect(onNode(server).map(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([false]);
    expect(server.cluster.get(deployments, "default", "web").status.availableReplicas).toBe(3);
    runPod(server, "late", { nodeName: node, tolerations: [{ operator: "Exists" }] });
    server.cluster.step(minuteMs);
    expect(podOf(server, "late").status.phase).toBe("Pending");
    await server.calls.deleteFaults("down");
    server.cluster.step(minuteMs);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("True KubeletReady kubelet is posting ready status");
    expect(taintsOf(server)).toEqual([]);
    expect(nodeEvents(server).slice(before + 1)).toEqual(["NodeReady: Node node-2 status is now: NodeReady"]);
    expect([onNode(server).length, podOf(server, "late").status.phase]).toEqual([0, "Running"]);
  });
});

describe("a node that is partitioned", () => {
  test("is unknown after 50 seconds, its pods are not ready, and it comes back with the events of its conditions", async () => {
    const server = newWeb();
    await server.set({ name: "cut off", selector: { name: node }, action: { node: "partitioned" } });
    server.cluster.step(40_000);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("True KubeletReady kubelet is posting ready status");
    server.cluster.step(20_000);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("Unknown NodeStatusUnknown Kubelet stopped posting node status.");
    expect(taintsOf(server)).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
    const uid = nodeOf(server).metadata.uid ?? "";
    expect(nodeEvents(server, uid).at(-1)).toBe("NodeNotReady: Node node-2 status is now: NodeNotReady");
    expect(onNode(server).map((pod) => conditionOf(pod, "Ready"))).toEqual(["False"]);
    server.cluster.step(310_000);
    expect(onNode(server).map(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([false]);
    const before = nodeEvents(server).length;
    await server.calls.deleteFaults("cut off");
    server.cluster.step(minuteMs);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("True KubeletReady kubelet is posting ready status");
    expect([onNode(server), taintsOf(server)]).toEqual([[], []]);
    // The kubelet was not restarted.
    expect(
      nodeEvents(server)
        .slice(before)
        .map((line) => line.split(":")[0]),
    ).toEqual([...["NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID", "NodeReady"]]);
  });
});

describe("a node that is partitioned for a short time", () => {
  test("keeps its pods, which are ready again when its kubelet is heard", async () => {
    const server = newWeb();
    const [pod] = onNode(server);
    await server.set({ selector: { name: node }, action: { node: "partitioned" }, end: { after: "2m" } });
    server.cluster.step(minuteMs);
    expect(onNode(server).map((entry) => conditionOf(entry, "Ready"))).toEqual(["False"]);
    server.cluster.step(2 * minuteMs);
    expect(onNode(server).map((entry) => [entry.metadata.uid, conditionOf(entry, "Ready")])).toEqual([
      [pod?.metadata.uid, "True"],
    ]);
    expect(server.cluster.get(deployments, "default", "web").status.readyReplicas).toBe(3);
  });
});

describe("a node that is gone", () => {
  test("takes its pods with it, and is registered anew when the fault ends", async () => {
    const server = newWeb();
    const { uid } = nodeOf(server).metadata;
    await server.set({ name: "gone", selector: { name: node }, action: { node: "gone" } });
    server.cluster.step(5 * minuteMs);
    expect([server.cluster.client.get(nodes, "", node), onNode(server)]).toEqual([undefined, []]);
    expect(server.cluster.get(deployments, "default", "web").status.availableReplicas).toBe(3);
    await server.calls.deleteFaults("gone");
    server.cluster.step(minuteMs);
    expect(conditionOf(nodeOf(server), "Ready")).toBe("True KubeletReady kubelet is posting ready status");
    expect(nodeOf(server).metadata.uid).not.toBe(uid);
    runPod(server, "new", { nodeName: node });
    server.cluster.step(minuteMs);
    expect(podOf(server, "new").status.phase).toBe("Running");
  });
});

describe.each([
  {
    action: "memoryPressure",
    type: "MemoryPressure",
    taint: "memory-pressure:NoSchedule",
    begun: "True KubeletHasInsufficientMemory kubelet has insufficient memory available",
    ended: "False KubeletHasSufficientMemory kubelet has sufficient memory available",
    events: ["NodeHasInsufficientMemory", "EvictionThresholdMet: Attempting to reclaim memory"],
    over: "NodeHasSufficientMemory",
    message:
      /^The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container web was using \d+Ki, request is 0, has larger consumption of memory. $/,
  },
  {
    action: "diskPressure",
    type: "DiskPressure",
    taint: "disk-pressure:NoSchedule",
    begun: "True KubeletHasDiskPressure kubelet has disk pressure",
    ended: "False KubeletHasNoDiskPressure kubelet has no disk pressure",
    events: ["NodeHasDiskPressure", "EvictionThresholdMet: Attempting to reclaim ephemeral-storage"],
    over: "NodeHasNoDiskPressure",
    message:
      /^The node was low on resource: ephemeral-storage. Threshold quantity: 10737418240, available: 5Gi. Container web was using \d+Ki, request is 0, has larger consumption of ephemeral-storage. $/,
  },
] as const)("a node with $action", ({ action, type, taint, begun, ended, events, over, message }) => {
  test("is tainted, evicts one pod after the other, admits none, and recovers five minutes after the fault", async () => {
    const server = newWeb();
    const [victim] = onNode(server);
    await server.set({ name: "short", selector: { name: node }, action: { node: action } });
    server.cluster.step(15_000);
    expect(conditionOf(nodeOf(server), type)).toBe(begun);
    expect(taintsOf(server)).toEqual([taint]);
    expect(
      nodeEvents(server)
        .slice(-2)
        .map((line, at) => line.slice(0, events[at]?.length)),
    ).toEqual(events);
    const evicted = podOf(server, victim?.metadata.name ?? "");
    expect([evicted.status.phase, evicted.status.reason]).toEqual(["Failed", "Evicted"]);
    expect(evicted.status.message).toMatch(message);
    expect(conditionOf(evicted, "DisruptionTarget")).toContain("True TerminationByKubelet The node was low on");
    server.cluster.step(minuteMs);
    // Critical pods stay.
    const left = server.cluster.client.byIndexValue(pods, node).filter(({ status }) => status.phase === "Running");
    expect(left.every(({ spec }) => (spec.priority ?? 0) >= 2_000_000_000)).toBe(true);
    expect(left.length).toBeGreaterThan(0);
    expect(server.cluster.get(deployments, "default", "web").status.availableReplicas).toBe(3);
    runPod(server, "refused", { nodeName: node });
    server.cluster.step(minuteMs);
    expect(podOf(server, "refused").status).toMatchObject({ phase: "Failed", reason: "Evicted" });
    await server.calls.deleteFaults("short");
    server.cluster.step(4 * minuteMs);
    expect(conditionOf(nodeOf(server), type)).toBe(begun);
    server.cluster.step(2 * minuteMs);
    expect(conditionOf(nodeOf(server), type)).toBe(ended);
    expect(taintsOf(server)).toEqual([]);
    expect(nodeEvents(server).at(-1)).toBe(`${over}: Node node-2 status is now: ${over}`);
    expect(server.cluster.bugs).toEqual([]);
  });
});

describe("a container that is killed", () => {
  test.each([
    ["kill", "Error"],
    ["oom", "OOMKilled"],
  ] as const)("by %s ends with 137, is not ready, starts again at once, and then waits", async (container, reason) => {
    const server = newFaultyServer({ zeroDelays: false });
    runPod(server, "web");
    runPod(server, "other");
    server.cluster.step(10_000);
    const fault = { selector: { namespace: "default", name: "web" }, action: { container } };
    await server.set(fault);
    const { status } = podOf(server, "web");
    expect(status.containerStatuses?.[0]).toMatchObject({
      ready: false,
      state: { terminated: { reason, exitCode: 137 } },
    });
    expect(conditionOf(podOf(server, "web"), "Ready")).toBe(
      "False ContainersNotReady containers with unready status: [main]",
    );
    server.cluster.step(5_000);
    expect([stateOf(podOf(server, "web")), stateOf(podOf(server, "other"))]).toEqual(["Running 1", "Running 0"]);
    expect(podOf(server, "web").status.containerStatuses?.[0]?.lastState.terminated).toMatchObject({
      reason,
      exitCode: 137,
    });
    await server.set(fault);
    server.cluster.step(2_000);
    expect(stateOf(podOf(server, "web"))).toBe("CrashLoopBackOff 1");
    expect(server.cluster.eventsOf(podOf(server, "web")).at(-1)).toMatch(
      /^BackOff: Back-off restarting failed container main/,
    );
    server.cluster.step(10_000);
    expect(stateOf(podOf(server, "web"))).toBe("Running 2");
    expect(server.faults.injections()).toMatchObject([{ resource: "pods", namespace: "default", name: "web" }]);
  });

  test("ends a pod that is not restarted, whose Job makes another; a container that `of` does not name goes on", async () => {
    const server = newFaultyServer({ zeroDelays: false });
    const containers = ["main", "beside"].map((name) => ({ name, image: "busybox", command: ["sleep", "3600"] }));
    server.cluster.apply(jobs, {
      metadata: { name: "once", namespace: "default" },
      spec: { template: { spec: { restartPolicy: "Never", containers } } },
    });
    server.cluster.step(10_000);
    await server.set({ selector: { namespace: "default" }, action: { container: "kill", of: "main" } });
    server.cluster.step(2_000);
    const [pod] = server.cluster.client.list(pods, { namespace: "default" });
    const states = pod?.status.containerStatuses?.map(({ name, state }) => `${name} ${state.terminated?.exitCode}`);
    expect(states).toEqual(["beside undefined", "main 137"]);
    await server.set({ selector: { namespace: "default" }, action: { container: "oom" } });
    server.cluster.step(minuteMs);
    const phases = server.cluster.client.list(pods, { namespace: "default" }).map(({ status }) => status.phase);
    expect(phases.sort()).toEqual(["Failed", "Running"]);
  });

  test("a share of the pods is chosen by the seed", async () => {
    const server = newFaultyServer();
    for (let at = 0; at < 20; at++) runPod(server, `pod-${at}`);
    server.settle();
    await server.set({ selector: { namespace: "default", share: 0.5 }, action: { container: "kill" } });
    server.settle();
    const restarted = server.cluster.client
      .list(pods, { namespace: "default" })
      .filter(({ status }) => status.containerStatuses?.[0]?.restartCount === 1);
    expect(restarted.length).toBeGreaterThan(3);
    expect(restarted.length).toBeLessThan(17);
  });
});

describe("a fork of a cluster whose nodes have faults", () => {
  const minutes = (count: number) => count * minuteMs;

  test.each(["partitioned", "notReady", "memoryPressure"] as const)(
    "has no faults: the node that was %s recovers",
    async (action) => {
      const server = newWeb();
      await server.set({ selector: { name: node }, action: { node: action } });
      server.cluster.step(minutes(6));
      runPod(server, "waiting", { nodeName: node, tolerations: [{ operator: "Exists" }] });
      server.cluster.step(minuteMs);
      const fork = newFaultyServer({ zeroDelays: false, file: savedState(server.cluster, server.sql) });
      fork.cluster.step(minutes(6));
      expect(conditionOf(nodeOf(fork), "Ready")).toBe("True KubeletReady kubelet is posting ready status");
      expect([taintsOf(fork), nodeOf(fork).metadata.annotations?.["sandbar.dev/simulated"]]).toEqual([[], "true"]);
      if (action !== "memoryPressure") expect(podOf(fork, "waiting").status.phase).toBe("Running");
    },
  );
});

describe("a registry", () => {
  const url = "https://registry-1.docker.io/v2/library/nginx/manifests/1.27";
  const failed =
    'failed to pull and unpack image "docker.io/library/nginx:1.27": failed to resolve reference "docker.io/library/nginx:1.27":';

  test.each([
    ["timeout", `failed to do request: Head "${url}": net/http: TLS handshake timeout`],
    [
      "denied",
      "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed",
    ],
    ["tooManyRequests", `unexpected status from HEAD request to ${url}: 429 Too Many Requests`],
    ["unavailable", `unexpected status from HEAD request to ${url}: 503 Service Unavailable`],
  ] as const)("lets pulls fail with %s, and the kubelet retries until the fault ends", async (pull, error) => {
    const server = newFaultyServer({ zeroDelays: false });
    await server.set({ name: "hub", action: { pull, image: "nginx" } });
    runPod(server, "web");
    runPod(server, "other", { containers: [{ name: "main", image: "busybox", command: ["sleep", "9999"] }] as never });
    server.cluster.step(2_000);
    const waiting = () => podOf(server, "web").status.containerStatuses?.[0]?.state.waiting;
    expect(waiting()).toEqual({ reason: "ErrImagePull", message: `${failed} ${error}` });
    server.cluster.step(2_000);
    expect(waiting()).toEqual({
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "nginx:1.27": ErrImagePull: ${failed} ${error}`,
    });
    expect(server.cluster.eventsOf(podOf(server, "web")).slice(-5)).toEqual([
      'Pulling: Pulling image "nginx:1.27"',
      `Failed: Failed to pull image "nginx:1.27": ${failed} ${error}`,
      "Failed: Error: ErrImagePull",
      'BackOff: Back-off pulling image "nginx:1.27"',
      "Failed: Error: ImagePullBackOff",
    ]);
    server.cluster.step(40_000);
    expect(stateOf(podOf(server, "other"))).toBe("Running 0");
    // The attempts are after 10 and 20 more seconds; the next is 40 seconds later.
    expect(server.faults.injections().map(({ effect, name }) => `${name}: ${effect}`)).toEqual(
      Array.from({ length: 3 }, () => "web: the pull of nginx:1.27 fails"),
    );
    const endedMs = server.clock.nowMs();
    await server.calls.deleteFaults("hub");
    server.cluster.step(10_000);
    expect(stateOf(podOf(server, "web"))).toBe("ImagePullBackOff 0");
    server.cluster.step(minuteMs);
    expect(stateOf(podOf(server, "web"))).toBe("Running 0");
    const { startedAt } = podOf(server, "web").status.containerStatuses?.[0]?.state.running ?? {};
    expect(Date.parse(startedAt ?? "") - endedMs).toBeGreaterThan(10_000);
    expect(server.cluster.bugs).toEqual([]);
  });

  test("delays pulls that begin during the fault, also if it ends before them", async () => {
    const server = newFaultyServer({ zeroDelays: false });
    await server.set({ name: "slow", selector: { namespace: "default" }, action: { pullDelay: "2m" } });
    runPod(server, "web");
    server.cluster.step(minuteMs);
    await server.calls.deleteFaults("slow");
    server.cluster.step(50_000);
    expect(stateOf(podOf(server, "web"))).toBe("ContainerCreating 0");
    server.cluster.step(20_000);
    expect(stateOf(podOf(server, "web"))).toBe("Running 0");
    const pulled = server.cluster.eventsOf(podOf(server, "web")).find((line) => line.startsWith("Pulled"));
    expect(pulled).toMatch(/^Pulled: Successfully pulled image "nginx:1.27" in 2m1\.\d+s/);
    runPod(server, "quick", { nodeName: podOf(server, "web").spec.nodeName });
    server.cluster.step(5_000);
    expect(stateOf(podOf(server, "quick"))).toBe("Running 0");
  });

  test("is tried again at the next attempt after its faults are deleted, and `times` ends a fault after a number of pulls", async () => {
    const server = newFaultyServer({ zeroDelays: false });
    await server.set({ action: { pull: "timeout" } });
    runPod(server, "web");
    server.cluster.step(5_000);
    await server.calls.deleteFaults(undefined);
    server.cluster.step(4_000);
    expect(stateOf(podOf(server, "web"))).toBe("ImagePullBackOff 0");
    server.cluster.step(10_000);
    expect(stateOf(podOf(server, "web"))).toBe("Running 0");
    await server.set({ action: { pull: "timeout" }, end: { times: 1 } });
    runPod(server, "again", { containers: [{ name: "main", image: "redis:7" }] as never });
    server.cluster.step(30_000);
    expect([stateOf(podOf(server, "again")), server.faults.list(0).faults[0]?.state]).toEqual(["Running 0", "ended"]);
  });
});
