// A cluster at rest costs nothing: with a hundred pods that run, are probed and write to each other, no alarm is set.
import { expect, test } from "vitest";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { quietCluster } from "../cluster.ts";

test("C1: an idle cluster of a hundred pods has no alarm", () => {
  const cluster = quietCluster({ base: "layered", systemPods: true });
  const deploy = (name: string, replicas: number, container: object, spec: object = {}) => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", ...container }], ...spec } } as never;
    cluster.apply(deployments, {
      metadata: { name, namespace: "default" },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
  };
  const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5 };
  deploy("web", 40, { image: "nginx", livenessProbe: probe, readinessProbe: probe });
  deploy("redis", 1, { image: "redis:8", readinessProbe: { exec: { command: ["redis-cli", "ping"] } } });
  cluster.apply(services, {
    metadata: { name: "redis", namespace: "default" },
    spec: { selector: { app: "redis" }, ports: [{ port: 6379 }] },
  });
  deploy("follower", 4, { image: "redis:8", args: ["--replicaof", "redis", "6379"] });
  deploy("worker", 20, {
    image: "redis:8",
    command: ["sh", "-c", "while true; do redis-cli -h redis incr n; sleep 5; done"],
  });
  const mounts = { volumeMounts: [{ name: "cache", mountPath: "/cache" }] };
  const script = "while true; do date > /cache/now; sleep 10; done";
  deploy(
    "cache",
    10,
    { image: "busybox", command: ["sh", "-c", script], ...mounts },
    { volumes: [{ name: "cache", emptyDir: { sizeLimit: "1Mi" } }] },
  );
  deploy("idle", 25, { image: "busybox", command: ["sleep", "infinity"] });
  cluster.step(3_600_000);
  const running = cluster.client
    .list(pods, { namespace: "default" })
    .filter(({ status }) => status.phase === "Running");
  expect(running).toHaveLength(100);
  cluster.runUntilQuiet();
  expect(cluster.runtime.nextDueMs()).toBeUndefined();
  const writes = cluster.changes.length;
  cluster.step(24 * 3_600_000);
  expect(cluster.changes.length).toBe(writes);
});
