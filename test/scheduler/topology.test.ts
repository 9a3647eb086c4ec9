// Spreading and affinity: counted domains, excluded nodes, labels and namespaces.
import { describe, expect, test } from "vitest";
import type { TopologySpreadConstraint } from "../../shared/k8s/api/core-v1.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import type { TestCluster } from "../cluster.ts";
import { addNode, addPod, clusterWith, nodeOf } from "./bed.ts";

const labels = { app: "web" };
const zoneKey = "topology.kubernetes.io/zone";

/** Returns a cluster whose nodes are named after their zones: a1 and a2 are in a. */
function zones(...names: readonly string[]): TestCluster {
  const cluster = clusterWith([]);
  for (const name of names) addNode(cluster, name, { cpu: "8", labels: { [zoneKey]: name.charAt(0) } });
  return cluster;
}

function spread(more: Partial<TopologySpreadConstraint> = {}): {
  topologySpreadConstraints: TopologySpreadConstraint[];
} {
  const constraint: TopologySpreadConstraint = {
    maxSkew: 1,
    topologyKey: zoneKey,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: labels },
    ...more,
  };
  return { topologySpreadConstraints: [constraint] };
}

function place(
  cluster: TestCluster,
  name: string,
  spec: object,
  podLabels: Record<string, string> = labels,
): string | undefined {
  addPod(cluster, name, { cpu: "0", labels: podLabels, spec });
  cluster.runUntilQuiet();
  return nodeOf(cluster, name);
}

describe("PodTopologySpread", () => {
  test("has a minimum of 0 while there are fewer domains than minDomains", () => {
    const cluster = zones("a1", "b1");
    const spec = spread({ minDomains: 3 });
    expect([place(cluster, "1", spec), place(cluster, "2", spec)].sort()).toEqual(["a1", "b1"]);
    expect(place(cluster, "3", spec)).toBeUndefined();
    addNode(cluster, "c1", { labels: { [zoneKey]: "c" } });
    cluster.runUntilQuiet();
    expect(nodeOf(cluster, "3")).toBe("c1");
  });

  test("counts only pods of the same revision with matchLabelKeys", () => {
    const cluster = zones("a1", "b1");
    const spec = spread({ matchLabelKeys: ["revision"] });
    for (const revision of ["1", "2"]) {
      const revisionLabels = { ...labels, revision };
      const where = [
        place(cluster, `x${revision}`, spec, revisionLabels),
        place(cluster, `y${revision}`, spec, revisionLabels),
      ];
      expect(where.sort()).toEqual(["a1", "b1"]);
    }
  });

  test("counts excluded nodes only with nodeAffinityPolicy Ignore", () => {
    const honor = zones("a1", "b1");
    const selector = { nodeSelector: { "kubernetes.io/hostname": "a1" } };
    expect([place(honor, "1", { ...spread(), ...selector }), place(honor, "2", { ...spread(), ...selector })]).toEqual([
      "a1",
      "a1",
    ]);
    const ignore = zones("a1", "b1");
    const spec = { ...spread({ nodeAffinityPolicy: "Ignore" }), ...selector };
    expect([place(ignore, "1", spec), place(ignore, "2", spec)]).toEqual(["a1", undefined]);
  });

  test("counts tainted nodes except with nodeTaintsPolicy Honor", () => {
    const tainted = { spec: { taints: [{ key: "k", effect: "NoSchedule" as const }] }, labels: { [zoneKey]: "b" } };
    const ignore = zones("a1");
    addNode(ignore, "b1", tainted);
    expect([place(ignore, "1", spread()), place(ignore, "2", spread())]).toEqual(["a1", undefined]);
    const honor = zones("a1");
    addNode(honor, "b1", tainted);
    const spec = spread({ nodeTaintsPolicy: "Honor" });
    expect([place(honor, "1", spec), place(honor, "2", spec)]).toEqual(["a1", "a1"]);
  });

  test("spreads pods of a Service or an owner over nodes by default", () => {
    const cluster = zones("a1", "a2", "a3");
    cluster.apply(services, {
      metadata: { namespace: "default", name: "web" },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const where = ["1", "2", "3"].map((name) => place(cluster, name, {}));
    expect(new Set(where).size).toBe(3);
  });
});

describe("InterPodAffinity", () => {
  const nearDb = (more: object) => ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: zoneKey, labelSelector: { matchLabels: { app: "db" } }, ...more },
        ],
      },
    },
  });

  test("matches only pods in the namespaces of namespaceSelector", () => {
    const cluster = zones("a1", "b1");
    cluster.apply(namespaces, { metadata: { name: "data", labels: { team: "blue" } } });
    cluster.runUntilQuiet();
    cluster.apply(pods, {
      metadata: { namespace: "data", name: "db", labels: { app: "db" } },
      spec: { containers: [{ name: "c", image: "db" }], nodeSelector: { "kubernetes.io/hostname": "b1" } },
    });
    cluster.runUntilQuiet();
    expect(place(cluster, "own", nearDb({}))).toBeUndefined();
    expect(place(cluster, "red", nearDb({ namespaceSelector: { matchLabels: { team: "red" } } }))).toBeUndefined();
    expect(place(cluster, "blue", nearDb({ namespaceSelector: { matchLabels: { team: "blue" } } }))).toBe("b1");
    expect(place(cluster, "any", nearDb({ namespaceSelector: {} }))).toBe("b1");
    expect(place(cluster, "named", nearDb({ namespaces: ["data"] }))).toBe("b1");
  });

  test("matches only pods of the same revision with matchLabelKeys", () => {
    const cluster = zones("a1", "b1");
    const term = { topologyKey: zoneKey, labelSelector: { matchLabels: labels }, matchLabelKeys: ["revision"] };
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    const revisionLabels = (revision: string) => ({ ...labels, revision });
    const where = ["x", "y"].map((name) => place(cluster, name, spec, revisionLabels("1")));
    expect(where.sort()).toEqual(["a1", "b1"]);
    expect(place(cluster, "z", spec, revisionLabels("2"))).toMatch(/^[ab]1$/);
    expect(place(cluster, "w", spec, revisionLabels("1"))).toBeUndefined();
  });

  test("preempts a pod that one of higher priority must avoid", () => {
    const cluster = zones("a1");
    place(cluster, "db", {}, { app: "db" });
    const term = { topologyKey: zoneKey, labelSelector: { matchLabels: { app: "db" } } };
    const spec = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    addPod(cluster, "high", { cpu: "0", priority: "high", spec });
    cluster.runUntilQuiet();
    expect(cluster.get(pods, "default", "db").metadata.deletionTimestamp).toBeDefined();
    expect(cluster.get(pods, "default", "high").status.nominatedNodeName).toBe("a1");
  });
});
