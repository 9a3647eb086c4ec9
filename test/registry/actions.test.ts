// POSTs to subresources, and the companions of objects.
import { describe, expect, test } from "vitest";
import type { ConfigMap } from "../../shared/k8s/api/core-v1.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { limits } from "../../shared/base/limits.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ActionResult, Companion, Kind } from "../../worker/kinds/kind.ts";
import { create } from "../../worker/registry/create.ts";
import { act } from "../../worker/registry/act.ts";
import { groupVersionKind } from "../../worker/registry/group-version-kind.ts";
import { Store } from "../../worker/store/store.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";
import { actor, configMapKind, deploymentKind, draftOf, newBed, nodeKind, refusal } from "./bed.ts";

const maps = configMapKind();
const target = { namespace: "default", name: "a", subresource: "rollback" };

function acting(run: (object: Deployment) => ActionResult<Deployment>) {
  const kind = deploymentKind({
    raisesGeneration: () => true,
    actions: { rollback: { type: "io.k8s.api.policy.v1.Eviction", run } },
  });
  const bed = newBed([kind, maps]);
  bed.create(kind, { metadata: { name: "a" } });
  bed.create(maps, { metadata: { name: "budget" } });
  return {
    kind,
    bed,
    post: (body: unknown = {}, options = {}) => act(bed.registry, kind, target, body, actor, options),
  };
}

describe("R8: a POST to a subresource with an action of its kind", () => {
  test("stores the object without the strategy of updates", () => {
    const { kind, bed, post } = acting((object) => {
      object.spec.replicas = 9;
      return { store: object };
    });
    post();
    expect(bed.get(kind, "a")).toMatchObject({ spec: { replicas: 9 }, metadata: { generation: 1 } });
  });

  test("deletes without invoking admission for the object again", () => {
    const operations: string[] = [];
    const { kind, bed } = acting(() => ({ delete: { propagation: "Orphan" } }));
    const plugin = {
      name: "Note",
      validate: ({ operation }: { operation: string }) => void operations.push(operation),
    };
    act({ ...bed.registry, plugins: () => [plugin] }, kind, target, {}, actor);
    expect(bed.get(kind, "a")?.metadata.finalizers).toEqual(["orphan"]);
    expect(operations).toEqual(["CREATE"]);
  });

  test("first writes the status of another object as the API server", () => {
    const counted = deploymentKind();
    const { bed, post } = acting(() => ({
      status: {
        kind: counted,
        object: draftOf(counted, { metadata: { name: "a", namespace: "default" }, status: { replicas: 4 } }),
      },
    }));
    post();
    expect(bed.get(counted, "a")?.status).toEqual({ replicas: 4 });
    expect(JSON.parse(bed.writes.at(-1)?.cause ?? "")).toEqual(["system:apiserver", "test"]);
  });

  test("stores nothing as a dry run, requested by the request or the body", () => {
    const all: ActionResult<Deployment> = { delete: {} };
    const counted = deploymentKind();
    const status = {
      kind: counted as Kind,
      object: draftOf(counted, { metadata: { name: "a", namespace: "default" }, status: { replicas: 4 } }),
    };
    const requestDryRun = acting((object) => ({
      ...all,
      store: { ...object, spec: { ...object.spec, replicas: 3 } },
      status,
    }));
    requestDryRun.post({}, { dryRun: true });
    expect(requestDryRun.bed.registry.store.revision).toBe(2);
    const bodyDryRun = acting((object) => ({ ...all, store: object, status, dryRun: true }));
    bodyDryRun.post();
    expect(bodyDryRun.bed.registry.store.revision).toBe(2);
  });

  test("makes the sender the field manager of the body", () => {
    const managedFields: unknown[] = [];
    const plugin = {
      name: "Note",
      mutate: ({ object }: { object?: { metadata: { managedFields?: unknown } } | undefined }) =>
        void managedFields.push(object?.metadata.managedFields),
    };
    const { kind, bed } = acting(() => ({}));
    const registry = { ...bed.registry, plugins: () => [plugin] };
    act(registry, kind, target, { metadata: { labels: { a: "b" } } }, actor);
    act(registry, kind, target, { metadata: { labels: { a: "b" } } }, actor, {
      requestResource: { kind, subresource: "" },
    });
    expect(managedFields).toEqual([
      [
        expect.objectContaining({
          manager: "kubectl",
          operation: "Update",
          apiVersion: "policy/v1",
          subresource: "rollback",
        }),
      ],
      undefined,
    ]);
  });

  test("is rejected for its body before anything is read", () => {
    const { kind, bed, post } = acting(() => ({}));
    expect(refusal(() => act(bed.registry, kind, { ...target, subresource: "none" }, {}, actor))[0]).toBe(404);
    expect(refusal(() => act(bed.registry, maps, target, {}, actor))[0]).toBe(404);
    expect(refusal(() => post({ metadata: { namespace: "other" } }))[0]).toBe(400);
    const named = (name: string) => refusal(() => act(bed.registry, kind, { ...target, name }, {}, actor));
    expect(named("")).toEqual([400, "BadRequest", "Name parameter required."]);
    expect(named("..")).toEqual([400, "BadRequest", "Name parameter invalid: \"..\": may not be '..'"]);
    expect(named("none")).toEqual([404, "NotFound", 'deployments.apps "none" not found']);
  });

  test("takes bodies with the group and version of their type", () => {
    const kindOf = (type: string) => {
      const { apiVersion, kind } = groupVersionKind(type);
      return `${apiVersion} ${kind}`;
    };
    expect(kindOf("io.k8s.api.core.v1.Binding")).toBe("v1 Binding");
    expect(kindOf("io.k8s.api.policy.v1.Eviction")).toBe("policy/v1 Eviction");
    expect(kindOf("io.k8s.api.autoscaling.v1.Scale")).toBe("autoscaling/v1 Scale");
    expect(kindOf("io.k8s.api.authentication.v1.TokenRequest")).toBe("authentication.k8s.io/v1 TokenRequest");
    expect(groupVersionKind("io.k8s.api.core.v1.Binding")).toBe(groupVersionKind("io.k8s.api.core.v1.Binding"));
  });
});

describe("R12: companions of an object", () => {
  const nodes = nodeKind();
  /** A ConfigMap whose data names nodes. */
  const naming = configMapKind({
    companions: ({ data = {} }: ConfigMap): Companion[] =>
      Object.keys(data).map((name) => ({
        kind: nodes,
        object: { apiVersion: "v1", kind: "Node", metadata: { name, labels: { by: "map" } } },
      })),
  });

  function fixture() {
    const bed = newBed([naming, nodes]);
    const names = () => [...bed.registry.store.list({ resource: "nodes" })].map(({ metadata }) => metadata.name);
    const name = (...some: string[]) =>
      bed.edit(naming, "a", (draft) => {
        draft.data = Object.fromEntries(some.map((nodeName) => [nodeName, ""]));
      });
    return { bed, names, name };
  }

  test("are created before it as the API server, and deleted after it", () => {
    const { bed, names, name } = fixture();
    bed.create(naming, { metadata: { name: "a" }, data: { x: "", y: "" } });
    expect(bed.changes.map(({ resource, name: of }) => `${resource} ${of}`)).toEqual([
      "nodes x",
      "nodes y",
      "configmaps a",
    ]);
    expect(bed.get(nodes, "x")?.metadata).toMatchObject({
      uid: expect.anything(),
      labels: { by: "map" },
      managedFields: [expect.objectContaining({ manager: "kube-apiserver" })],
    });
    expect(JSON.parse(bed.writes[0]?.cause ?? "")).toEqual(["system:apiserver", "test"]);
    name("y", "z");
    expect(names()).toEqual(["y", "z"]);
    expect(bed.changes.slice(3).map(({ type, name: of }) => `${type} ${of}`)).toEqual([
      "ADDED z",
      "MODIFIED a",
      "DELETED x",
    ]);
    bed.remove(naming, "a");
    expect(names()).toEqual([]);
  });

  test("leave an existing object with the name unchanged", () => {
    const { bed, names } = fixture();
    const existing = bed.create(nodes, { metadata: { name: "x" } });
    bed.create(naming, { metadata: { name: "a" }, data: { x: "" } });
    expect(bed.get(nodes, "x")).toBe(existing);
    expect(names()).toEqual(["x"]);
  });

  test("may be absent at its deletion, and are marked once if they have finalizers", () => {
    const { bed, name } = fixture();
    bed.create(naming, { metadata: { name: "a" }, data: { x: "", y: "" } });
    bed.remove(nodes, "x");
    bed.edit(nodes, "y", ({ metadata }) => {
      metadata.finalizers = ["x.io/y"];
    });
    name();
    const marked = bed.get(nodes, "y");
    expect(marked?.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
    });
    name("y");
    name();
    expect(bed.get(nodes, "y")).toBe(marked);
  });

  test("with one name and different kinds are separate", () => {
    const maps = configMapKind();
    const either = deploymentKind({
      companions: ({ spec }): Companion[] => [
        spec.paused
          ? { kind: nodes, object: { apiVersion: "v1", kind: "Node", metadata: { name: "x" } } }
          : {
              kind: maps,
              object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", namespace: "default" } },
            },
      ],
    });
    const bed = newBed([either, nodes, maps]);
    bed.create(either, { metadata: { name: "a" } });
    expect([bed.get(maps, "x") !== undefined, bed.get(nodes, "x") !== undefined]).toEqual([true, false]);
    bed.edit(either, "a", ({ spec }) => {
      spec.paused = true;
    });
    expect([bed.get(maps, "x") !== undefined, bed.get(nodes, "x") !== undefined]).toEqual([false, true]);
  });

  test("B1: are optional, and an object without them may use reserved storage", () => {
    const sql = nodeSql();
    createTables(sql);
    const noting = configMapKind({ companions: () => [], mayUseReserve: () => true });
    // So many that one more is kept back.
    const objects = Math.ceil(1 / limits.reserve);
    const bed = newBed([noting], { store: new Store(sql, undefined, { ...limits.sandbox, objects }) });
    const make = (name: string, reactsTo?: number) => () =>
      create(bed.registry, noting, "default", draftOf(noting, { metadata: { name } }), {
        ...actor,
        ...(reactsTo === undefined ? {} : { reactsTo }),
      });
    for (let at = 0; at < objects; at++) make(`a-${at}`)();
    expect(refusal(make("b"))[0]).toBe(429);
    expect(make("b", 1)().metadata.name).toBe("b");
  });

  test("are created only if there is space for all of them", () => {
    const sql = nodeSql();
    createTables(sql);
    const bed = newBed([naming, nodes], { store: new Store(sql, undefined, { ...limits.sandbox, objects: 2 }) });
    const make = (data: object) => () => bed.create(naming, { metadata: { name: "a" }, data });
    expect(refusal(make({ x: "", y: "" }))[0]).toBe(429);
    expect(bed.registry.store.revision).toBe(0);
    make({ x: "" })();
    expect(bed.registry.store.revision).toBe(2);
    const more = () =>
      bed.edit(naming, "a", (draft) => {
        draft.data = { x: "", y: "" };
      });
    expect(() => refusal(more)).not.toThrow(ApiError);
  });
});
