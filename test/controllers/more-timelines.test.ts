// The common story of each controller of addresses, accounts, tokens, nodes and pods that are left over, golden.
import { expect, test } from "vitest";
import type { Endpoints, Node, Pod, Secret } from "../../shared/k8s/api/core-v1.ts";
import type { EndpointSlice } from "../../shared/k8s/api/discovery-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { endpoints } from "../../worker/kinds/core/endpoints.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../worker/kinds/apps/replica-set.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { type TestCluster, newCluster } from "../cluster.ts";
import { story } from "./story.ts";

const metadata = { name: "web", namespace: "default" };
const labels = { app: "web" };
const containers = [{ name: "c", image: "nginx:1" }];
const dayMs = 24 * 3_600_000;

function quiet(nodeCount: number): TestCluster {
  const cluster = newCluster({ nodes: nodeCount });
  cluster.runUntilQuiet();
  return cluster;
}

/** Who is reached, and how he is. */
function addresses(object: KubeObject): string {
  if (object.kind === "Endpoints") {
    const { subsets = [] } = object as Endpoints;
    const ready = subsets.flatMap((one) => (one.addresses ?? []).map(({ ip }) => ip));
    const others = subsets.flatMap((one) => (one.notReadyAddresses ?? []).map(({ ip }) => `${ip} (not ready)`));
    return [...ready, ...others].join(" ");
  }
  if (object.kind !== "EndpointSlice") return "";
  const list = (object as EndpointSlice).endpoints ?? [];
  return list
    .map(({ addresses: found, conditions }) => {
      const held = Object.entries(conditions).flatMap(([key, value]) => (value ? [key] : []));
      return `${found.join()} (${held.join(", ")})`;
    })
    .join(" ");
}

test("a Service's endpoints and slice follow its pod", () => {
  const cluster = quiet(1);
  const happen = (step: () => void) => {
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", selector: labels, ports: [{ port: 80 }] } });
    step();
    cluster.apply(pods, { metadata: { ...metadata, labels }, spec: { containers } });
    step();
    cluster.client.delete(pods, "default", "web");
    step();
    cluster.client.delete(services, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: ["default"], shown: addresses })).toMatchInlineSnapshot(`
    [
      "Service web made",
      "Endpoints web made",
      "EndpointSlice web-? made",
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Endpoints web has 10.244.1.4",
      "EndpointSlice web-? has 10.244.1.4 (ready, serving)",
      "Pod web terminating",
      "Endpoints web has nothing",
      "EndpointSlice web-? has 10.244.1.4 (serving, terminating)",
      "Pod web Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web gone",
      "EndpointSlice web-? has nothing",
      "Service web gone",
      "Endpoints web gone",
      "EndpointSlice web-? gone",
    ]
  `);
});

test("Endpoints made by hand are mirrored, as long as they are there", () => {
  const cluster = quiet(0);
  cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 5432 }] } });
  cluster.step(0);
  const happen = (step: () => void) => {
    const ports = [{ port: 5432 }];
    cluster.apply(endpoints, { metadata, subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports }] });
    step();
    cluster.edit(endpoints, "default", "web", ({ subsets = [] }) => {
      for (const one of subsets) one.notReadyAddresses = [{ ip: "192.0.2.2" }];
    });
    step();
    cluster.client.delete(endpoints, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: ["default"], shown: addresses })).toMatchInlineSnapshot(`
    [
      "Endpoints web made",
      "Endpoints web has 192.0.2.1",
      "EndpointSlice web-? made",
      "EndpointSlice web-? has 192.0.2.1 (ready)",
      "Endpoints web has 192.0.2.1 192.0.2.2 (not ready)",
      "EndpointSlice web-? has 192.0.2.1 (ready) 192.0.2.2 ()",
      "Endpoints web gone",
      "EndpointSlice web-? gone",
    ]
  `);
});

test("a namespace's account and authority are made, put back and made again", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    cluster.apply(namespaces, { metadata: { name: "team" } });
    step();
    cluster.edit(configMaps, "team", "kube-root-ca.crt", (map) => {
      map.data = { "ca.crt": "mine" };
    });
    step();
    cluster.client.delete(configMaps, "team", "kube-root-ca.crt");
    cluster.client.delete(serviceAccounts, "team", "default");
  };
  const shown = (object: KubeObject) => {
    const { data = {} } = object as { data?: Record<string, string> };
    return object.kind === "ConfigMap" ? ((data["ca.crt"] ?? "").trim().split("\n")[0] ?? "") : "";
  };
  expect(story(cluster, happen, { namespaces: ["team"], shown })).toMatchInlineSnapshot(`
    [
      "ServiceAccount default made",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap kube-root-ca.crt has test",
      "ConfigMap kube-root-ca.crt has mine",
      "ConfigMap kube-root-ca.crt has test",
      "ConfigMap kube-root-ca.crt gone",
      "ServiceAccount default gone",
      "ConfigMap kube-root-ca.crt made",
      "ConfigMap kube-root-ca.crt has test",
      "ServiceAccount default made",
    ]
  `);
});

test("an account's token is made, made again, and goes with the account", () => {
  const cluster = quiet(0);
  const account = { name: "builder", namespace: "default" };
  const happen = (step: () => void) => {
    cluster.apply(serviceAccounts, { metadata: account });
    applyToken(cluster, "builder");
    step();
    cluster.edit(secrets, "default", "token", ({ data = {} }) => {
      delete data["token"];
    });
    step();
    cluster.client.delete(serviceAccounts, "default", "builder");
  };
  expect(story(cluster, happen, { shown: keysAndLabels })).toMatchInlineSnapshot(`
    [
      "ServiceAccount builder made",
      "Secret token made",
      "Secret token has ca.crt namespace token",
      "Secret token has ca.crt namespace",
      "Secret token has ca.crt namespace token",
      "ServiceAccount builder gone",
      "Secret token gone",
    ]
  `);
});

test("a token that nobody uses is marked after a year, and deleted after another", () => {
  const cluster = quiet(0);
  const happen = (step: (ms: number) => void) => {
    applyToken(cluster, "default");
    cluster.edit(serviceAccounts, "default", "default", (account) => {
      account.secrets = [{ name: "token" }];
    });
    step(366 * dayMs);
    step(366 * dayMs);
  };
  const shown = (object: KubeObject) => {
    if (object.kind !== "ServiceAccount") return keysAndLabels(object);
    const { secrets: list = [] } = object as { secrets?: { name?: string }[] };
    return list.map(({ name = "" }) => name).join();
  };
  expect(story(cluster, happen, { namespaces: ["default"], shown })).toMatchInlineSnapshot(`
    [
      "Secret token made",
      "ServiceAccount default has token",
      "Secret token has ca.crt namespace token",
      "Secret token has ca.crt namespace token kubernetes.io/legacy-token-invalid-since=2027-01-02",
      "Secret token gone",
      "ServiceAccount default has nothing",
    ]
  `);
});

function applyToken(cluster: TestCluster, account: string): void {
  const annotations = { "kubernetes.io/service-account.name": account };
  const type = "kubernetes.io/service-account-token";
  cluster.apply(secrets, { metadata: { name: "token", namespace: "default", annotations }, type });
}

function keysAndLabels(object: KubeObject): string {
  if (object.kind !== "Secret" && object.kind !== "ConfigMap") return "";
  const marks = Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...Object.keys((object as Secret).data ?? {}), ...marks].join(" ");
}

test("a bootstrap token signs the cluster's information until it expires", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    const data = { kubeconfig: "apiVersion: v1\nkind: Config\n" };
    cluster.apply(configMaps, { metadata: { name: "cluster-info", namespace: "kube-public" }, data });
    step();
    cluster.apply(secrets, {
      metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-signing": "true",
        expiration: "2026-01-01T02:00:00Z",
      },
    });
    cluster.step(2 * 3_600_000);
  };
  const shown = (object: KubeObject) => (object.kind === "ConfigMap" ? keysAndLabels(object) : "");
  expect(story(cluster, happen, { namespaces: ["kube-system", "kube-public"], shown })).toMatchInlineSnapshot(`
    [
      "ConfigMap cluster-info made",
      "ConfigMap cluster-info has kubeconfig",
      "Secret bootstrap-token-abcdef made",
      "ConfigMap cluster-info has jws-kubeconfig-abcdef kubeconfig",
      "Secret bootstrap-token-abcdef gone",
      "ConfigMap cluster-info has kubeconfig",
    ]
  `);
});

test("a user's node joins, and is given a range and a time to keep what it reads", () => {
  const cluster = quiet(1);
  const happen = (step: (ms: number) => void) => {
    cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions: [{ type: "Ready", status: "False" }] } });
    step(1000);
    const node = cluster.get(nodes, "", "mine");
    const conditions = [{ type: "Ready", status: "True" as const, reason: "KubeletReady" }];
    cluster.client.updateStatus(nodes, { ...node, status: { ...node.status, conditions } });
    step(1000);
    cluster.client.delete(nodes, "", "mine");
  };
  const shown = (object: KubeObject) => {
    if (object.kind !== "Node" || object.metadata.name !== "mine") return "";
    const { spec, metadata: own } = object as Node;
    const taints = (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
    const ttl = own.annotations?.["node.alpha.kubernetes.io/ttl"];
    return [spec.podCIDR ?? "", ...(ttl ? [`ttl=${ttl}`] : []), ...taints].filter(Boolean).join(" ");
  };
  expect(story(cluster, happen, { shown })).toMatchInlineSnapshot(`
    [
      "Node mine made",
      "Node mine has node.kubernetes.io/not-ready:NoSchedule",
      "Normal RegisteredNode: Node mine event: Registered Node mine in Controller",
      "Node mine has 10.244.2.0/24 node.kubernetes.io/not-ready:NoSchedule",
      "Node mine has 10.244.2.0/24 ttl=0 node.kubernetes.io/not-ready:NoSchedule",
      "Node mine has 10.244.2.0/24 ttl=0 node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute",
      "Node mine: conditions [Ready=True/KubeletReady]",
      "Node mine has 10.244.2.0/24 ttl=0",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
    ]
  `);
});

test("a pod of a node that is gone is failed and removed, and one that never had a node is failed at once", () => {
  const cluster = quiet(0);
  cluster.apply(nodes, { metadata: { name: "mine" }, status: { conditions: [{ type: "Ready", status: "True" }] } });
  cluster.step(0);
  cluster.apply(pods, { metadata, spec: { containers, nodeName: "mine" } });
  const finalizers = ["example.com/hold"];
  const nodeSelector = { nowhere: "true" };
  cluster.apply(pods, { metadata: { ...metadata, name: "held", finalizers }, spec: { containers, nodeSelector } });
  cluster.step(0);
  const happen = (step: (ms: number) => void) => {
    cluster.client.delete(pods, "default", "held");
    step(1000);
    cluster.client.delete(nodes, "", "mine");
  };
  expect(story(cluster, happen, { shown: disruption })).toMatchInlineSnapshot(`
    [
      "Pod held terminating",
      "Pod held Failed",
      "Node mine gone",
      "Normal RemovingNode: Node mine event: Removing Node mine from Controller",
      "Pod web Failed",
      "Pod web has DeletionByPodGC",
      "Pod web gone",
    ]
  `);
});

test("a pod bears a taint as long as it says, and the taint that goes in time is forgiven", () => {
  const cluster = quiet(1);
  const tolerations = [
    { key: "old", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 30 },
  ];
  cluster.apply(pods, { metadata, spec: { containers, tolerations } });
  cluster.step(1000);
  const taint = (taints: Node["spec"]["taints"]) =>
    cluster.edit(nodes, "", "node-1", ({ spec }) => {
      spec.taints = taints ?? [];
    });
  const happen = (step: (ms?: number) => void) => {
    taint([{ key: "old", effect: "NoExecute" }]);
    step(20_000);
    taint([]);
    step();
    taint([{ key: "old", effect: "NoExecute" }]);
    step(31_000);
  };
  expect(story(cluster, happen, { shown: disruption })).toMatchInlineSnapshot(`
    [
      "Normal TaintManagerEviction: Cancelling deletion of Pod default/web",
      "Normal TaintManagerEviction: Marking for deletion Pod default/web",
      "Pod web has DeletionByTaintManager",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container c",
      "Pod web gone",
    ]
  `);
});

function disruption(object: KubeObject): string {
  const { status } = object as Pod;
  if (object.kind !== "Pod") return "";
  return status.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason ?? "";
}

test("an event ends an hour after it was written, when the next one is", () => {
  const cluster = quiet(0);
  const happen = (step: (ms?: number) => void) => {
    const apply = (name: string) =>
      cluster.apply(events, {
        metadata: { name, namespace: "default" },
        involvedObject: { kind: "Pod", namespace: "default", name: "web" },
        reason: "Told",
        message: name,
        type: "Normal",
        firstTimestamp: new Date(cluster.clock.nowMs()).toISOString().replace(".000", ""),
        lastTimestamp: new Date(cluster.clock.nowMs()).toISOString().replace(".000", ""),
      });
    apply("first");
    step(61 * 60_000);
    apply("second");
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "Normal Told: first",
      "Normal Told: second",
      "Normal Told: first (gone)",
    ]
  `);
});

test("a ReplicaSet adopts a pod of its labels, and makes no other", () => {
  const cluster = quiet(1);
  const happen = (step: () => void) => {
    cluster.apply(pods, { metadata: { ...metadata, name: "alone", labels }, spec: { containers } });
    step();
    const template = { metadata: { labels }, spec: { containers } };
    cluster.apply(replicaSets, { metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  };
  const shown = ({ kind, metadata: { ownerReferences = [] } }: KubeObject) =>
    kind === "Pod" ? ownerReferences.map((one) => `owner ${one.kind} ${one.name}`).join() : "";
  expect(story(cluster, happen, { namespaces: ["default"], shown })).toMatchInlineSnapshot(`
    [
      "Pod alone made",
      "Pod alone bound",
      "Normal Scheduled: Successfully assigned default/alone to a node",
      "Pod alone Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "ReplicaSet web made",
      "Pod alone has owner ReplicaSet web",
      "ReplicaSet web: replicas 1, fullyLabeledReplicas 1, readyReplicas 1, availableReplicas 1, terminatingReplicas 0, observedGeneration 1",
    ]
  `);
});

test("a pod waits for a node that it selects, and is bound when there is one", () => {
  const cluster = quiet(1);
  const happen = (step: () => void) => {
    cluster.apply(pods, { metadata, spec: { containers, nodeSelector: { disk: "fast" } } });
    step();
    cluster.edit(nodes, "", "node-1", (node) => {
      node.metadata.labels = { ...node.metadata.labels, disk: "fast" };
    });
  };
  expect(story(cluster, happen, { namespaces: ["default"] })).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Warning FailedScheduling: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
    ]
  `);
});
