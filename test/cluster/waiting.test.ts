// The wait for the workloads of a cluster.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { whenNoneIsLeft } from "../../worker/cluster/bootstrap/waiting.ts";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { newCluster } from "../cluster.ts";

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: a, image: nginx }] }
`;

function withDeployment() {
  const server = newCluster();
  server.runUntilQuiet();
  for (const _ of applyManifests(server.registry, deployment));
  let nowMs = 0;
  let checks = 0;
  let changed = Promise.withResolvers<void>();
  const cluster = {
    system: server.client,
    changeNews: {
      nextChange: () => {
        checks++;
        return changed.promise;
      },
    },
  };
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const pause = async (ms: number) => {
    // A long pause does not end by itself: only a change ends the wait.
    if (ms > limits.readyCheckMs.least) return new Promise<void>(() => undefined);
    nowMs += ms;
  };
  return { server, cluster, change, pause, nowMs: () => nowMs, checks: () => checks };
}

test("I5: the wait ends at the change after which all workloads are available, and checks only after changes", async () => {
  const { server, cluster, change, pause, nowMs, checks } = withDeployment();
  const waiting = whenNoneIsLeft({ open: () => cluster, pause, nowMs, endMs: 10_000 });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(checks()).toBe(1);
  server.runUntilQuiet();
  change();
  expect(await waiting).toEqual([]);
  expect([checks(), nowMs()]).toEqual([2, limits.readyCheckMs.least]);
});

test("I5: the wait ends in time with the workloads that are left, also if nothing changes or the cluster is replaced", async () => {
  const { cluster, nowMs } = withDeployment();
  let spentMs = 0;
  const pause = async (ms: number) => void (spentMs += ms);
  const wait = { pause, nowMs: () => nowMs() + spentMs, endMs: 5_000 };
  const left = await whenNoneIsLeft({ ...wait, open: () => cluster });
  expect(left?.map(({ kind, name }) => [kind, name])).toEqual([["Deployment", "web"]]);
  expect(spentMs).toBe(5_000);
  expect(await whenNoneIsLeft({ ...wait, open: () => undefined })).toBeUndefined();
});
