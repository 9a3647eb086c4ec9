// Injected faults: which requests, watches, controllers, nodes and containers they hit, from the trigger to the end.
import { describe, expect, test } from "vitest";
import { faultLimits } from "../../shared/contract/cluster/fault-limits.ts";
import { putFaults } from "../../shared/contract/cluster/faults.ts";
import { timelineQuery } from "../../shared/contract/cluster/past.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { timelineText } from "../../shared/state/timeline-text.ts";
import { FaultEngine } from "../../worker/cluster/time/faults/engine.ts";
import { timelineOf, timelineStep } from "../../worker/cluster/time/past/timeline.ts";
import { configMaps, newFaultyServer } from "./faulty-server.ts";

const agent = { headers: { "user-agent": "operator/1.0" } };

const isCut = ({ headers }: { readonly headers: Headers }) => headers.has(internalHeaders.cut);

describe("faults of requests", () => {
  test.each([
    [409, "Conflict"],
    [429, "TooManyRequests"],
    [500, "InternalError"],
    [503, "ServiceUnavailable"],
    [504, "Timeout"],
  ] as const)("a selected request is answered %i, other requests are not", async (status, reason) => {
    const { set, create, ask } = newFaultyServer();
    await set({ selector: { verb: "create", resource: "configmaps" }, action: { status } });
    expect((await create("a")).body).toMatchObject({ kind: "Status", code: status, reason });
    expect((await ask("GET", configMaps)).code).toBe(200);
    const secret = { body: { metadata: { name: "a" } } };
    expect((await ask("POST", "/api/v1/namespaces/default/secrets", secret)).code).toBe(201);
  });

  test("a 429 has a Retry-After", async () => {
    const { set, create } = newFaultyServer();
    await set({ action: { status: 429, retryAfterSeconds: 7 } });
    expect((await create("a")).headers.get("retry-after")).toBe("7");
  });

  test("a client is selected by its user and its user agent", async () => {
    const { set, create } = newFaultyServer();
    await set(
      { selector: { userAgent: "operator/" }, action: { status: 503 } },
      { selector: { user: "nobody" }, action: { status: 500 } },
    );
    expect([(await create("a", agent)).code, (await create("a")).code]).toEqual([503, 201]);
  });

  test("occurrences are counted, a fault ends after its number of injections, and a share follows from the seed", async () => {
    const { set, create } = newFaultyServer();
    await set({ selector: { verb: "create", occurrence: 2 }, action: { status: 503 } });
    expect([(await create("a")).code, (await create("b")).code, (await create("c")).code]).toEqual([201, 503, 201]);
    await set({ selector: { verb: "create" }, action: { status: 503 }, end: { times: 1 } });
    expect([(await create("d")).code, (await create("d")).code]).toEqual([503, 201]);
    const shares = async () => {
      const server = newFaultyServer();
      await server.set({ selector: { share: 0.5 }, action: { status: 503 } });
      const codes: number[] = [];
      for (let at = 0; at < 30; at++) codes.push((await server.create(`c-${at}`)).code);
      return codes;
    };
    const codes = await shares();
    expect(codes.filter((code) => code === 503).length).toBeGreaterThan(5);
    expect(codes.filter((code) => code === 201).length).toBeGreaterThan(5);
    expect(await shares()).toEqual(codes);
  });

  test("latency delays the answer; a lost answer belongs to a committed write; a cut request is not handled", async () => {
    const { set, create, ask, waits } = newFaultyServer();
    await set(
      { selector: { verb: "list" }, action: { latency: "3s" } },
      { selector: { verb: "create" }, action: { lostAnswer: true } },
      { selector: { verb: "delete" }, action: { cut: true } },
    );
    await ask("GET", configMaps);
    expect(waits).toEqual([3000]);
    expect(isCut(await create("a"))).toBe(true);
    expect(isCut(await ask("DELETE", `${configMaps}/a`))).toBe(true);
    expect((await ask("GET", `${configMaps}/a`)).code).toBe(200);
  });

  test("a client is disconnected right after its n-th write, until the fault ends", async () => {
    const { set, create, ask, calls } = newFaultyServer();
    await set({
      name: "crash",
      selector: { userAgent: "operator" },
      trigger: { write: 2 },
      action: { disconnect: true },
    });
    const lease = { metadata: { name: "lock" } };
    await ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", { ...agent, body: lease });
    expect([isCut(await create("a", agent)), isCut(await create("b", agent))]).toEqual([false, true]);
    expect([isCut(await ask("GET", configMaps, agent)), isCut(await ask("GET", configMaps))]).toEqual([true, false]);
    expect((await ask("GET", `${configMaps}/b`)).code).toBe(200);
    expect(await calls.deleteFaults("crash")).toMatchObject({ ok: true, faults: [{ state: "ended", writes: 2 }] });
    expect(isCut(await ask("GET", configMaps, agent))).toBe(false);
  });

  test("a cluster without faults runs no code of faults", async () => {
    const { faults, create, set, calls } = newFaultyServer();
    expect(faults.isIdle).toBe(true);
    await set({ action: { status: 503 } });
    expect([faults.isIdle, (await create("a")).code]).toEqual([false, 503]);
    await calls.deleteFaults(undefined);
    expect([faults.isIdle, (await create("a")).code]).toEqual([true, 201]);
  });
});

describe("triggers and ends", () => {
  test("a change of an object starts a fault, and another change ends it", async () => {
    const { set, create, ask } = newFaultyServer();
    const object = { resource: "configmaps", namespace: "default" };
    await set({
      selector: { resource: "secrets" },
      trigger: { change: { ...object, name: "a", change: "created" } },
      action: { status: 503 },
      end: { change: { ...object, name: "a", change: "changed", expression: "object.data.x == '2'" } },
    });
    const secrets = async () => (await ask("GET", "/api/v1/namespaces/default/secrets")).code;
    const patch = (x: string) =>
      ask("PATCH", `${configMaps}/a`, {
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ data: { x } }),
      });
    expect(await secrets()).toBe(200);
    await create("a");
    expect(await secrets()).toBe(503);
    await patch("1");
    expect(await secrets()).toBe(503);
    await patch("2");
    expect(await secrets()).toBe(200);
  });

  test("a condition starts a fault and ends it", async () => {
    const { set, create, ask } = newFaultyServer();
    const when = (name: string) => ({
      ...{ resource: "configmaps", namespace: "default", name, expression: "object != null" },
    });
    await set({
      selector: { verb: "list" },
      trigger: { when: when("a") },
      action: { status: 500 },
      end: { when: when("b") },
    });
    const codes: number[] = [];
    for (const name of ["c", "a", "b"]) {
      await create(name);
      codes.push((await ask("GET", configMaps)).code);
    }
    expect(codes).toEqual([200, 500, 200]);
  });

  test("a time starts a fault, and a duration ends it", async () => {
    const { set, cluster, faults, clock } = newFaultyServer();
    const at = new Date(clock.nowMs() + 60_000).toISOString();
    await set({ trigger: { at }, action: { status: 500 }, end: { after: "30s" } });
    const stateAfter = (ms: number) => {
      cluster.step(ms);
      return faults.list(0).faults[0]?.state;
    };
    expect([stateAfter(59_000), stateAfter(2000), stateAfter(28_000), stateAfter(2000)]).toEqual([
      ...["waiting", "active", "active", "ended"],
    ]);
  });

  test("faults and their progress survive an eviction of the cluster from memory", async () => {
    const { set, create, sql, cluster } = newFaultyServer();
    await set({ selector: { verb: "create" }, action: { status: 503 }, end: { times: 5 } });
    await create("a");
    const again = new FaultEngine({
      sql,
      registry: () => cluster.registry,
      wake: () => undefined,
      injected: () => undefined,
    });
    again.open();
    expect(again.list(0)).toMatchObject({ seed: 1, faults: [{ state: "active", injected: 1 }] });
    expect(again.injections()).toMatchObject([{ number: 1, effect: "answered 503", resource: "configmaps" }]);
  });
});

describe("faults of watches", () => {
  const watched = async (ask: ReturnType<typeof newFaultyServer>["ask"], revision: string, headers = agent.headers) => {
    const { text } = await ask("GET", `${configMaps}?watch=true&resourceVersion=${revision}`, { headers });
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } })
      .map(({ type, object }) => `${type} ${object.metadata.name}`);
  };

  test("a frozen object is hidden from the watches of one client until the fault ends, and lists are current", async () => {
    const { set, create, ask, calls, cluster, faults } = newFaultyServer();
    const revision = String(cluster.registry.store.revision);
    await set({
      name: "stale",
      selector: { userAgent: "operator", resource: "configmaps", name: "a" },
      action: { watch: "freeze" },
    });
    await create("a");
    await create("b");
    expect(await watched(ask, revision)).toEqual(["ADDED b"]);
    expect(await watched(ask, revision, { "user-agent": "kubectl" })).toEqual(["ADDED a", "ADDED b"]);
    expect((await ask("GET", configMaps, agent)).body.items.map(({ metadata }) => metadata.name)).toContain("a");
    const released: string[] = [];
    await calls.deleteFaults("stale");
    faults.flush({
      endClients: () => undefined,
      endAll: () => undefined,
      release: (changes, wasHeld) => {
        for (const change of changes) {
          const isHeld = wasHeld({ user: "kubernetes-admin", userAgent: "operator/1.0" }, change);
          released.push(`${change.name} ${isHeld} ${wasHeld({ user: "jane", userAgent: "kubectl" }, change)}`);
        }
      },
    });
    expect(released).toEqual(["a true false"]);
    expect(await watched(ask, revision)).toEqual(["ADDED a", "ADDED b"]);
  });

  test("events are skipped permanently, also for a later watch", async () => {
    const { set, create, ask, calls, cluster } = newFaultyServer();
    const revision = String(cluster.registry.store.revision);
    await set({ name: "skip", selector: { resource: "configmaps", name: "a" }, action: { watch: "skip" } });
    await create("a");
    await calls.deleteFaults("skip");
    await create("b");
    expect(await watched(ask, revision)).toEqual(["ADDED b"]);
  });

  test("a lagging server lists from its cache as of a change, and refuses initial events", async () => {
    const { set, create, ask } = newFaultyServer();
    await create("a");
    const of = { resource: "configmaps", namespace: "default" };
    await set({
      selector: { userAgent: "operator", resource: "configmaps" },
      trigger: { change: { ...of, name: "c", change: "created" } },
      action: { stale: { ...of, name: "b", change: "created", before: true } },
    });
    for (const name of ["b", "c"]) await create(name);
    const names = async (query: string) =>
      (await ask("GET", `${configMaps}${query}`, agent)).body.items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name !== "kube-root-ca.crt");
    expect(await names("?resourceVersion=0")).toEqual(["a"]);
    expect(await names("")).toEqual(["a", "b", "c"]);
    const initial = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    expect((await ask("GET", `${configMaps}${initial}`, agent)).code).toBe(422);
  });
});

describe("faults of the cluster", () => {
  test("a controller is stopped, and catches up", async () => {
    const { set, calls, ask, settle } = newFaultyServer();
    await set({ name: "stop", action: { stop: "deployment-controller" } });
    const labels = { app: "web" };
    await ask("POST", "/apis/apps/v1/namespaces/default/deployments", {
      body: {
        metadata: { name: "web" },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
        },
      },
    });
    const count = async () => (await ask("GET", "/apis/apps/v1/namespaces/default/replicasets")).body.items.length;
    expect(await count()).toBe(0);
    await calls.deleteFaults("stop");
    settle();
    expect(await count()).toBe(1);
    expect(await calls.setFaults(putFaults.parse({ faults: [{ action: { stop: "nonsense" } }] }))).toMatchObject({
      ...{ ok: false, code: "invalid_field", field: "faults.0.action.stop" },
    });
  });

  test("the clock jumps, and the history is compacted", async () => {
    const { set, cluster, clock, create } = newFaultyServer();
    await create("a");
    const before = clock.nowMs();
    await set({ action: { clock: "1h" } }, { action: { compact: true } });
    expect(clock.nowMs()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(cluster.registry.store.compacted).toBe(cluster.registry.store.revision);
  });

  test("each injection is marked in the timeline", async () => {
    const { set, create, sql, cluster, calls } = newFaultyServer();
    await create("a");
    await set({ name: "busy", selector: { verb: "create" }, action: { status: 503 } });
    await create("b");
    const { entries } = timelineOf(sql, cluster.registry, timelineQuery.parse({}));
    const line = /⚡ fault busy: answered 503 \(kubernetes-admin create configmaps\)$/m;
    expect(timelineText(entries)).toMatch(line);
    // The mark stays when the fault is deleted.
    await calls.deleteFaults(undefined);
    expect(timelineText(timelineOf(sql, cluster.registry, timelineQuery.parse({})).entries)).toMatch(line);
    await set({ name: "slow", action: { latency: "1s" } });
    expect(await calls.getFaults({ since: 0, waitSeconds: 0 })).toMatchObject({ injections: [] });
  });
});

describe("a followed timeline", () => {
  const follower = ({ sql, cluster }: ReturnType<typeof newFaultyServer>, more: object = {}, injection?: number) => {
    const query = timelineQuery.parse({ resource: "configmaps", ...more });
    let from: { readonly revision: number; readonly injection?: number } = {
      revision: cluster.registry.store.revision,
      ...(injection === undefined ? {} : { injection }),
    };
    return () => {
      const { revision: after, injection } = from;
      const step = timelineStep(sql, cluster.registry, { query, after, injection, sent: [] });
      from = step;
      return step.entries.map(({ change, name, summary }) => (change === "fault" ? summary : `${change} ${name}`));
    };
  };

  test("has each injection once, behind the change of its revision, also if nothing changes", async () => {
    const server = newFaultyServer();
    const next = follower(server);
    await server.set({
      name: "busy",
      selector: { verb: "create", resource: "configmaps", occurrence: 2 },
      action: { status: 503 },
    });
    for (const name of ["a", "b", "c"]) await server.create(name);
    expect(next()).toEqual(["created a", "fault busy: answered 503", "created c"]);
    expect(next()).toEqual([]);
    await server.set({ name: "slow", selector: { verb: "get" }, action: { latency: "1s" } });
    await server.ask("GET", `${configMaps}/a`);
    expect(next()).toEqual(["fault slow: delayed by 1000 ms"]);
    await server.ask("GET", `${configMaps}/a`);
    expect([next(), next()]).toEqual([["fault slow: delayed by 1000 ms"], []]);
  });

  test("has only the injections that its query selects", async () => {
    const server = newFaultyServer();
    const [ofConfigMaps, ofSecrets] = [follower(server, {}, 0), follower(server, { resource: "secrets" }, 0)];
    await server.set({ action: { status: 503 } });
    await server.create("a");
    expect([ofConfigMaps(), ofSecrets()]).toEqual([["fault 0: answered 503"], []]);
  });

  test("has the injections after the revision at which it resumes", async () => {
    const server = newFaultyServer();
    await server.set({ name: "early", selector: { verb: "list" }, action: { latency: "1s" }, end: { times: 1 } });
    await server.ask("GET", configMaps);
    await server.create("a");
    const next = follower(server);
    await server.create("b");
    await server.set({ name: "late", selector: { verb: "list" }, action: { latency: "1s" } });
    await server.ask("GET", configMaps);
    expect(next()).toEqual(["created b", "fault late: delayed by 1000 ms"]);
  });
});

describe("bounds", () => {
  test.each([
    ["no fault", { faults: [] }, "faults"],
    ["too many faults", { faults: Array.from({ length: 51 }, () => ({ action: { cut: true } })) }, "faults"],
    ["an unknown action", { faults: [{ action: { explode: true } }] }, "faults.0.action"],
    ["a long latency", { faults: [{ action: { latency: "61s" } }] }, "faults.0.action.latency"],
    ["a share of nothing", { faults: [{ selector: { share: 0 }, action: { cut: true } }] }, "faults.0.selector.share"],
    ["a seed below 0", { seed: -1, faults: [{ action: { cut: true } }] }, "seed"],
  ])("%s is refused", (_, body, field) => {
    const { error } = putFaults.safeParse(body);
    expect(error?.issues[0]?.path.join(".")).toBe(field);
  });

  test("an expression that does not compile names its field", async () => {
    const { calls } = newFaultyServer();
    const when = { resource: "pods", namespace: "default", name: "a", expression: "object." };
    const faults = putFaults.parse({ faults: [{ trigger: { when }, action: { cut: true } }] });
    expect(await calls.setFaults(faults)).toMatchObject({
      ...{ ok: false, code: "invalid_field", field: "faults.0.trigger.when.expression" },
    });
    expect(await calls.getFaults({ since: 0, waitSeconds: 0 })).toMatchObject({ ok: true, faults: [] });
  });

  test("only the newest injections are stored", async () => {
    const { set, faults } = newFaultyServer();
    await set({ action: { record: true } });
    const target = {
      user: "a",
      userAgent: "",
      verb: "get",
      resource: "pods",
      subresource: "",
      namespace: "",
      name: "",
    };
    for (let at = 0; at < faultLimits.injections + 10; at++) faults.begin(target);
    expect(faults.injections()).toHaveLength(faultLimits.injections);
    expect(faults.injections()[0]?.number).toBe(11);
    expect(faults.list(0).injections).toHaveLength(faultLimits.injectionsShown);
  });
});
