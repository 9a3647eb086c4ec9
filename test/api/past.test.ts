// Reads of past states: `?at=` with a resource version or a time, and `/at/<moment>` before the path.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { configMap, core, deployment, apps, newServer, refusal, refused, type TestServer } from "./server.ts";

const maps = `${core}/configmaps`;

async function written(server: TestServer, name: string, value: string): Promise<number> {
  const put = await server.ask("PUT", `${maps}/${name}`, { body: configMap(name, { value }) });
  return Number(put.body.metadata.resourceVersion);
}

async function names(server: TestServer, query: string): Promise<string[]> {
  const { body } = await server.ask("GET", `${maps}${query}`);
  return body.items.map(({ metadata, data }) => `${metadata.name}=${data?.["value"] ?? ""}`);
}

async function story() {
  const server = newServer({ base: "layered" });
  const { clock, registry } = server.cluster;
  await server.ask("POST", maps, { body: configMap("a", { value: "1" }) });
  const firstMoment = { revision: registry.store.revision, time: new Date(clock.nowMs()).toISOString() };
  server.cluster.step(60_000);
  await written(server, "a", "2");
  await server.ask("POST", maps, { body: configMap("b", { value: "1" }) });
  const two = { revision: registry.store.revision, time: new Date(clock.nowMs()).toISOString() };
  server.cluster.step(3_600_000);
  await server.ask("DELETE", `${maps}/a`);
  await written(server, "b", "2");
  return { server, one: firstMoment, two };
}

describe("the past of a cluster", () => {
  test("is read at a revision, and at a time", async () => {
    const { server, one: firstMoment, two } = await story();
    const initialMaps = ["kube-root-ca.crt="];
    expect(await names(server, "")).toEqual(["b=2", ...initialMaps]);
    for (const at of [firstMoment.revision, firstMoment.time])
      expect(await names(server, `?at=${at}`)).toEqual(["a=1", ...initialMaps]);
    for (const at of [two.revision, two.time])
      expect(await names(server, `?at=${at}`)).toEqual(["a=2", "b=1", ...initialMaps]);
    const { body } = await server.ask("GET", `${maps}/a?at=${firstMoment.revision}`);
    expect(body.data).toEqual({ value: "1" });
    expect((await server.ask("GET", `${maps}/b?at=${firstMoment.revision}`)).code).toBe(404);
    expect((await server.ask("GET", `/at/${two.revision}${maps}/a`)).body.data).toEqual({ value: "2" });
    expect((await server.ask("GET", `/at/${encodeURIComponent(two.time)}${maps}/a`)).body.data).toEqual({ value: "2" });
  });

  test("has its own revision and time, so that ages are those of the past", async () => {
    const { server, two } = await story();
    const accept = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
    const table = await server.ask("GET", `${maps}?at=${two.time}`, { headers: accept });
    expect(table.body.metadata.resourceVersion).toBe(String(two.revision));
    expect(table.body.rows.find(({ cells }) => cells[0] === "a")?.cells.at(-1)).toBe("60s");
    expect(new Date(table.headers.get("date") ?? "").toISOString()).toBe(two.time.replace(/\.\d+/, ".000"));
  });

  test("is paged, counted and selected as the present", async () => {
    const server = newServer({ base: "layered" });
    for (const name of ["a", "b", "c", "d"])
      await server.ask("POST", maps, { body: configMap(name, {}, { labels: { odd: String("ac".includes(name)) } }) });
    const at = server.cluster.registry.store.revision;
    await server.ask("DELETE", maps);
    const first = await server.ask("GET", `${maps}?at=${at}&limit=2`);
    expect(first.body.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(first.body.metadata.remainingItemCount).toBe(3);
    const token = encodeURIComponent(first.body.metadata.continue ?? "");
    const second = await server.ask("GET", `${maps}?at=${at}&limit=2&continue=${token}`);
    expect(second.body.items.map(({ metadata }) => metadata.name)).toEqual(["c", "d"]);
    const odd = await server.ask("GET", `${maps}?at=${at}&labelSelector=odd%3Dtrue`);
    expect(odd.body.items.map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
  });

  test("is a day, longer than lists can read back", async () => {
    const { server, one: firstMoment } = await story();
    server.cluster.step(2 * limits.changeLogMs);
    await written(server, "b", "3");
    await written(server, "b", "4");
    expect(server.cluster.registry.store.compacted).toBeGreaterThan(firstMoment.revision);
    expect(await names(server, `?at=${firstMoment.revision}`)).toEqual(["a=1", "kube-root-ca.crt="]);
  });

  test.each([
    ["POST", maps, configMap("new")],
    ["PUT", `${maps}/b`, configMap("b")],
    ["DELETE", `${maps}/b`, undefined],
    ["DELETE", maps, undefined],
  ])("cannot be changed: %s %s", async (method, path, body) => {
    const { server, two } = await story();
    const before = server.cluster.registry.store.revision;
    const message = `the cluster is shown as it was at revision ${two.revision}, and is read-only: ask without "at" to change it`;
    const answer = await server.ask(method, `${path}?at=${two.revision}`, { body });
    expect(refusal(answer)).toEqual(refused(405, "MethodNotAllowed", message));
    expect(server.cluster.registry.store.revision).toBe(before);
  });

  test("computes the result of a dry-run write, for kubectl diff", async () => {
    const { server, one: firstMoment } = await story();
    const before = server.cluster.registry.store.revision;
    const headers = { "content-type": "application/merge-patch+json" };
    const patch = JSON.stringify({ data: { more: "x" } });
    const answer = await server.ask("PATCH", `${maps}/a?at=${firstMoment.revision}&dryRun=All`, {
      body: patch,
      headers,
    });
    expect([answer.code, answer.body.data]).toEqual([200, { value: "1", more: "x" }]);
    expect(server.cluster.registry.store.revision).toBe(before);
  });

  test.each([
    [`${core}/pods/web/exec?command=ls`, 405, /exec cannot be asked/],
    [`${maps}?watch=true`, 405, /nothing changes any more/],
    [`${maps}?at=nonsense`, 400, /must be a resource version, or a time/],
    [`${maps}?at=999999`, 400, /there is no revision 999999 yet/],
    [`${maps}?at=2999-01-01T00:00:00Z`, 400, /has not come yet/],
  ])("is refused: %s", async (path, code, message) => {
    const { server, two } = await story();
    const at = path.includes("at=") ? "" : `${path.includes("?") ? "&" : "?"}at=${two.revision}`;
    const answer = await server.ask("GET", `${path}${at}`);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toMatch(message);
  });

  test("is refused after it was compacted", async () => {
    const { server, one: firstMoment } = await story();
    server.cluster.step(2 * limits.historyMs);
    for (let at = 0; at < 3; at++) {
      await written(server, "b", String(at));
      server.cluster.step(limits.historyMarkMs * 2);
    }
    server.cluster.registry.store.compact(server.cluster.registry.store.revision - 1);
    for (const at of [firstMoment.revision, firstMoment.time]) {
      const answer = await server.ask("GET", `${maps}?at=${at}`);
      expect([answer.code, answer.body["reason" as never]]).toEqual([410, "Expired"]);
    }
  });

  test("includes the scale of a workload, and objects with owners", async () => {
    const server = newServer({ base: "layered" });
    await server.ask("POST", `${apps}/deployments`, { body: deployment("web", 2) });
    server.cluster.runUntilQuiet();
    const at = server.cluster.registry.store.revision;
    await server.ask("DELETE", `${apps}/deployments/web`);
    server.cluster.runUntilQuiet();
    const scale = await server.ask("GET", `${apps}/deployments/web/scale?at=${at}`);
    expect(scale.body.spec).toEqual({ replicas: 2 });
    const running = await server.ask("GET", `${core}/pods?at=${at}&fieldSelector=status.phase%3DRunning`);
    expect(running.body.items).toHaveLength(2);
    expect((await server.ask("GET", `${core}/pods`)).body.items).toEqual([]);
  });

  test("is read for 1,000 objects within 50 ms of work", async () => {
    const server = newServer({ base: "layered" });
    const { store } = server.cluster.registry;
    for (let at = 0; at < 1_000; at++)
      server.cluster.client.create(server.cluster.registry.catalogue.byKind("v1", "ConfigMap") as never, {
        metadata: { namespace: "default", name: `map-${at}` },
      });
    const at = store.revision;
    await server.ask("DELETE", maps);
    const before = store.meter.spent;
    const { body } = await server.ask("GET", `${maps}?at=${at}`);
    expect(body.items).toHaveLength(1_001);
    expect(store.meter.spent - before).toBeLessThan(50_000);
  });
});
