// The scheduling explanation of a pod, at a path below the pod.
import { describe, expect, test } from "vitest";
import { adminToken, newServer, strangerToken, viewToken } from "./server.ts";

const path = "/api/v1/namespaces/default/pods/web/scheduling";

async function serverWith(spec: object) {
  const server = newServer({ nodes: 3 });
  const container = { name: "web", image: "nginx", resources: { requests: { cpu: "100m" } } };
  const pod = { metadata: { name: "web" }, spec: { containers: [container], ...spec } };
  await server.ask("POST", "/api/v1/namespaces/default/pods", { body: pod });
  server.cluster.runUntilQuiet();
  return server;
}

interface Told {
  readonly attempts: readonly Attempt[];
  readonly current?: Attempt;
  readonly queue?: { readonly place: string; readonly waitsFor: readonly string[] };
  readonly nodeName?: string;
}

interface Attempt {
  readonly node?: string;
  readonly message?: string;
  readonly refused: readonly { readonly node: string; readonly plugin: string; readonly reasons: readonly string[] }[];
  readonly scores: readonly {
    readonly node: string;
    readonly total: number;
    readonly plugins: readonly { plugin: string; raw: number; normalized: number; weight: number; weighted: number }[];
  }[];
}

describe("the scheduling attempts of a pod", () => {
  test("have the chosen node and each plugin's score of each node, which add up", async () => {
    const server = await serverWith({});
    const { code, body } = await server.ask<Told>("GET", path);
    expect(code).toBe(200);
    const [attempt, ...more] = body.attempts;
    expect(more).toEqual([]);
    expect(attempt?.node).toBe(body.nodeName);
    expect(attempt?.scores.map(({ node }) => node).sort()).toEqual(["node-1", "node-2", "node-3"]);
    expect(attempt?.scores[0]?.node).toBe(body.nodeName);
    for (const { total, plugins } of attempt?.scores ?? []) {
      expect(plugins.reduce((sum, { weighted }) => sum + weighted, 0)).toBe(total);
      for (const { normalized, weight, weighted } of plugins) expect(weighted).toBe(normalized * weight);
    }
    expect(attempt?.scores[0]?.plugins.map(({ plugin, weight }) => `${plugin} ${weight}`)).toEqual([
      "TaintToleration 3",
      "NodeResourcesFit 1",
      "NodeResourcesBalancedAllocation 1",
      "ImageLocality 1",
    ]);
  });

  test("have the plugin that refused each node, and what the pod waits for", async () => {
    const server = await serverWith({ nodeSelector: { disk: "ssd" } });
    const { body } = await server.ask<Told>("GET", path);
    const refused = ["node-1", "node-2", "node-3"].map((node) => ({
      node,
      plugin: "NodeAffinity",
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
    }));
    expect(body.current?.refused).toEqual(refused);
    expect(body.attempts[0]?.refused).toEqual(refused);
    expect(body.current?.message).toBe(body.attempts[0]?.message);
    expect(body.queue).toMatchObject({ place: "waiting", waitsFor: ["NodeAffinity"] });
  });

  test("include the gate of a gated pod", async () => {
    const server = await serverWith({ schedulingGates: [{ name: "example.com/wait" }] });
    const { body } = await server.ask<Told>("GET", path);
    expect(body.queue).toMatchObject({ place: "gated", waitsFor: ["SchedulingGates"] });
    expect(body.attempts).toEqual([]);
  });

  test("can be read without side effects", async () => {
    const server = await serverWith({ nodeSelector: { disk: "ssd" } });
    const { revision } = server.cluster.registry.store;
    await server.ask("GET", path);
    expect(server.cluster.registry.store.revision).toBe(revision);
    expect(server.cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("are readable with get on the pod only, and absent from discovery", async () => {
    const server = await serverWith({});
    expect((await server.ask("GET", path, { token: viewToken })).code).toBe(200);
    expect((await server.ask("GET", path, { token: strangerToken })).code).toBe(403);
    expect((await server.ask("GET", path, { token: null })).code).not.toBe(200);
    expect((await server.ask("POST", path, { token: adminToken, body: {} })).code).toBe(404);
    expect((await server.ask("GET", path.replace("web", "absent"))).body.message).toBe('pods "absent" not found');
    expect((await server.ask("GET", "/api/v1")).text).not.toContain("pods/scheduling");
  });
});
