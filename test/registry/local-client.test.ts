// The in-process client: its reads, and the identity of its writes.
import { describe, expect, test } from "vitest";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import { limits } from "../../shared/base/limits.ts";
import { parseSelector } from "../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339Micro } from "../../shared/k8s/time.ts";
import { defineKind, type Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import { type Audited, auditEvent, objectRef } from "../../worker/registry/audit.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import type { Client } from "../../worker/registry/client.ts";
import { localClient } from "../../worker/registry/local-client.ts";
import type { Registry } from "../../worker/registry/registry.ts";
import { actor, configMapKind, deploymentKind, newBed, nodeKind, refusal } from "./bed.ts";

const maps = configMapKind({ indexValue: ({ data = {} }) => data["node"] ?? "" });
const nodes = nodeKind();
const deployments = deploymentKind({
  actions: {
    rollback: {
      type: "io.k8s.api.core.v1.Binding",
      run: (object) => ({ store: { ...object, spec: { ...object.spec, replicas: 7 } } }),
    },
  },
});
const pods = defineKind("", "v1", "pods", {
  columns: [],
  actions: {
    binding: {
      type: "io.k8s.api.core.v1.Binding",
      run: (object, body) => ({ store: { ...object, metadata: { ...object.metadata, labels: bound(body) } } }),
    },
  },
});

function bound(body: KubeObject): Record<string, string> {
  const { target } = body as KubeObject & { target: { name: string; kind: string } };
  return { node: target.name, kind: target.kind, uid: body.metadata.uid ?? "" };
}

function fixture(overrides: Partial<Registry> = {}) {
  const bed = newBed([maps, nodes, deployments, pods], overrides);
  const client = localClient(bed.registry, { actor: () => actor });
  const map = (name: string, more: object = {}, namespace = "default") =>
    client.create(maps, { metadata: { name, namespace, ...more }, data: { node: "n" } });
  return { bed, client, map };
}

const names = (objects: Iterable<KubeObject>) => [...objects].map(({ metadata }) => metadata.name);

describe("S7: reads of a client", () => {
  test("return one object, a list in key order, and the number", () => {
    const { client, map } = fixture();
    for (const name of ["b", "a", "c"]) map(name, { labels: { is: name } });
    map("a", {}, "other");
    expect(client.get(maps, "default", "a")?.metadata.name).toBe("a");
    expect(client.get(maps, "default", "z")).toBeUndefined();
    expect(names(client.list(maps))).toEqual(["a", "b", "c", "a"]);
    expect(names(client.list(maps, { namespace: "other" }))).toEqual(["a"]);
    expect(names(client.list(maps, { labels: parseSelector("is in (a,c)") }))).toEqual(["a", "c"]);
    expect(names(client.each(maps, { after: { namespace: "default", name: "b" } }))).toEqual(["c", "a"]);
    expect(client.count(maps)).toBe(4);
    expect(names(client.named(maps, "a"))).toEqual(["a", "a"]);
    expect(names(client.beginningWith(maps, "default", "b"))).toEqual(["b"]);
  });

  test("return an owner's controlled objects of a kind, and dependents of any kind", () => {
    const { client, map } = fixture();
    const owner = { apiVersion: "v1", kind: "Node", name: "o" };
    map("a", { ownerReferences: [{ ...owner, uid: "u", controller: true }] });
    map("b", { ownerReferences: [{ ...owner, uid: "u" }] });
    client.create(nodes, { metadata: { name: "n", ownerReferences: [{ ...owner, uid: "u", controller: true }] } });
    expect(names(client.controlledBy(maps, "u"))).toEqual(["a"]);
    expect(names(client.controlledBy(nodes, "u"))).toEqual(["n"]);
    expect(
      [...client.dependents("u")].map(({ kind, object }) => `${kind.kind} ${object.metadata.name ?? ""}`).sort(),
    ).toEqual(["ConfigMap a", "ConfigMap b", "Node n"]);
    expect([...client.dependents("none")]).toEqual([]);
  });

  test.each([0, limits.listPageObjects])(
    "return objects without a controlling owner, in a namespace, with %i others beside",
    (more) => {
      const { client, map } = fixture();
      const owner = { apiVersion: "v1", kind: "Node", name: "o", uid: "u" };
      map("c");
      map("a", { ownerReferences: [{ ...owner, controller: true }] });
      map("b", { ownerReferences: [owner] });
      map("d", {}, "other");
      for (let at = 0; at < more; at++) map(`z-${String(at).padStart(4, "0")}`);
      const orphanNames = names(client.orphans(maps, "default"));
      expect(orphanNames.slice(0, 2)).toEqual(["b", "c"]);
      expect(orphanNames).toHaveLength(2 + more);
    },
  );

  test("skip dependents of a kind that is no longer served", () => {
    const { bed, map } = fixture();
    map("a", { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "o", uid: "u" }] });
    const later = localClient({ ...bed.registry, catalogue: new Catalogue([nodes]) }, { actor: () => actor });
    expect([...later.dependents("u")]).toEqual([]);
  });

  test("return objects by index value", () => {
    const { client, map } = fixture();
    map("a");
    client.create(maps, { metadata: { name: "b", namespace: "default" }, data: { node: "m" } });
    expect(names(client.byIndexValue(maps, "m"))).toEqual(["b"]);
    expect(client.indexValues(maps).map(({ name, indexValue }) => `${name} ${indexValue}`)).toEqual(["a n", "b m"]);
  });

  test("return computed kinds", () => {
    const computed = configMapKind({
      computed: ({ count }, namespace) =>
        [namespace ?? "all", `${count(nodes as Kind)} nodes`].map((name) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, labels: { is: name.slice(0, 1) } },
        })),
    });
    const bed = newBed([computed, nodes]);
    const client = localClient(bed.registry, { actor: () => actor });
    expect(names(client.list(computed))).toEqual(["all", "0 nodes"]);
    expect(names(client.list(computed, { namespace: "x" }))).toEqual(["x", "0 nodes"]);
    expect(names(client.list(computed, { labels: parseSelector("is=a") }))).toEqual(["all"]);
  });

  test("return kinds and authorization decisions", () => {
    const { client } = fixture();
    expect(client.kindOf("v1", "Node")).toBe(nodes);
    expect(client.kindAt("apps/v1", "deployments")).toBe(deployments);
    expect(client.kinds()).toEqual([maps, nodes, deployments, pods]);
    expect(client.decide(actor.user, {} as never).allowed).toBe(true);
  });
});

describe("R8: writes of a client", () => {
  test("invoke admission, and not RBAC", () => {
    const refusing = { decide: () => ({ allowed: false, reason: "" }) } as never;
    const operations: string[] = [];
    const plugin: AdmissionPlugin = {
      name: "Note",
      validate: ({ operation, userInfo, subresource }) =>
        void operations.push(`${operation} ${subresource} ${userInfo.name}`),
    };
    const { client } = fixture({ authorizer: refusing, plugins: () => [plugin] });
    const created = client.create(deployments, { metadata: { name: "a", namespace: "default" } });
    client.update(deployments, { ...created, spec: { ...created.spec, replicas: 2 } });
    client.updateStatus(deployments, {
      ...created,
      metadata: { name: "a", namespace: "default" },
      status: { replicas: 3 },
    });
    client.act(deployments, "rollback", "default", "a", {});
    expect(client.get(deployments, "default", "a")).toMatchObject({ spec: { replicas: 7 }, status: { replicas: 3 } });
    client.delete(deployments, "default", "a");
    expect(client.get(deployments, "default", "a")).toBeUndefined();
    expect(operations).toEqual([
      ...["CREATE  ann", "UPDATE  ann", "UPDATE status ann", "CREATE rollback ann", "DELETE  ann"],
    ]);
  });

  test("do not change their input", () => {
    const { client } = fixture();
    const draft = Object.freeze({ metadata: Object.freeze({ name: "a", namespace: "default" }) });
    expect(client.create(maps, draft).metadata.uid).toBeDefined();
    expect(draft).toEqual({ metadata: { name: "a", namespace: "default" } });
  });

  test("with tryDelete ignore an absent object, but no other error", () => {
    const { client, map } = fixture();
    map("a");
    expect(client.tryDelete(maps, "default", "a")).toBe(true);
    expect(client.tryDelete(maps, "default", "a")).toBe(false);
    map("b");
    expect(refusal(() => client.tryDelete(maps, "default", "b", { uid: "other" }))[0]).toBe(409);
    expect(refusal(() => client.delete(maps, "default", "z"))[0]).toBe(404);
    expect(
      refusal(() => client.updateSubresource(maps, "none", { metadata: { name: "z", namespace: "default" } }))[0],
    ).toBe(404);
  });

  test("do not treat a bug in a deletion as absence", () => {
    const bug: AdmissionPlugin = {
      name: "Bug",
      validate({ operation }) {
        if (operation === "DELETE") throw new TypeError("bug");
      },
    };
    const { client, map } = fixture({ plugins: () => [bug] });
    map("a");
    expect(() => client.tryDelete(maps, "default", "a")).toThrow(TypeError);
  });

  test("bind a pod by a POST to its binding", () => {
    const { bed, client } = fixture();
    const { metadata } = client.create(pods, { metadata: { name: "p", namespace: "default" } });
    client.bind("default", "p", metadata.uid ?? "", "node-1");
    expect(bed.get(pods, "p")?.metadata.labels).toEqual({ node: "node-1", kind: "Node", uid: metadata.uid });
    const without = localClient(newBed([maps]).registry, { actor: () => actor });
    expect(refusal(() => without.bind("default", "p", "", "n"))[0]).toBe(404);
  });
});

describe("B2: a client with checks", () => {
  const over = new Error("over");
  const map = { metadata: { name: "a", namespace: "default" } };
  /** Returns a client whose reads and writes would succeed; the named check throws. */
  function checked(which: "beforeRead" | "beforeWrite") {
    const { bed, map: makeMap, client } = fixture();
    makeMap("a");
    client.create(deployments, map);
    client.create(pods, map);
    const raise = () => {
      throw over;
    };
    return { bed, client: localClient(bed.registry, { actor: () => actor, [which]: raise }) };
  }

  test.each<[string, (client: Client) => unknown]>([
    ["create", (client) => client.create(nodes, { metadata: { name: "n" } })],
    ["update", (client) => client.update(maps, map)],
    ["updateStatus", (client) => client.updateStatus(deployments, map)],
    ["updateSubresource", (client) => client.updateSubresource(deployments, "status", map)],
    ["delete", (client) => client.delete(maps, "default", "a")],
    ["tryDelete", (client) => client.tryDelete(maps, "default", "a")],
    ["act", (client) => client.act(deployments, "rollback", "default", "a", {})],
    ["bind", (client) => client.bind("default", "a", "", "node-1")],
  ])("refuses %s when the turn is over, whatever was read", (_, write) => {
    const { bed, client } = checked("beforeWrite");
    const { revision } = bed.registry.store;
    expect(() => write(client)).toThrow(over);
    expect(bed.registry.store.revision).toBe(revision);
    expect(client.get(maps, "default", "a")?.metadata.name).toBe("a");
    expect(() => write(checked("beforeRead").client)).not.toThrow(over);
  });

  test.each<[string, (client: Client) => unknown]>([
    ["get", (client) => client.get(maps, "default", "a")],
    ["list", (client) => client.list(maps)],
    ["each", (client) => client.each(maps)],
    ["controlledBy", (client) => client.controlledBy(maps, "u")],
    ["orphans", (client) => client.orphans(maps, "default")],
    ["byIndexValue", (client) => client.byIndexValue(maps, "n")],
    ["named", (client) => client.named(maps, "a")],
    ["beginningWith", (client) => client.beginningWith(maps, "default", "a")],
    ["dependents", (client) => client.dependents("u")],
  ])("refuses %s when too much was read", (_, look) => {
    expect(() => look(checked("beforeRead").client)).toThrow(over);
    expect(() => look(checked("beforeWrite").client)).not.toThrow();
  });
});

describe("R7: annotations of a client's write", () => {
  const noting: AdmissionPlugin = {
    name: "Note",
    validate({ annotations, object, oldObject }) {
      const note = (object ?? oldObject)?.metadata.annotations?.["note"];
      if (note) annotations?.set(note, "b");
      if (note === "a.io/refuse") throw ApiError.badRequest("no");
      if (note === "a.io/bug") throw new RangeError("bug");
    },
  };

  function audited() {
    const events: AuditEvent[] = [];
    const withAudit = fixture({ plugins: () => [noting], audit: (event) => void events.push(event) });
    return { ...withAudit, events };
  }

  test("are stored as one audit event with user, verb, time and outcome", () => {
    const { bed, client, events } = audited();
    const at = rfc3339Micro(bed.clock.nowMs());
    const created = client.create(deployments, {
      metadata: { name: "a", namespace: "default", annotations: { note: "a.io/x" } },
    });
    expect(events).toEqual([
      {
        kind: "Event",
        apiVersion: "audit.k8s.io/v1",
        level: "Metadata",
        auditID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        stage: "ResponseComplete",
        requestURI: "/apis/apps/v1/namespaces/default/deployments",
        verb: "create",
        user: { username: "ann", groups: ["developers"] },
        objectRef: { resource: "deployments", namespace: "default", name: "a", apiGroup: "apps", apiVersion: "v1" },
        responseStatus: { metadata: {}, code: 201 },
        requestReceivedTimestamp: at,
        stageTimestamp: at,
        annotations: { "a.io/x": "b", "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
      },
    ]);
    client.updateStatus(deployments, { ...created, status: { replicas: 1 } });
    client.delete(deployments, "default", "a");
    expect(events.map(({ verb, requestURI, responseStatus }) => [verb, requestURI, responseStatus]).slice(1)).toEqual([
      ["update", "/apis/apps/v1/namespaces/default/deployments/a/status", { metadata: {}, code: 200 }],
      ["delete", "/apis/apps/v1/namespaces/default/deployments/a", { metadata: {}, code: 200 }],
    ]);
    expect(events[1]?.objectRef).toMatchObject({ subresource: "status" });
  });

  test("are stored for cluster-scoped objects, subresources and rejected writes", () => {
    const { client, events } = audited();
    client.create(nodes, { metadata: { name: "n", annotations: { note: "a.io/x" } } });
    expect([events[0]?.requestURI, events[0]?.objectRef]).toEqual([
      "/api/v1/nodes",
      { resource: "nodes", name: "n", apiVersion: "v1" },
    ]);
    client.create(deployments, { metadata: { name: "a", namespace: "default" } });
    client.act(deployments, "rollback", "default", "a", { metadata: { annotations: { note: "a.io/x" } } });
    expect(events[1]?.requestURI).toBe("/apis/apps/v1/namespaces/default/deployments/a/rollback");
    const refused = { metadata: { name: "b", namespace: "default", annotations: { note: "a.io/refuse" } } };
    expect(refusal(() => client.create(deployments, refused))[0]).toBe(400);
    expect(events[2]?.responseStatus).toEqual({
      metadata: {},
      status: "Failure",
      message: "no",
      reason: "BadRequest",
      details: undefined,
      code: 400,
    });
  });

  test("are absent for a write without annotations, and for a bug", () => {
    const { client, events } = audited();
    client.create(nodes, { metadata: { name: "n" } });
    const broken = { metadata: { name: "b", annotations: { note: "a.io/bug" } } };
    expect(() => client.create(nodes, broken)).toThrow(RangeError);
    expect(events).toEqual([]);
    client.create(nodes, {
      metadata: { name: "o", annotations: { note: "pod-security.kubernetes.io/enforce-policy" } },
    });
    expect(events).toEqual([]);
    const unread = fixture({ plugins: () => [noting] });
    expect(
      unread.client.create(nodes, { metadata: { name: "n", annotations: { note: "a.io/x" } } }).metadata.name,
    ).toBe("n");
  });

  const baseEvent: Audited = {
    auditId: "id",
    uri: "/x",
    verb: "get",
    user: { name: "ann", groups: [] },
    reason: "why",
    receivedMs: 0,
    nowMs: 1,
    outcome: 200,
    annotations: new Map([["b.io/x", "1"]]),
  };

  test("are not stored for a namespace's level alone", () => {
    const level = "pod-security.kubernetes.io/enforce-policy";
    const only = new Map([[level, "baseline"]]);
    expect(auditEvent({ ...baseEvent, annotations: only })).toBeUndefined();
    expect(auditEvent({ ...baseEvent, annotations: new Map() })).toBeUndefined();
    expect(auditEvent({ ...baseEvent, annotations: new Map([...only, ["b.io/x", "1"]]) })?.annotations).toEqual({
      "authorization.k8s.io/decision": "allow",
      "authorization.k8s.io/reason": "why",
      "b.io/x": "1",
      [level]: "baseline",
    });
  });

  test("are ordered by key", () => {
    const annotations = new Map([
      ["z.io/x", "1"],
      ["a.io/x", "2"],
    ]);
    expect(Object.keys(auditEvent({ ...baseEvent, annotations })?.annotations ?? {})).toEqual([
      "a.io/x",
      "authorization.k8s.io/decision",
      "authorization.k8s.io/reason",
      "z.io/x",
    ]);
  });

  test("omit unknown fields of a request", () => {
    expect(Object.keys(auditEvent(baseEvent) ?? {})).not.toEqual(
      expect.arrayContaining(["impersonatedUser", "userAgent", "objectRef"]),
    );
    const about = objectRef({ group: "", version: "v1", plural: "nodes", namespace: "", name: "", subresource: "" });
    const full = auditEvent({
      ...baseEvent,
      impersonated: { name: "bob", groups: ["g"], uid: "u", extra: { k: ["v"] } },
      userAgent: "kubectl",
      about,
    });
    expect(full).toMatchObject({
      impersonatedUser: { username: "bob", groups: ["g"], uid: "u", extra: { k: ["v"] } },
      userAgent: "kubectl",
    });
    expect(full?.objectRef).toEqual({ resource: "nodes", apiVersion: "v1" });
    expect(full?.user).toEqual({ username: "ann", groups: [] });
  });
});
