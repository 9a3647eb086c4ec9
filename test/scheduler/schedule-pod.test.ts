// The selected nodes of pods, and the messages if there is none.
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import type {
  Node,
  NodeSelectorRequirement,
  Pod,
  PreferredSchedulingTerm,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from "../../shared/k8s/api/core-v1.ts";
import { TooMuchWork, WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { parseSelector } from "../../shared/k8s/selectors/labels.ts";
import type { Cycle } from "../../worker/scheduler/framework.ts";
import { plugins } from "../../worker/scheduler/plugins/catalogue.ts";
import { numFeasibleNodesToFind, schedulePod } from "../../worker/scheduler/schedule-pod.ts";
import type { Snapshot } from "../../worker/scheduler/snapshot.ts";
import { type PodOptions, aContainer, aNode, aPod, attempt, onNode, pictureOf } from "./builders.ts";

const random = seededRandom(1);

function place(pod: Pod, snapshot: Snapshot, more: Partial<Cycle> = {}): string {
  const outcome = schedulePod(attempt(pod, snapshot, more), plugins, random, 0);
  return "node" in outcome ? outcome.node : outcome.failure;
}

const three: readonly Node[] = [aNode("n1"), aNode("n2"), aNode("n3")];
const preemption = "no new claims to deallocate, preemption:";
const noVictims = "No preemption victims found for incoming pod";
const noHelp = "Preemption is not helpful for scheduling";

describe("the message of an unschedulable pod", () => {
  test("reports a cluster without nodes", () => {
    expect(place(aPod("p"), pictureOf([]))).toBe("no nodes available to schedule pods");
  });

  test("counts insufficient CPU and memory, which preemption might help", () => {
    const used = three.map(({ metadata: { name = "" } }) =>
      onNode(name, aPod(`on-${name}`, { requests: { cpu: "3500m", memory: name === "n1" ? "7Gi" : "1Gi" } })),
    );
    expect(place(aPod("p", { requests: { cpu: "1", memory: "2Gi" } }), pictureOf(three, used))).toBe(
      `0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu. ${preemption} 0/3 nodes are available: 3 ${noVictims}.`,
    );
  });

  test("reports requests beyond a node's capacity, which preemption cannot help", () => {
    expect(place(aPod("p", { requests: { cpu: "64" } }), pictureOf(three))).toBe(
      `0/3 nodes are available: 3 Insufficient cpu. ${preemption} 0/3 nodes are available: 3 ${noHelp}.`,
    );
  });

  test("lists taints, cordons, selectors and shortage, sorted as text", () => {
    const nodes = [
      aNode("n1", { taints: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] }),
      aNode("n2", { unschedulable: true }),
      aNode("n3"),
      aNode("n4", { labels: { disk: "ssd" } }),
    ];
    const full = onNode("n4", aPod("full", { requests: { cpu: "4" } }));
    const pod = aPod("p", { requests: { cpu: "1" }, spec: { nodeSelector: { disk: "ssd" } } });
    expect(place(pod, pictureOf(nodes, [full]))).toBe(
      `0/4 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${preemption} 0/4 nodes are available: 1 ${noVictims}, 3 ${noHelp}.`,
    );
  });

  test("reports too many pods, and insufficient extended resources and ephemeral storage", () => {
    const node = aNode("n1", { allocatable: { pods: "1", "example.com/gpu": "2", "ephemeral-storage": "1Gi" } });
    const otherPod = onNode("n1", aPod("o", { requests: { "example.com/gpu": "1", "ephemeral-storage": "1Gi" } }));
    const pod = aPod("p", { requests: { "example.com/gpu": "2", "ephemeral-storage": "1Mi" } });
    expect(place(pod, pictureOf([node], [otherPod]))).toBe(
      `0/1 nodes are available: 1 Insufficient ephemeral-storage, 1 Insufficient example.com/gpu, 1 Too many pods. ${preemption} 0/1 nodes are available: 1 ${noVictims}.`,
    );
  });

  test("mentions a pod that never preempts", () => {
    expect(place(aPod("p", { requests: { cpu: "64" }, spec: { preemptionPolicy: "Never" } }), pictureOf(three))).toBe(
      `0/3 nodes are available: 3 Insufficient cpu. ${preemption} not eligible due to preemptionPolicy=Never.`,
    );
  });

  test("counts nodes that the pod's field affinity excludes by plugin", () => {
    const spec: PodOptions["spec"] = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }],
          },
        },
      },
    };
    expect(place(aPod("p", { spec }), pictureOf(three))).toBe("n2");
    expect(place(aPod("p", { spec, requests: { cpu: "5" } }), pictureOf(three))).toBe(
      `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${preemption} 0/3 nodes are available: 3 ${noHelp}.`,
    );
  });

  test("excludes all nodes at once for terms that together match no node name", () => {
    const matchFields = ["n1", "n2"].map(
      (name): NodeSelectorRequirement => ({ key: "metadata.name", operator: "In", values: [name] }),
    );
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const spec: PodOptions["spec"] = {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    };
    expect(place(aPod("p", { spec }), pictureOf(three))).toBe(
      "0/3 nodes are available: pod affinity terms conflict. not found",
    );
  });
});

describe("filters of nodes", () => {
  test("pass a tolerated taint and a tolerated cordon", () => {
    const taint: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };
    const nodes = [aNode("n1", { taints: [taint], unschedulable: true })];
    const tolerations: Toleration[] = [
      { key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule" },
      { key: "node.kubernetes.io/unschedulable", operator: "Exists" },
    ];
    expect(place(aPod("p", { spec: { tolerations } }), pictureOf(nodes))).toBe("n1");
    const wrong: Toleration[] = [
      { key: "dedicated", operator: "Equal", value: "cpu", effect: "NoSchedule" },
      ...tolerations.slice(1),
    ];
    expect(place(aPod("p", { spec: { tolerations: wrong } }), pictureOf(nodes))).toContain("untolerated taint(s)");
  });

  test("allow a host port once on a node, by address and protocol", () => {
    const withPort = (name: string, port: object) =>
      aPod(name, { spec: { containers: [aContainer({}, { ports: [{ containerPort: 80, ...port }] })] } });
    const snapshot = pictureOf([aNode("n1")], [onNode("n1", withPort("a", { hostPort: 80, hostIP: "10.0.0.1" }))]);
    expect(place(withPort("b", { hostPort: 80 }), snapshot)).toContain(
      "1 node(s) didn't have free ports for the requested pod ports.",
    );
    expect(place(withPort("c", { hostPort: 80, hostIP: "10.0.0.2" }), snapshot)).toBe("n1");
    expect(place(withPort("d", { hostPort: 80, protocol: "UDP" }), snapshot)).toBe("n1");
    expect(place(withPort("e", { hostPort: 81 }), snapshot)).toBe("n1");
  });

  test("exclude a domain with too many pods by a spread constraint, and nodes without the label", () => {
    const nodes = [aNode("n1", { labels: { zone: "a" } }), aNode("n2", { labels: { zone: "b" } }), aNode("n3")];
    const labels = { app: "web" };
    const constraint: TopologySpreadConstraint = {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: labels },
    };
    const spec: PodOptions["spec"] = { topologySpreadConstraints: [constraint] };
    const existingPod = onNode("n1", aPod("one", { labels }));
    expect(place(aPod("two", { labels, spec }), pictureOf(nodes, [existingPod]))).toBe("n2");
    const cordoned = [nodes[0], aNode("n2", { labels: { zone: "b" }, unschedulable: true }), nodes[2]].flatMap(
      (podOrNone) => podOrNone ?? [],
    );
    expect(place(aPod("two", { labels, spec }), pictureOf(cordoned, [existingPod]))).toBe(
      `0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) were unschedulable. ${preemption} 0/3 nodes are available: 1 ${noVictims}, 2 ${noHelp}.`,
    );
  });

  test("apply anti-affinity in both directions", () => {
    const labels = { app: "db" };
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } };
    const spec: PodOptions["spec"] = {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    };
    const placed = ["n1", "n2"].map((name) => onNode(name, aPod(`db-${name}`, { labels, spec })));
    expect(place(aPod("db", { labels, spec }), pictureOf(three, placed))).toBe("n3");
    expect(place(aPod("plain", { labels }), pictureOf(three, placed))).toBe("n3");
    const full = [...placed, onNode("n3", aPod("db-n3", { labels, spec }))];
    expect(place(aPod("db", { labels, spec }), pictureOf(three, full))).toContain(
      "3 node(s) didn't match pod anti-affinity rules.",
    );
    expect(place(aPod("plain", { labels }), pictureOf(three, full))).toContain(
      "3 node(s) didn't satisfy existing pods anti-affinity rules.",
    );
  });

  test("require features that a pod needs", () => {
    const nodes = [aNode("n1"), aNode("n2", { declaredFeatures: ["UserNamespacesHostNetworkSupport"] })];
    const spec: PodOptions["spec"] = { hostNetwork: true, hostUsers: false };
    expect(place(aPod("p", { spec }), pictureOf(nodes))).toBe("n2");
    expect(place(aPod("p", { spec }), pictureOf(nodes.slice(0, 1)))).toContain(
      "1 node(s) didn't match Pod's required features.",
    );
  });

  test("count the larger of a resized pod's requested and actual resources", () => {
    const status: Pod["status"] = {
      phase: "Running",
      containerStatuses: [
        {
          ...{ name: "c", image: "", imageID: "", ready: true, restartCount: 0, state: {}, lastState: {} },
          allocatedResources: { cpu: "3" },
          resources: { requests: { cpu: "3" } },
        },
      ],
    };
    const shrunk = aPod("shrinking", { requests: { cpu: "1" }, status });
    const resizedPod = { ...shrunk, spec: { ...shrunk.spec, nodeName: "n1" } };
    expect(place(aPod("p", { requests: { cpu: "2" } }), pictureOf([aNode("n1")], [resizedPod]))).toContain(
      "Insufficient cpu",
    );
  });

  test("select nodes of matching pods by affinity, and any node for the first of a group", () => {
    const labels = { app: "web" };
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } };
    const spec: PodOptions["spec"] = {
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    };
    expect(place(aPod("first", { labels, spec }), pictureOf(three))).toMatch(/^n[123]$/);
    expect(place(aPod("second", { labels, spec }), pictureOf(three, [onNode("n2", aPod("first", { labels }))]))).toBe(
      "n2",
    );
    expect(place(aPod("stranger", { spec }), pictureOf(three))).toContain("3 node(s) didn't match pod affinity rules.");
  });
});

describe("scores of feasible nodes", () => {
  test("prefer the least used node, with assumed requests of pods without requests", () => {
    const used = [onNode("n1", aPod("a")), onNode("n3", aPod("b"))];
    expect(place(aPod("p"), pictureOf(three, used))).toBe("n2");
  });

  test("are lowered by a PreferNoSchedule taint", () => {
    const taint: Taint = { key: "k", effect: "PreferNoSchedule" };
    const nodes = [aNode("n1", { taints: [taint] }), aNode("n2"), aNode("n3", { taints: [taint] })];
    expect(place(aPod("p"), pictureOf(nodes))).toBe("n2");
  });

  test("count preferred node affinity by weight", () => {
    const prefer = (value: string, weight: number): PreferredSchedulingTerm => ({
      weight,
      preference: { matchExpressions: [{ key: "disk", operator: "In", values: [value] }] },
    });
    const preferred = [prefer("hdd", 10), prefer("ssd", 90)];
    const spec: PodOptions["spec"] = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    };
    const nodes = [aNode("n1", { labels: { disk: "hdd" } }), aNode("n2", { labels: { disk: "ssd" } }), aNode("n3")];
    expect(place(aPod("p", { spec }), pictureOf(nodes))).toBe("n2");
  });

  test("spread similar pods over nodes by default", () => {
    const labels = { app: "web" };
    const defaultSelector = parseSelector("app=web");
    // n3 is busier, but has none of them.
    const existingPods = [
      onNode("n1", aPod("web-1", { labels })),
      onNode("n2", aPod("web-2", { labels })),
      onNode("n3", aPod("other", { requests: { cpu: "500m", memory: "1Gi" } })),
    ];
    expect(place(aPod("web-3", { labels }), pictureOf(three, existingPods), { defaultSelector })).toBe("n3");
  });

  test("are raised by preferred affinity to pods, and lowered by anti-affinity", () => {
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "cache" } } };
    const preferred = [{ weight: 100, podAffinityTerm: term }];
    const near: PodOptions["spec"] = {
      affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    };
    const far: PodOptions["spec"] = {
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    };
    const cache = onNode("n2", aPod("cache", { labels: { app: "cache" } }));
    expect(place(aPod("p", { spec: near }), pictureOf(three, [cache]))).toBe("n2");
    expect(place(aPod("p", { spec: far }), pictureOf(three.slice(1), [cache]))).toBe("n3");
  });

  test("are raised by an existing image", () => {
    const images = [{ names: ["big:latest"], sizeBytes: 2_000_000_000 }];
    const nodes = [aNode("n1"), aNode("n2", { images }), aNode("n3")];
    const spec: PodOptions["spec"] = { containers: [aContainer({}, { image: "big" })] };
    expect(place(aPod("p", { spec }), pictureOf(nodes))).toBe("n2");
  });

  test("break ties only by the seed", () => {
    const chosen = (seed: number) => {
      const outcome = schedulePod(attempt(aPod("p"), pictureOf(three)), plugins, seededRandom(seed), 0);
      return "node" in outcome ? outcome.node : "";
    };
    const all = Array.from({ length: 30 }, (_, seed) => chosen(seed));
    expect(new Set(all)).toEqual(new Set(["n1", "n2", "n3"]));
    expect(chosen(7)).toBe(chosen(7));
  });
});

describe("a partial search of a large cluster", () => {
  test.each([
    [99, 99],
    [100, 100],
    [1000, 420],
    [5000, 500],
    [6000, 300],
  ])("ends among %i nodes after %i feasible ones", (nodes, enough) => {
    expect(numFeasibleNodesToFind(nodes)).toBe(enough);
  });

  test("starts where the last one ended", () => {
    const snapshot = pictureOf(Array.from({ length: 300 }, (_, at) => aNode(`n${at}`)));
    place(aPod("p"), snapshot);
    expect(snapshot.nextStartNodeIndex).toBe(numFeasibleNodesToFind(300));
    place(aPod("p"), snapshot);
    expect(snapshot.nextStartNodeIndex).toBe((2 * numFeasibleNodesToFind(300)) % 300);
  });
});

test("B2: a pod whose requirements exceed the work of a turn is not scheduled", () => {
  const nodes = Array.from({ length: 500 }, (_, at) => aNode(`n${at}`));
  const terms = Array.from({ length: 2000 }, (_, at) => ({
    matchExpressions: [{ key: `k${at}`, operator: "Exists" }],
  }));
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
  const pod = aPod("p");
  const greedy = { ...pod, spec: { ...pod.spec, affinity } } as Pod;
  const meter = new WorkMeter();
  expect(() => meter.within(() => place(greedy, pictureOf(nodes), { meter }))).toThrow(TooMuchWork);
  expect(meter.within(() => place(pod, pictureOf(nodes), { meter }))).toMatch(/^n\d+$/);
});
