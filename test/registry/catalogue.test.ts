// The catalogue of kinds: lookups while definitions add and remove kinds.
import { describe, expect, test } from "vitest";
import type { Conversion, Kind } from "../../worker/kinds/kind.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import { configMapKind, deploymentKind, nodeKind } from "./bed.ts";

const maps = configMapKind() as Kind;
const nodes = nodeKind() as Kind;

/** Returns a version of the definition `widgets.example.com`, stored as `hub` if given. */
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

describe("R13: kinds by path, by apiVersion and kind, and by stored resource", () => {
  test("include built-in kinds", () => {
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

  test("include computed kinds, other versions, and kinds that cannot be listed, which store nothing", () => {
    const computed = { ...maps, resource: "computed", computed: () => [] } as Kind;
    const review = { ...maps, resource: "reviews", verbs: ["create"] } as Kind;
    const hub = widget("v1");
    const catalogue = new Catalogue([maps, computed, review, hub, widget("v2", hub)]);
    expect(catalogue.storedKinds()).toEqual([maps, hub]);
    expect(catalogue.stored("computed")).toBeUndefined();
  });

  test("include the versions of a kind from each of them", () => {
    const hub = widget("v1");
    const secondVersion = widget("v2", hub);
    const catalogue = new Catalogue([hub, secondVersion]);
    expect(catalogue.versionsOf(hub)).toEqual([hub, secondVersion]);
    expect(catalogue.versionsOf(secondVersion)).toEqual([hub, secondVersion]);
    expect(new Catalogue([]).versionsOf(hub)).toEqual([hub]);
  });
});

describe("R13: the kinds of a CustomResourceDefinition", () => {
  test("exist only while the definition exists", () => {
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

  test("replace the definition's earlier kinds", () => {
    const catalogue = new Catalogue([maps]);
    const [v1, v2] = [widget("v1"), widget("v2")];
    catalogue.put("widgets", [v1], v1);
    catalogue.put("widgets", [v2], v2);
    expect(catalogue.kinds).toEqual([maps, v2]);
    expect(catalogue.byPath("example.com/v1", "widgets")).toBeUndefined();
    expect(catalogue.stored("widgets.example.com")).toBe(v2);
  });

  test("include a stored version that is not served by its resource only", () => {
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

  test("neither replace nor remove another kind with their name", () => {
    const catalogue = new Catalogue([maps]);
    const [first, second] = [widget("v1"), widget("v1")];
    catalogue.put("first", [first], first);
    catalogue.put("second", [second], second);
    expect(catalogue.stored("widgets.example.com")).toBe(first);
    catalogue.remove("first");
    expect(catalogue.byPath("example.com/v1", "widgets")).toBe(second);
    expect(catalogue.byKind("example.com/v1", "Widget")).toBe(second);
  });

  test("notify listeners with the changed resource", () => {
    const catalogue = new Catalogue([maps]);
    const notified: string[] = [];
    catalogue.onReplaced((resource) => notified.push(`a ${resource}`));
    catalogue.onReplaced((resource) => notified.push(`b ${resource}`));
    catalogue.replaced("widgets.example.com");
    expect(notified).toEqual(["a widgets.example.com", "b widgets.example.com"]);
  });
});
