import { describe, expect, test } from "vitest";
import type { Pod, ResourceQuota } from "../../../shared/k8s/api/core-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../../worker/kinds/apps/replica-set.ts";
import { resourceQuotas } from "../../../worker/kinds/core/resource-quota/resource-quota.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";
import { applyWeb } from "../deployment/web.ts";
import { applyClaim } from "../volume/volumes.ts";

function clusterWith(hard: Record<string, string>, spec: Draft<ResourceQuota["spec"]> = {}): TestCluster {
  const cluster = newCluster({ nodes: 3 });
  cluster.runUntilQuiet();
  cluster.apply(resourceQuotas, { metadata: { name: "q", namespace: "default" }, spec: { hard, ...spec } });
  cluster.step(0);
  return cluster;
}

const metadata = (name: string) => ({ name, namespace: "default" });
const used = (cluster: TestCluster) => cluster.get(resourceQuotas, "default", "q").status.used;

function pod(name: string, resources: object = {}, spec: Draft<Pod["spec"]> = {}): Draft<Pod> {
  return { metadata: metadata(name), spec: { containers: [{ name: "web", image: "nginx:1", resources }], ...spec } };
}

function refusal(write: () => unknown): string {
  try {
    write();
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
}

describe("ResourceQuota", () => {
  const cpu = { requests: { cpu: "500m", memory: "128Mi" } };

  test("the status has the limits and the usage", () => {
    const cluster = clusterWith({ "requests.cpu": "1", "requests.memory": "1Gi", pods: "5" });
    expect(used(cluster)).toEqual({ pods: "0", "requests.cpu": "0", "requests.memory": "0" });
    cluster.apply(pods, pod("a", cpu));
    cluster.step(0);
    expect(cluster.get(resourceQuotas, "default", "q").status).toEqual({
      hard: { pods: "5", "requests.cpu": "1", "requests.memory": "1Gi" },
      used: { pods: "1", "requests.cpu": "500m", "requests.memory": "128Mi" },
    });
  });

  test("a write beyond the limit is rejected before the status is updated", () => {
    const cluster = clusterWith({ "requests.cpu": "1200m", pods: "9" });
    cluster.apply(pods, pod("a", cpu));
    cluster.apply(pods, pod("b", cpu));
    expect(refusal(() => cluster.apply(pods, pod("c", cpu)))).toBe(
      'pods "c" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=1, limited: requests.cpu=1200m',
    );
  });

  test("a container must specify limited resources", () => {
    const cluster = clusterWith({ "requests.cpu": "1", "limits.memory": "1Gi" });
    expect(refusal(() => cluster.apply(pods, pod("a")))).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.memory for: web; requests.cpu for: web',
    );
  });

  test("ended and deleted objects release their usage", () => {
    const cluster = clusterWith({ pods: "1" });
    cluster.apply(pods, pod("a"));
    expect(refusal(() => cluster.apply(pods, pod("b")))).toContain("requested: pods=1, used: pods=1, limited: pods=1");
    cluster.runUntilQuiet();
    cluster.client.delete(pods, "default", "a");
    cluster.runUntilQuiet();
    expect(used(cluster)).toEqual({ pods: "0" });
    cluster.apply(pods, pod("b"));
    cluster.edit(pods, "default", "b", () => undefined);
    const b = cluster.get(pods, "default", "b");
    cluster.client.updateStatus(pods, { ...b, status: { ...b.status, phase: "Succeeded" } });
    cluster.step(0);
    expect(used(cluster)).toEqual({ pods: "0" });
  });

  test("a Deployment is limited by the quota, and its ReplicaSet reports why", () => {
    const cluster = clusterWith({ pods: "2" });
    applyWeb(cluster);
    cluster.step(60_000);
    expect(cluster.client.list(pods, { namespace: "default" })).toHaveLength(2);
    expect(used(cluster)).toEqual({ pods: "2" });
    const [set] = cluster.client.list(replicaSets, { namespace: "default" });
    const failure = set?.status.conditions?.find(({ type }) => type === "ReplicaFailure");
    expect(failure?.message).toContain(
      "is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2",
    );
    cluster.edit(resourceQuotas, "default", "q", ({ spec }) => {
      spec.hard = { pods: "3" };
    });
    cluster.runUntilQuiet();
    expect(cluster.client.list(pods, { namespace: "default" })).toHaveLength(3);
  });

  test("objects of any kind can be counted", () => {
    const cluster = clusterWith({ "count/deployments.apps": "1", configmaps: "2" });
    applyWeb(cluster);
    cluster.apply(configMaps, { metadata: metadata("one") });
    cluster.step(0);
    expect(used(cluster)).toEqual({ configmaps: "2", "count/deployments.apps": "1" });
    const draft = { metadata: metadata("more"), spec: cluster.get(deployments, "default", "web").spec };
    expect(refusal(() => cluster.apply(deployments, draft))).toBe(
      'deployments.apps "more" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1',
    );
    expect(refusal(() => cluster.apply(configMaps, { metadata: metadata("two") }))).toContain(
      "requested: configmaps=1, used: configmaps=2, limited: configmaps=2",
    );
  });

  test("services count by type, and an update by its increase", () => {
    const cluster = clusterWith({ services: "5", "services.nodeports": "1" });
    const spec = { ports: [{ port: 80 }] };
    cluster.apply(services, { metadata: metadata("a"), spec: { ...spec, type: "NodePort" } });
    cluster.apply(services, { metadata: metadata("b"), spec });
    cluster.step(0);
    const change = () =>
      cluster.edit(services, "default", "b", (draft) => {
        draft.spec.type = "NodePort";
      });
    expect(refusal(change)).toContain("requested: services.nodeports=1, used: services.nodeports=1");
    cluster.client.delete(services, "default", "a");
    change();
    cluster.step(0);
    expect(used(cluster)).toEqual({ services: "2", "services.nodeports": "1" });
  });

  test("claims count by size, in total and by class", () => {
    const cluster = clusterWith({
      "requests.storage": "3Gi",
      "standard.storageclass.storage.k8s.io/requests.storage": "1Gi",
    });
    applyClaim(cluster, "a", { storageClassName: "standard" });
    expect(refusal(() => applyClaim(cluster, "b", { storageClassName: "standard" }))).toContain(
      "used: standard.storageclass.storage.k8s.io/requests.storage=1Gi",
    );
    applyClaim(cluster, "c");
    cluster.step(0);
    expect(used(cluster)?.["requests.storage"]).toBe("2Gi");
    cluster.client.delete(persistentVolumeClaims, "default", "c");
    cluster.step(0);
    expect(used(cluster)?.["requests.storage"]).toBe("1Gi");
  });

  test.each<[Draft<ResourceQuota["spec"]>, Draft<Pod>, Draft<Pod>]>([
    [{ scopes: ["BestEffort"] }, pod("in"), pod("out", cpu)],
    [{ scopes: ["NotBestEffort"] }, pod("in", cpu), pod("out")],
    [{ scopes: ["Terminating"] }, pod("in", {}, { activeDeadlineSeconds: 60 }), pod("out")],
    [
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
        },
      },
      pod("in", {}, { priorityClassName: "system-node-critical" }),
      pod("out"),
    ],
  ])("a quota with scope %j counts only objects in it", (spec, inside, outside) => {
    const cluster = clusterWith({ pods: "1" }, spec);
    cluster.apply(pods, outside);
    cluster.step(0);
    expect(used(cluster)).toEqual({ pods: "0" });
    cluster.apply(pods, inside);
    expect(refusal(() => cluster.apply(pods, { ...inside, metadata: metadata("more") }))).toContain("exceeded quota");
  });
});
