// The cause of each change: requests by Audit-Id, and controllers by the change that they react to, back to a request.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { must } from "../../shared/base/assert.ts";
import type { Cause } from "../../worker/store/cause.ts";
import { configMap, core, newServer, type TestServer } from "./server.ts";

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "nginx" }] } },
  },
};

function causesSince(
  { cluster }: TestServer,
  revision: number,
): { resource: string; revision: number; cause: Cause }[] {
  return cluster.registry.store.history(revision, 500);
}

test("R15: a change has its user, its verb and the response's Audit-Id", async () => {
  const server = newServer({ controllers: [] });
  const { revision } = server.cluster.registry.store;
  const created = await server.ask("POST", `${core}/configmaps`, { body: configMap("a") });
  const headers = { "audit-id": "mine", "content-type": "application/merge-patch+json" };
  const patched = await server.ask("PATCH", `${core}/configmaps/a`, { headers, body: '{"data":{"x":"y"}}' });
  await server.ask("DELETE", `${core}/configmaps/a`, { headers: { "audit-id": "x".repeat(5000) } });
  const user = "kubernetes-admin";
  expect(patched.headers.get("audit-id")).toBe("mine");
  expect(causesSince(server, revision).map(({ cause }) => cause)).toEqual([
    { user, origin: "create", auditId: created.headers.get("audit-id") },
    { user, origin: "patch", auditId: "mine" },
    { user, origin: "delete", auditId: "x".repeat(limits.auditIdCharacters) },
  ]);
});

test("R15: a change by a subresource has its name, also with impersonation", async () => {
  const server = newServer({ controllers: [] });
  await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body: deployment });
  const { revision } = server.cluster.registry.store;
  const path = "/apis/apps/v1/namespaces/default/deployments/web";
  const headers = { "audit-id": "x", "content-type": "application/merge-patch+json" };
  const as = { ...headers, "impersonate-user": "bob", "impersonate-group": "system:masters" };
  await server.ask("PATCH", `${path}/scale`, { headers, body: '{"spec":{"replicas":2}}' });
  await server.ask("PATCH", `${path}/status`, { headers: as, body: '{"status":{"replicas":2}}' });
  expect(causesSince(server, revision).map(({ cause }) => cause)).toEqual([
    { user: "kubernetes-admin", origin: "patch", auditId: "x", subresource: "scale" },
    { user: "bob", origin: "patch", auditId: "x", impersonator: "kubernetes-admin", subresource: "status" },
  ]);
});

test("R15: the impersonator is recorded too", async () => {
  const server = newServer({ controllers: [] });
  const { revision } = server.cluster.registry.store;
  const headers = { "audit-id": "acting", "impersonate-user": "bob", "impersonate-group": "system:masters" };
  await server.ask("POST", `${core}/configmaps`, { body: configMap("a"), headers });
  expect(causesSince(server, revision).map(({ cause }) => cause)).toEqual([
    { user: "bob", origin: "create", auditId: "acting", impersonator: "kubernetes-admin" },
  ]);
});

test("R15: writes of the API server for a request have its id", async () => {
  const server = newServer({ controllers: [] });
  const { revision } = server.cluster.registry.store;
  const body = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } };
  await server.ask("POST", `${core}/services`, { body, headers: { "audit-id": "one" } });
  expect(causesSince(server, revision).map(({ resource, cause }) => [resource.split(".")[0], cause])).toEqual([
    ["ipaddresses", { user: "system:apiserver", origin: "create", auditId: "one" }],
    ["services", { user: "kubernetes-admin", origin: "create", auditId: "one" }],
  ]);
});

test("Q12: causes lead from a controller's writes back to the request", async () => {
  const server = newServer();
  const { cluster } = server;
  const { revision } = cluster.registry.store;
  await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", {
    body: deployment,
    headers: { "audit-id": "first" },
  });
  cluster.step(60_000);
  const changes = causesSince(server, revision);
  const byRevision = new Map(changes.map((pastChange) => [pastChange.revision, pastChange]));
  const ready = must(
    changes.findLast(({ resource }) => resource === "pods"),
    "a change of the pod",
  );
  const way: string[] = [];
  for (let at: (typeof changes)[number] | undefined = ready; at; at = byRevision.get(at.cause.reactsTo ?? 0)) {
    way.push(`${at.resource} by ${at.cause.auditId ?? at.cause.origin.split(":")[0]}`);
    expect(at.cause.reactsTo ?? 0).toBeLessThan(at.revision);
  }
  expect(way.at(-1)).toBe("deployments.apps by first");
  expect(way).toContain("pods by scheduler");
  expect(changes.length).toBeGreaterThan(8);
  expect(changes.filter(({ cause }) => cause.auditId === undefined && cause.reactsTo === undefined)).toEqual([]);
});
