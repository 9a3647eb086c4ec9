// Workloads with the maximum number of pods: each turn does a bounded part, up to the cluster's limit.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { mostUnits } from "../turns.ts";
import { newServer } from "./server.ts";

const most = 2_147_483_647;
const labels = { app: "many" };
const selector = { matchLabels: labels };
const containers = [{ name: "a", image: "busybox", command: ["sleep", "9999"] }];
const template = { metadata: { labels }, spec: { containers } };
const once = { spec: { containers, restartPolicy: "Never" } };

test.each([
  ["apps", "statefulsets", "StatefulSet", { replicas: most, serviceName: "x", selector, template }],
  [
    "apps",
    "statefulsets",
    "StatefulSet",
    { replicas: most, serviceName: "x", podManagementPolicy: "Parallel", selector, template },
  ],
  ["apps", "replicasets", "ReplicaSet", { replicas: most, selector, template }],
  ["apps", "deployments", "Deployment", { replicas: most, selector, template }],
  ["batch", "jobs", "Job", { parallelism: most, completions: most, template: once }],
  ["batch", "jobs", "Job", { parallelism: 100_000, completions: 100_000, completionMode: "Indexed", template: once }],
])("B2: %s %s %s of %j is bounded", async (group, plural, kind, spec) => {
  const server = newServer({ limits: { objects: 600 } });
  const { store } = server.cluster.registry;
  const body = { apiVersion: `${group}/v1`, kind, metadata: { name: "many" }, spec };
  expect((await server.ask("POST", `/apis/${group}/v1/namespaces/default/${plural}`, { body })).code).toBe(201);
  for (let turn = 0; turn < 60; turn++) {
    const before = store.meter.spent;
    server.cluster.runtime.drain(limits.drainPerAlarm);
    expect(store.meter.spent - before).toBeLessThan(mostUnits);
    server.cluster.clock.stepTo(server.cluster.clock.nowMs() + 1_000);
  }
  const podCount = server.cluster.client.count(pods);
  expect(podCount).toBeGreaterThan(2);
  expect(podCount).toBeLessThan(600);
  expect(server.cluster.bugs).toEqual([]);
});
