// Writes are answered before controllers act on them.
import { evictDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import type { Deployment } from "../../../shared/k8s/api/apps-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { deployment, newSandbox, rolledOut, type Sandbox } from "./sandbox.ts";

const path = "/apis/apps/v1/namespaces/default/deployments";
const replicaSets = "/apis/apps/v1/namespaces/default/replicasets";
/** A delay long enough for a test to finish before controllers run. */
const long = { controllerDelayMs: 1000 };

async function count(sandbox: Sandbox, of: string): Promise<number> {
  const { items } = (await sandbox.call("GET", of)) as unknown as { items: KubeObject[] };
  return items.length;
}

test("Q14: an update right after a create has no conflict", async () => {
  // A busy machine may take longer between the two than the usual delay.
  const sandbox = await newSandbox({ controllerDelayMs: 500 });
  for (let at = 0; at < 25; at++) {
    const created = (await sandbox.call("POST", path, deployment(`web-${at}`, 1))) as Deployment;
    created.spec.replicas = 2;
    await sandbox.call("PUT", `${path}/web-${at}`, created);
  }
  for (let at = 0; at < 25; at++) await rolledOut(sandbox, `web-${at}`, 2);
});

test("Q14: reads do not run controllers, and a burst of writes sets one alarm", async () => {
  const sandbox = await newSandbox(long);
  await sandbox.quiet();
  const before = sandbox.alarmsSet();
  for (let at = 0; at < 5; at++) await sandbox.call("POST", path, deployment(`web-${at}`, 1));
  expect(await count(sandbox, replicaSets)).toBe(0);
  expect(sandbox.alarmsSet() - before).toBe(1);
  for (let at = 0; at < 5; at++) await rolledOut(sandbox, `web-${at}`, 1);
  await sandbox.quiet();
});

test("Q14: controllers act on an acknowledged write though the object is killed before", async () => {
  const sandbox = await newSandbox(long);
  await sandbox.quiet();
  await sandbox.call("POST", path, deployment("web", 2));
  const dueMs = (await sandbox.alarm()) ?? Number.POSITIVE_INFINITY;
  expect(dueMs - Date.now()).toBeLessThanOrEqual(1000);
  const builds = sandbox.builds();
  await evictDurableObject(sandbox.stub());
  // The alarm opens it again, and nobody else.
  await vi.waitFor(() => expect(sandbox.builds()).toBe(builds + 1), { timeout: 10_000, interval: 50 });
  await rolledOut(sandbox, "web", 2);
  await sandbox.quiet();
});

test("Q14: controllers have acted before the answer with a delay of 0", async () => {
  const sandbox = await newSandbox({ controllerDelayMs: 0 });
  await sandbox.call("POST", path, deployment("web", 1));
  expect(await count(sandbox, replicaSets)).toBe(1);
});

test("Q14: a pod in a new namespace waits for its service account", async () => {
  const sandbox = await newSandbox();
  await sandbox.call("POST", "/api/v1/namespaces", { metadata: { name: "team" } });
  const spec = { containers: [{ name: "c", image: "nginx" }] };
  const pod = await sandbox.call("POST", "/api/v1/namespaces/team/pods", { metadata: { name: "web" }, spec });
  expect(pod).toMatchObject({ spec: { serviceAccountName: "default" } });
});
