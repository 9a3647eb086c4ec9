// The catalogue of kinds: what is found by which name, while definitions add kinds and take them away.
import { describe, expect, test } from "vitest";
import type { Conversion, Kind } from "../../worker/kinds/kind.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import { configMapKind, deploymentKind, nodeKind } from "./bed.ts";

const maps = configMapKind() as Kind;
const nodes = nodeKind() as Kind;

/** A kind of a definition `widgets.example.com` in a version, stored as `hub` where that is given. */
function widget(version: string, hub?: Kind): Kind {
  const conversion = { hub, storageVersion: "v1" } as unknown as Conversion<never>;
  return {
    ...(deploymentKind() as Kind),
    ...(hub ? { conversion } : {}),
    group: "example.com",
    version,
    kind: "Widget",
    plural: "widgets",
    apiVersion: `example.com/${version}`,
    resource: "widgets.example.com",
  };
}

describe("R13: a kind is found by its path, by its apiVersion and kind, and by what is stored", () => {
  test("those of Kubernetes itself", () => {
    const catalogue = new Catalogue([maps, nodes]);
    expect(catalogue.byPath("v1", "configmaps")).toBe(maps);
    expect(catalogue.byKind("v1", "Node")).toBe(nodes);
    expect(catalogue.stored("nodes")).toBe(nodes);
    expect(catalogue.storedKinds()).toEqual([maps, nodes]);
    expect(catalogue.versionsOf(maps)).toEqual([maps]);
    expect([catalogue.byPath("v1", "none"), catalogue.byKind("v2", "Node"), catalogue.stored("none")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(catalogue.kinds).toEqual([maps, nodes]);
    expect(catalogue.kinds).toBe(catalogue.kinds);
  });

  test("what is computed, is a version of another, or cannot be listed, stores nothing", () => {
    const computed = { ...maps, resource: "computed", computed: () => [] } as Kind;
    const review = { ...maps, resource: "reviews", verbs: ["create"] } as Kind;
    const hub = widget("v1");
    const catalogue = new Catalogue([maps, computed, review, hub, widget("v2", hub)]);
    expect(catalogue.storedKinds()).toEqual([maps, hub]);
    expect(catalogue.stored("computed")).toBeUndefined();
  });

  test("the versions of one kind are found from any of them", () => {
    const hub = widget("v1");
    const other = widget("v2", hub);
    const catalogue = new Catalogue([hub, other]);
    expect(catalogue.versionsOf(hub)).toEqual([hub, other]);
    expect(catalogue.versionsOf(other)).toEqual([hub, other]);
    expect(new Catalogue([]).versionsOf(hub)).toEqual([hub]);
  });
});

describe("R13: the kinds of a definition come and go with it", () => {
  test("they are found while it is there, and not after it", () => {
    const catalogue = new Catalogue([maps]);
    const [v1, v2] = [widget("v1"), widget("v2")];
    const before = catalogue.kinds;
    catalogue.put("widgets", [v1, v2], v1);
    expect(catalogue.kinds).toEqual([maps, v1, v2]);
    expect(before).toEqual([maps]);
    expect(catalogue.byPath("example.com/v2", "widgets")).toBe(v2);
    expect(catalogue.byKind("example.com/v1", "Widget")).toBe(v1);
    expect(catalogue.stored("widgets.example.com")).toBe(v1);
    expect(catalogue.versionsOf(v1)).toEqual([v1, v2]);
    catalogue.remove("widgets");
    catalogue.remove("widgets");
    expect(catalogue.kinds).toEqual([maps]);
    expect(catalogue.byPath("example.com/v2", "widgets")).toBeUndefined();
    expect(catalogue.byKind("example.com/v1", "Widget")).toBeUndefined();
    expect(catalogue.storedKinds()).toEqual([maps]);
    expect(catalogue.versionsOf(v1)).toEqual([v1]);
  });

  test("those that it brings take the place of those that it brought", () => {
    const catalogue = new Catalogue([maps]);
    const [v1, v2] = [widget("v1"), widget("v2")];
    catalogue.put("widgets", [v1], v1);
    catalogue.put("widgets", [v2], v2);
    expect(catalogue.kinds).toEqual([maps, v2]);
    expect(catalogue.byPath("example.com/v1", "widgets")).toBeUndefined();
    expect(catalogue.stored("widgets.example.com")).toBe(v2);
  });

  test("what is stored but not served is found by what is stored alone", () => {
    const catalogue = new Catalogue([maps]);
    const [stored, served] = [widget("v1"), widget("v2")];
    catalogue.put("widgets", [served], stored);
    expect(catalogue.stored("widgets.example.com")).toBe(stored);
    expect(catalogue.byPath("example.com/v1", "widgets")).toBeUndefined();
    catalogue.put("widgets", [widget("v3", stored)], undefined);
    expect(catalogue.stored("widgets.example.com")).toBeUndefined();
    catalogue.put("widgets", [served], undefined);
    expect(catalogue.stored("widgets.example.com")).toBe(served);
    catalogue.remove("widgets");
    expect(catalogue.stored("widgets.example.com")).toBeUndefined();
  });

  test("a definition that names what another has takes nothing from it, neither coming nor going", () => {
    const catalogue = new Catalogue([maps]);
    const [first, second] = [widget("v1"), widget("v1")];
    catalogue.put("first", [first], first);
    catalogue.put("second", [second], second);
    expect(catalogue.stored("widgets.example.com")).toBe(first);
    catalogue.remove("first");
    expect(catalogue.byPath("example.com/v1", "widgets")).toBe(second);
    expect(catalogue.byKind("example.com/v1", "Widget")).toBe(second);
  });

  test("who listens is told which resource has changed", () => {
    const catalogue = new Catalogue([maps]);
    const told: string[] = [];
    catalogue.onReplaced((resource) => told.push(`a ${resource}`));
    catalogue.onReplaced((resource) => told.push(`b ${resource}`));
    catalogue.replaced("widgets.example.com");
    expect(told).toEqual(["a widgets.example.com", "b widgets.example.com"]);
  });
});
