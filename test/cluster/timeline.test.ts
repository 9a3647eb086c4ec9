// The timeline of a cluster: changes with their causes and consequences.
import { describe, expect, test } from "vitest";
import { timelineQuery, type TimelineQuery } from "../../shared/contract/cluster/past.ts";
import { limits } from "../../shared/base/limits.ts";
import { timelineText } from "../../shared/state/timeline-text.ts";
import { timelineOf, timelineStep } from "../../worker/cluster/time/past/timeline.ts";
import { nodeSql } from "../sqlite.ts";
import { apps, configMap, core, deployment, newServer } from "../api/server.ts";

async function scaled() {
  const sql = nodeSql();
  const server = newServer({ sql, base: "layered" });
  const { cluster } = server;
  await server.ask("POST", `${apps}/deployments`, { body: deployment("web", 1) });
  await server.ask("POST", `${apps}/deployments`, { body: deployment("other", 1) });
  cluster.step(60_000);
  const scaledMs = cluster.clock.nowMs();
  const headers = { "content-type": "application/merge-patch+json", "audit-id": "scaling" };
  await server.ask("PATCH", `${apps}/deployments/web/scale`, { body: '{"spec":{"replicas":2}}', headers });
  cluster.step(60_000);
  await server.ask("POST", `${core}/configmaps`, { body: configMap("later") });
  const of = (query: Partial<Omit<TimelineQuery, "limit">> & { limit?: number } = {}) =>
    timelineOf(sql, cluster.registry, timelineQuery.parse(query));
  const step = (query: object, after?: number, sent: readonly number[] = []) =>
    timelineStep(sql, cluster.registry, { query: timelineQuery.parse(query), after, sent });
  return { server, of, step, scaledMs };
}

describe("a timeline", () => {
  test("lists a request with all its effects, and nothing else", async () => {
    const { of } = await scaled();
    const { entries, truncated } = of({ auditId: "scaling" });
    const [first, ...otherEntries] = entries;
    expect(first).toMatchObject({
      ...{ change: "changed", resource: "deployments.apps", subresource: "scale", namespace: "default", name: "web" },
      ...{ user: "kubernetes-admin", origin: "patch", auditId: "scaling", summary: "spec.replicas: 1 → 2" },
    });
    const revisions = new Set(entries.map(({ revision }) => revision));
    expect(otherEntries.every(({ causedBy = 0 }) => revisions.has(causedBy))).toBe(true);
    const summaries = otherEntries.map(
      ({ origin, change, resource }) => `${origin.split(":")[0]} ${change} ${resource}`,
    );
    for (const step of [
      "deployment-controller changed replicasets.apps",
      "replicaset-controller created pods",
      "scheduler changed pods",
      "kubelet changed pods",
      "kubelet created events",
    ])
      expect(summaries).toContain(step);
    expect(entries.some(({ name }) => name.startsWith("other") || name === "later")).toBe(false);
    expect(truncated).toBe(false);
  });

  test("lists the causes of an object's changes, up to the request", async () => {
    const { server, of } = await scaled();
    const pods = await server.ask("GET", `${core}/pods?labelSelector=app%3Dweb`);
    const name = pods.body.items.at(-1)?.metadata.name ?? "";
    const { entries } = of({ resource: "pods", name });
    expect(entries[0]?.user).toBe("kubernetes-admin");
    expect(entries.some(({ resource }) => resource === "replicasets.apps")).toBe(true);
    expect(entries.some((entry) => entry.resource === "pods" && entry.name !== name)).toBe(false);
  });

  test("is filtered by user, namespace and time", async () => {
    const { of, scaledMs } = await scaled();
    const since = new Date(scaledMs - 1).toISOString();
    const requests = ({ entries }: ReturnType<typeof of>) =>
      entries.flatMap(({ auditId, origin, name }) => (auditId === undefined ? [] : [`${origin} ${name}`]));
    expect(requests(of({ user: "kubernetes-admin" }))).toEqual([
      "create web",
      "create other",
      "patch web",
      "create later",
    ]);
    expect(requests(of({ since }))).toEqual(["patch web", "create later"]);
    expect(requests(of({ since, until: new Date(scaledMs + 1_000).toISOString() }))).toEqual(["patch web"]);
    expect(of({ user: "nobody" }).entries).toEqual([]);
    expect(requests(of({ namespace: "kube-system" }))).toEqual([]);
  });

  test("contains a bounded number of the newest entries, and continues with older ones", async () => {
    const { of } = await scaled();
    const all = of();
    const newest = of({ limit: 3 });
    expect(newest).toEqual({ entries: all.entries.slice(-3), truncated: true });
    const until = String((newest.entries[0]?.revision ?? 0) - 1);
    expect(of({ limit: 2, until }).entries).toEqual(all.entries.slice(-5, -3));
    expect(all.entries.length).toBeLessThanOrEqual(limits.timelineEntries);
  });

  test("is followed in steps: after the past only new entries, with causes that were not sent", async () => {
    const { server, of, step } = await scaled();
    const query = { namespace: "default", resource: "pods" };
    const first = step(query);
    expect(first).toMatchObject({ entries: of(query).entries, hasMore: false });
    expect(step(query, first.revision)).toMatchObject({ entries: [], revision: first.revision });
    const headers = { "content-type": "application/merge-patch+json", "audit-id": "scaling again" };
    await server.ask("PATCH", `${apps}/deployments/web/scale`, { body: '{"spec":{"replicas":3}}', headers });
    server.cluster.step(60_000);
    const next = step(
      query,
      first.revision,
      first.entries.map(({ revision }) => revision),
    );
    expect(next.entries[0]).toMatchObject({ auditId: "scaling again" });
    expect(next.entries.every(({ revision }) => revision > first.revision)).toBe(true);
    expect(next.entries.some(({ resource }) => resource === "pods")).toBe(true);
    expect(step(query, next.revision)).toMatchObject({ entries: [] });
  });

  test("is followed with the effects of entries that were sent earlier", async () => {
    const { of, step } = await scaled();
    const { entries } = of({ auditId: "scaling" });
    const [request, ...effects] = entries;
    const { revision = 0 } = request ?? {};
    expect(step({ auditId: "scaling" }, revision, [revision]).entries).toEqual(effects);
    expect(step({ auditId: "scaling" }, revision, []).entries).toEqual([]);
  });

  test("is followed in bounded steps without gaps", async () => {
    const sql = nodeSql();
    const { cluster } = newServer({ sql, base: "layered" });
    const { registry, client } = cluster;
    const maps = registry.catalogue.byKind("v1", "ConfigMap");
    const began = registry.store.revision;
    const count = limits.timelineStepRead + limits.timelineEntries + 50;
    for (let at = 0; at < count; at++)
      client.create(maps as never, { metadata: { namespace: "default", name: `map-${at}` } });
    const names: string[] = [];
    const query = timelineQuery.parse({ resource: "configmaps" });
    let [after, steps] = [began, 0];
    for (let hasMore = true; hasMore; steps += 1) {
      const step = timelineStep(sql, registry, { query, after, sent: [] });
      expect(step.entries.length).toBeLessThanOrEqual(limits.timelineEntries);
      names.push(...step.entries.map(({ name }) => name));
      ({ revision: after, hasMore } = step);
    }
    expect(names).toEqual(Array.from({ length: count }, (_, at) => `map-${at}`));
    expect(steps).toBeGreaterThan(5);
  });

  test("is formatted as a tree", async () => {
    const { of } = await scaled();
    const lines = timelineText(of({ auditId: "scaling" }).entries)
      .trimEnd()
      .split("\n");
    const texts = lines.map((line) => line.slice(33));
    expect(texts[0]).toBe("kubernetes-admin (patch) changed deployments.apps/scale default/web: spec.replicas: 1 → 2");
    expect(texts[1]).toMatch(/^└ deployment-controller changed replicasets\.apps default\/web-/);
    expect(texts[2]).toMatch(/^ {2}└ replicaset-controller created pods default\/web-/);
    expect(texts[3]).toMatch(/^ {4}└ scheduler changed pods/);
    expect(lines[0]).toMatch(/^2026-01-01T\d\d:\d\d:\d\d\.\d{3} +\d+ {2}/);
  });

  test("reads a bounded part of a long log", async () => {
    const sql = nodeSql();
    const { cluster } = newServer({ sql, base: "layered" });
    const { registry, client } = cluster;
    const maps = registry.catalogue.byKind("v1", "ConfigMap");
    for (let at = 0; at < limits.timelineRead + 1_000; at++)
      client.create(maps as never, { metadata: { namespace: "default", name: `map-${at}` } });
    const before = registry.store.meter.spent;
    const timelinePage = timelineOf(sql, registry, timelineQuery.parse({ name: "map-1" }));
    expect(timelinePage).toEqual({ entries: [], truncated: true });
    expect(registry.store.meter.spent - before).toBeLessThan(50_000);
  });
});
