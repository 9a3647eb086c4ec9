// Deletions of owners and dependents with each propagation policy.
import { describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import type { OwnerReference } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { garbageCollector } from "../../../worker/controllers/garbage-collector/controller.ts";
import { kinds } from "../../../worker/kinds/catalogue.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { events } from "../../../worker/kinds/core/event/event.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { secrets } from "../../../worker/kinds/core/secret.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

function started(): TestCluster {
  const cluster = newCluster({ controllers: [garbageCollector(kinds)] });
  cluster.apply(namespaces, { metadata: { name: "other" } });
  cluster.runUntilQuiet();
  return cluster;
}

function refTo(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

interface Made {
  readonly owners?: readonly OwnerReference[];
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
}

function make(
  cluster: TestCluster,
  name: string,
  { owners, namespace = "default", finalizers }: Made = {},
): KubeObject {
  const metadata = {
    name,
    namespace,
    ...(owners ? { ownerReferences: owners } : {}),
    ...(finalizers ? { finalizers } : {}),
  };
  return cluster.apply(configMaps, { metadata });
}

function left(cluster: TestCluster): string[] {
  return cluster.client
    .list(configMaps)
    .filter(({ metadata }) => metadata.namespace !== "kube-system")
    .map(({ metadata }) => metadata.name ?? "");
}

const blocking = { blockOwnerDeletion: true };

test("many dependents are orphaned in portions", () => {
  const cluster = started();
  const parent = make(cluster, "parent");
  for (let at = 0; at < 120; at++) make(cluster, `child-${at}`, { owners: [refTo(parent)] });
  cluster.runUntilQuiet();
  cluster.client.delete(configMaps, "default", "parent", { propagation: "Orphan" });
  const writes: number[] = [];
  for (let before = cluster.changes.length; cluster.runtime.drain(1) > 0; before = cluster.changes.length) {
    writes.push(cluster.changes.length - before);
  }
  expect(Math.max(...writes)).toBe(limits.writesPerTurn);
  expect(left(cluster)).toHaveLength(120);
  expect(cluster.client.list(configMaps).every(({ metadata }) => !metadata.ownerReferences?.length)).toBe(true);
});

describe("background deletion", () => {
  test("deletes all generations", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    const child = make(cluster, "child", { owners: [refTo(parent)] });
    cluster.apply(secrets, { metadata: { namespace: "default", name: "grandchild", ownerReferences: [refTo(child)] } });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Background" });
    expect(left(cluster)).toEqual(["child"]);
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual([]);
    expect(cluster.client.get(secrets, "default", "grandchild")).toBeUndefined();
  });

  test("an object with another living owner stays, without the dangling reference", () => {
    const cluster = started();
    const [firstOwner, secondOwner] = [make(cluster, "one"), make(cluster, "two")];
    make(cluster, "child", { owners: [refTo(firstOwner), refTo(secondOwner)] });
    cluster.client.delete(configMaps, "default", "one");
    cluster.runUntilQuiet();
    expect(cluster.get(configMaps, "default", "child").metadata.ownerReferences?.map(({ name }) => name)).toEqual([
      "two",
    ]);
    cluster.client.delete(configMaps, "default", "two");
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual([]);
  });

  test("an owner that never existed, or has another uid, does not count", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    make(cluster, "of-nobody", { owners: [{ ...refTo(parent), name: "nobody" }] });
    make(cluster, "of-another", { owners: [{ ...refTo(parent), uid: "another" }] });
    make(cluster, "of-parent", { owners: [refTo(parent)] });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["of-parent", "parent"]);
  });

  test("dependents of an owner of an unknown kind stay", () => {
    const cluster = started();
    make(cluster, "child", { owners: [{ apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: "u" }] });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child"]);
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
  });

  test("an owner in another namespace counts as absent, with an event", () => {
    const cluster = started();
    const parent = make(cluster, "parent", { namespace: "other" });
    const child = make(cluster, "child", { owners: [refTo(parent)] });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["parent"]);
    expect(cluster.eventsOf(child)).toEqual([
      `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: parent, uid: ${parent.metadata.uid ?? ""}] does not exist in namespace "default"`,
    ]);
  });

  test("a cluster-scoped object is never collected for a namespaced owner", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    cluster.apply(namespaces, { metadata: { name: "child", ownerReferences: [refTo(parent)] } });
    cluster.client.delete(configMaps, "default", "parent");
    cluster.runUntilQuiet();
    expect(cluster.get(namespaces, "", "child").metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("foreground deletion", () => {
  test("a blocking dependent with a finalizer delays the owner", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    make(cluster, "child", { owners: [refTo(parent, blocking)], finalizers: ["example.com/hold"] });
    make(cluster, "loose", { owners: [refTo(parent)] });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Foreground" });
    expect(cluster.get(configMaps, "default", "parent").metadata.finalizers).toEqual(["foregroundDeletion"]);
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child", "parent"]);
    cluster.edit(configMaps, "default", "child", (draft) => {
      delete draft.metadata.finalizers;
    });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual([]);
  });

  test("a dependent that does not block is deleted too, and does not delay the owner", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    make(cluster, "child", { owners: [refTo(parent)], finalizers: ["example.com/hold"] });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child"]);
    expect(cluster.get(configMaps, "default", "child").metadata.deletionTimestamp).toBeDefined();
  });

  test("a dependent stops blocking when its reference does", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    make(cluster, "child", { owners: [refTo(parent, blocking)], finalizers: ["example.com/hold"] });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    cluster.edit(configMaps, "default", "child", (draft) => {
      draft.metadata.ownerReferences = [refTo(parent, { blockOwnerDeletion: false })];
    });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child"]);
  });

  test("deletes generation by generation, the lowest first", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    const child = make(cluster, "child", { owners: [refTo(parent, blocking)] });
    make(cluster, "grandchild", { owners: [refTo(child, blocking)] });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    const removed = cluster.changes
      .filter(({ type }) => type === "DELETED")
      .map((change) => change.previous?.metadata.name);
    expect(removed).toEqual(["grandchild", "child", "parent"]);
  });

  test("a dependent with another living owner loses the reference, and is not deleted", () => {
    const cluster = started();
    const [firstOwner, secondOwner] = [make(cluster, "one"), make(cluster, "two")];
    make(cluster, "child", { owners: [refTo(firstOwner, blocking), refTo(secondOwner, blocking)] });
    cluster.client.delete(configMaps, "default", "one", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child", "two"]);
  });

  test("a cycle of blocking owners is deleted", () => {
    const cluster = started();
    const firstOwner = make(cluster, "one");
    const two = make(cluster, "two", { owners: [refTo(firstOwner, blocking)] });
    cluster.edit(configMaps, "default", "one", (draft) => {
      draft.metadata.ownerReferences = [refTo(two, blocking)];
    });
    cluster.client.delete(configMaps, "default", "one", { propagation: "Foreground" });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual([]);
  });
});

describe("orphaning deletion", () => {
  test("removes the references to the owner, and keeps those to others", () => {
    const cluster = started();
    const [parent, otherOwner] = [make(cluster, "parent"), make(cluster, "other-owner")];
    make(cluster, "child", { owners: [refTo(parent), refTo(otherOwner)] });
    make(cluster, "only", { owners: [refTo(parent)] });
    cluster.client.delete(configMaps, "default", "parent", { propagation: "Orphan" });
    cluster.runUntilQuiet();
    expect(left(cluster)).toEqual(["child", "only", "other-owner"]);
    expect(cluster.get(configMaps, "default", "child").metadata.ownerReferences).toEqual([refTo(otherOwner)]);
    expect(cluster.get(configMaps, "default", "only").metadata.ownerReferences).toBeUndefined();
  });
});

describe("cost of garbage collection", () => {
  test("objects without owners and finalizers, and dependents of a living owner, cause no request", () => {
    const cluster = started();
    const parent = make(cluster, "parent");
    make(cluster, "child", { owners: [refTo(parent, blocking)] });
    cluster.edit(configMaps, "default", "child", (draft) => {
      draft.data = { a: "1" };
    });
    make(cluster, "lonely");
    cluster.client.delete(configMaps, "default", "lonely");
    cluster.client.delete(configMaps, "default", "child");
    expect(cluster.runtime.drain(10)).toBe(0);
    expect(cluster.client.list(events)).toEqual([]);
  });
});
