// A DaemonSet on many nodes: its status follows the creation of pods, and no change of a pod reads all of them.
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../../cluster.ts";

const labels = { app: "d" };
const spec = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
};

test("the status counts pods while others are still being created", () => {
  const cluster = newCluster({ nodes: 120 });
  cluster.runUntilQuiet();
  cluster.client.create(daemonSets, { metadata: { name: "d", namespace: "default" }, spec });
  const statusCounts: (readonly [number | undefined, number | undefined])[] = [];
  // The turn ends after each tenth read of the clock.
  let looks = 0;
  const isLate = () => ++looks % 10 === 0;
  while ((cluster.runtime.nextDueMs() ?? Number.POSITIVE_INFINITY) <= cluster.clock.nowMs()) {
    cluster.runtime.drain(limits.drainPerAlarm, undefined, isLate);
    const { desiredNumberScheduled, currentNumberScheduled } = cluster.get(daemonSets, "default", "d").status;
    statusCounts.push([desiredNumberScheduled, currentNumberScheduled]);
  }
  const between = statusCounts.filter(([desired, current = 0]) => desired === 120 && current > 0 && current < 120);
  expect(between.length).toBeGreaterThan(3);
  cluster.runUntilQuiet();
  expect(cluster.get(daemonSets, "default", "d").status).toMatchObject({ numberReady: 120, numberAvailable: 120 });
  expect(cluster.client.list(pods, { namespace: "default" })).toHaveLength(120);
});

test("a cached pod that was deleted or lost its labels is replaced", () => {
  const cluster = newCluster({ nodes: 3 });
  cluster.runUntilQuiet();
  cluster.client.create(daemonSets, { metadata: { name: "d", namespace: "default" }, spec });
  cluster.runUntilQuiet();
  const [first, second] = cluster.client.list(pods, { namespace: "default" });
  cluster.client.delete(pods, "default", first?.metadata.name ?? "");
  const released = cluster.edit(pods, "default", second?.metadata.name ?? "", ({ metadata }) => {
    delete metadata.labels;
  });
  cluster.runUntilQuiet();
  expect(cluster.get(pods, "default", released.metadata.name ?? "").metadata).not.toHaveProperty("ownerReferences");
  const owned = cluster.client.list(pods, { namespace: "default" }).filter(({ metadata }) => metadata.ownerReferences);
  expect(owned.map(({ spec: { nodeName } }) => nodeName).sort()).toEqual(["node-1", "node-2", "node-3"]);
  expect(cluster.get(daemonSets, "default", "d").status.numberReady).toBe(3);
});
