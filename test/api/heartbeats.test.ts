// Heartbeats of simulated nodes, which are computed on reads and never written.
import { expect, test } from "vitest";
import { type Answered, newServer, type TestServer } from "./server.ts";

const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1";
const node = "/api/v1/nodes/node-1";
const list = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

interface Beating extends Answered {
  readonly spec: { readonly renewTime: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly lastHeartbeatTime: string }[] };
}

function renewedIn({ spec }: Answered): unknown {
  return spec["renewTime"];
}

function beatsOf({ status }: Beating): string[] {
  return [...new Set(status.conditions.map(({ lastHeartbeatTime }) => lastHeartbeatTime))];
}

function opened(): TestServer {
  const server = newServer({ nodes: 1 });
  server.cluster.step(3_605_000);
  return server;
}

test("a lease was renewed in the last ten seconds, and conditions were updated in the last five minutes", async () => {
  const { ask } = opened();
  expect((await ask<Beating>("GET", lease)).body.spec.renewTime).toBe("2026-01-01T01:00:00.000000Z");
  expect((await ask("GET", list)).body.items.map(renewedIn)).toEqual(["2026-01-01T01:00:00.000000Z"]);
  expect((await ask("GET", `${list}?limit=5`)).body.items.map(renewedIn)).toEqual(["2026-01-01T01:00:00.000000Z"]);
  expect(beatsOf((await ask<Beating>("GET", node)).body)).toEqual(["2026-01-01T01:00:00Z"]);
  const all = (await ask<{ items: Beating[] }>("GET", "/api/v1/nodes")).body.items;
  expect(all.flatMap(beatsOf)).toEqual(["2026-01-01T01:00:00Z"]);
});

test("an update with the read values writes nothing", async () => {
  const server = opened();
  const { revision } = server.cluster.registry.store;
  const { body } = await server.ask("GET", lease);
  expect((await server.ask("PUT", lease, { body })).code).toBe(200);
  const read = (await server.ask("GET", node)).body;
  expect((await server.ask("PUT", `${node}/status`, { body: read })).code).toBe(200);
  expect((await server.ask("PUT", node, { body: read })).code).toBe(200);
  expect(server.cluster.registry.store.revision).toBe(revision);
});

test("a user's node is returned as it was reported", async () => {
  const server = newServer({ nodes: 1 });
  const time = "2026-01-01T00:00:00Z";
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: time, lastTransitionTime: time }];
  await server.ask("POST", "/api/v1/nodes", { body: { metadata: { name: "mine" }, status: { conditions } } });
  server.cluster.step(30_000);
  const { body } = await server.ask<Beating>("GET", "/api/v1/nodes/mine");
  expect(beatsOf(body)).toEqual([time]);
});
