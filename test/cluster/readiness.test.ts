// The list of unready workloads.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { notReadyIn } from "../../worker/cluster/bootstrap/readiness.ts";
import { newCluster, type TestClusterOptions } from "../cluster.ts";

function clusterWith(manifests: string, options: TestClusterOptions = {}) {
  const cluster = newCluster(options);
  cluster.runUntilQuiet();
  for (const _ of applyManifests(cluster.registry, manifests));
  return cluster;
}

const workload = (kind: string, name: string, image: string, extra = "") => `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name} }
spec:
  ${extra}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: web, image: ${image} }] }
---`;
const pod = (name: string, rest: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: ${rest}
---`;

describe("workloads", () => {
  test("I5: a new cluster has no unready workloads, also without nodes", () => {
    expect(notReadyIn(clusterWith("").client)).toEqual([]);
    expect(notReadyIn(clusterWith("", { nodes: 0 }).client)).toEqual([]);
  });

  test("I5: unready workloads are listed until they are available", () => {
    const cluster = clusterWith(
      workload("Deployment", "web", "nginx", "replicas: 2") +
        workload("StatefulSet", "db", "redis", "serviceName: db") +
        workload("DaemonSet", "agent", "nginx") +
        workload("ReplicaSet", "set", "nginx") +
        pod("one", "{ containers: [{ name: web, image: nginx }] }") +
        pod("done", "{ restartPolicy: Never, containers: [{ name: web, image: busybox, command: [echo, hi] }] }"),
    );
    expect(notReadyIn(cluster.client).map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)).toEqual([
      "Deployment default/web",
      "StatefulSet default/db",
      "DaemonSet default/agent",
      "ReplicaSet default/set",
      "Pod default/done",
      "Pod default/one",
    ]);
    cluster.runUntilQuiet();
    expect(notReadyIn(cluster.client)).toEqual([]);
  });

  test("I5: the reason is the problem of a pod, if there is one", () => {
    const cluster = clusterWith(
      workload("Deployment", "wrong", "nginx:doesnotexist") +
        workload("Deployment", "large", "nginx", "").replace(
          "image: nginx }",
          "image: nginx, resources: { requests: { cpu: '900' } } }",
        ) +
        pod("bad", "{ containers: [{ name: web, image: 'nginx:doesnotexist' }] }"),
    );
    cluster.step(60_000);
    const reasons = Object.fromEntries(notReadyIn(cluster.client).map(({ name, reason }) => [name, reason]));
    expect(reasons["large"]).toMatch(/^pod large-[-\w]+: Unschedulable: 0\/3 nodes are available: 3 Insufficient cpu/);
    expect(reasons["wrong"]).toMatch(/^pod wrong-[-\w]+: container web: ImagePullBackOff/);
    expect(reasons["bad"]).toMatch(/^container web: ImagePullBackOff: Back-off pulling image/);
  });

  test("I5: the list of unready workloads is bounded", () => {
    const some = Array.from({ length: limits.notReady + 5 }, (_, at) =>
      pod(`p${at}`, "{ containers: [{ name: c, image: nginx }] }"),
    );
    expect(notReadyIn(clusterWith(some.join("\n")).client)).toHaveLength(limits.notReady);
  });
});
