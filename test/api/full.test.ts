// A store on a full disk: errors, reads, and recovery.
import { expect, test } from "vitest";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import type { ApiServer } from "../../worker/api/api-server.ts";
import { Load } from "../../worker/api/filters/load.ts";
import { handle } from "../../worker/api/handler.ts";
import { AuditLog } from "../../worker/store/audit-log.ts";
import { refusingFull } from "../../worker/store/full.ts";
import { WorkQueue } from "../../worker/runtime/queue.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

const configMapsPath = "/api/v1/namespaces/default/configmaps";
const deploymentsPath = "/apis/apps/v1/namespaces/default/deployments";

function pages(sql: ReturnType<typeof nodeSql>, most?: number): number {
  if (most !== undefined) sql.all(`PRAGMA max_page_count = ${most}`);
  return sql.all<{ page_count: number }>("PRAGMA page_count")[0]?.page_count ?? 0;
}

function newWorld() {
  const disk = nodeSql();
  const room = { isShort: false };
  const cluster = newCluster({ sql: refusingFull(disk, () => room.isShort) });
  cluster.runUntilQuiet();
  const reports: unknown[] = [];
  const server: ApiServer = {
    registry: cluster.registry,
    authenticate: () => ({ user: { name: "admin", groups: ["system:masters"] }, readOnly: false }),
    key: cluster.key,
    nowMs: () => cluster.clock.nowMs(),
    load: new Load(() => cluster.clock.nowMs()),
    turn: (body) => body(),
    report: (error) => reports.push(error),
  };
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: "Bearer x", "content-type": "application/json" };
    const answer = await handle(
      server,
      new Request(`https://host${path}`, { method, headers, body: body ? JSON.stringify(body) : null }),
    );
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...cluster, disk, room, send, reports };
}

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { text: "x".repeat(20_000) },
});

test("S8: a write on a full disk is a 507 that changes nothing; reads continue, and all earlier writes are stored", async () => {
  const { disk, send, reports, registry } = newWorld();
  pages(disk, pages(disk) + 50);
  const answered: string[] = [];
  let refused = 0;
  for (let at = 0; at < 60; at++) {
    const { revision } = registry.store;
    const { status, body } = await send("POST", configMapsPath, configMap(`c${at}`));
    if (status === 201) {
      answered.push(`c${at}`);
      continue;
    }
    refused++;
    expect({ status, ...body }).toMatchObject({ status: "Failure", code: 507, reason: "InsufficientStorage" });
    expect(registry.store.revision).toBe(revision);
    expect((await send("GET", `${configMapsPath}/c${at}`)).status).toBe(404);
  }
  expect([answered.length > 0, refused > 0]).toEqual([true, true]);
  const { status, body } = await send("GET", configMapsPath);
  expect(status).toBe(200);
  const names = (body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  for (const name of answered) expect(names).toContain(name);
  pages(disk, 1_000_000);
  expect((await send("POST", configMapsPath, configMap("after"))).status).toBe(201);
  expect(reports).toEqual([]);
});

test("C2: a cluster whose disk was full for a while reaches the same state", async () => {
  const { room, send, runtime, client, runUntilQuiet, clock } = newWorld();
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } };
  const spec = { replicas: 5, selector: { matchLabels: labels }, template };
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
  expect((await send("POST", deploymentsPath, web)).status).toBe(201);
  room.isShort = true;
  let failures = 0;
  for (let at = 0; at < 50; at++) {
    try {
      runtime.drain(20);
    } catch (error) {
      expect(error).toMatchObject({ code: 507 });
      failures++;
    }
    clock.step(1000);
  }
  expect(failures).toBeGreaterThan(0);
  room.isShort = false;
  runUntilQuiet();
  const { status } = client.get(deployments, "default", "web") ?? {};
  expect(status).toMatchObject({ readyReplicas: 5, availableReplicas: 5 });
});

test("Q3: the queue writes later what it could not write on a full disk", () => {
  const disk = nodeSql();
  newCluster({ sql: disk, controllers: [] });
  let isShort = true;
  const queue = new WorkQueue(refusingFull(disk, () => isShort));
  const pending = { controller: "c", namespace: "default", name: "web", dueMs: 5, attempts: 0 };
  queue.add(pending);
  expect(() => queue.save()).toThrow("no room");
  isShort = false;
  expect(queue.save()).toMatchObject({ wrote: true });
  expect(new WorkQueue(disk).all()).toMatchObject([pending]);
});

test("S8: audit events are dropped on a full disk, and their requests succeed", () => {
  const disk = nodeSql();
  const { client } = newCluster({ sql: disk, controllers: [] });
  let isShort = true;
  const log = new AuditLog(refusingFull(disk, () => isShort));
  // Only its JSON text matters.
  const event = { auditID: "1" } as never;
  log.append(event);
  isShort = false;
  log.append(event);
  expect(log.list()).toEqual([event]);
  expect([...client.list(configMaps)].length).toBeGreaterThan(0);
});
