// The life of a definition: its names, its conditions, and its deletion after its objects.
import { beforeEach, describe, expect, test } from "vitest";
import { customResourceDefinitions } from "../../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import { namespaces } from "../../../worker/kinds/core/namespace.ts";
import { widget, widgetDefinition, widgetVersion } from "../../api/custom/widgets.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";

let cluster: TestCluster;

beforeEach(() => {
  cluster = newCluster({ nodes: 0 });
  cluster.step(0);
});

function define(definition = widgetDefinition()): void {
  cluster.apply(customResourceDefinitions, definition);
  cluster.step(0);
}

function named(plural: string, kind: string, names: object = {}) {
  const spec = { names: { plural, kind, ...names } };
  return { ...widgetDefinition([widgetVersion()], spec), metadata: { name: `${plural}.example.com` } };
}

function conditions(name = "widgets.example.com"): string[] {
  const { status } = cluster.get(customResourceDefinitions, "", name);
  return status.conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
}

function widgetKind(): Kind {
  const kind = cluster.client.kinds().find((candidate) => candidate.kind === "Widget");
  if (!kind) throw new Error("widgets are served");
  return kind;
}

const make = (name: string, metadata: object = {}) =>
  cluster.apply(widgetKind(), widget(name, { size: 3 }, { namespace: "default", ...metadata }));

describe("names of a CustomResourceDefinition", () => {
  test("are accepted if they are free, and the definition is established", () => {
    define();
    expect(conditions()).toEqual([
      "NamesAccepted=True NoConflicts: no conflicts found",
      "Established=True InitialNamesAccepted: the initial names have been accepted",
    ]);
  });

  test("are not accepted if another definition of the group has them, until it is deleted", () => {
    define();
    define(named("gadgets", "Gadget", { shortNames: ["wd"] }));
    expect(conditions("gadgets.example.com")).toEqual([
      'NamesAccepted=False ShortNamesConflict: "wd" is already in use',
      "Established=False NotAccepted: not all names are accepted",
    ]);
    cluster.client.tryDelete(customResourceDefinitions, "", "widgets.example.com", {});
    cluster.runUntilQuiet();
    expect(conditions("gadgets.example.com")).toContain("NamesAccepted=True NoConflicts: no conflicts found");
    expect(cluster.client.kinds().map(({ kind }) => kind)).toContain("Gadget");
  });

  test("do not conflict with names of another group", () => {
    define();
    const otherGroup = {
      ...widgetDefinition([widgetVersion()], { group: "other.io" }),
      metadata: { name: "widgets.other.io" },
    };
    define(otherGroup);
    expect(conditions("widgets.other.io")[0]).toBe("NamesAccepted=True NoConflicts: no conflicts found");
  });
});

describe("a deleted CustomResourceDefinition", () => {
  beforeEach(() => define());

  const remove = () => {
    cluster.client.tryDelete(customResourceDefinitions, "", "widgets.example.com", {});
    cluster.step(0);
  };
  const isThere = () => cluster.client.get(customResourceDefinitions, "", "widgets.example.com") !== undefined;

  test("deletes its objects first", () => {
    for (let at = 0; at < 3; at++) make(`w${at}`);
    remove();
    cluster.runUntilQuiet();
    const ends = cluster.changes
      .filter(({ type, resource }) => type === "DELETED" && !resource.startsWith("apiservices"))
      .map(({ name }) => name);
    expect(ends).toEqual(["w0", "w1", "w2", "widgets.example.com"]);
    expect(isThere()).toBe(false);
  });

  test("has no grace period at first, and one of 0 when deleted again", () => {
    make("one", { finalizers: ["example.com/hold"] });
    const grace = () =>
      cluster.client.get(customResourceDefinitions, "", "widgets.example.com")?.metadata.deletionGracePeriodSeconds;
    remove();
    expect(grace()).toBeUndefined();
    remove();
    expect(grace()).toBe(0);
  });

  test("waits for objects with finalizers, and reports so after a minute", () => {
    make("held", { finalizers: ["example.com/hold"] });
    remove();
    expect(conditions()).toContain(
      "Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress",
    );
    expect(cluster.get(customResourceDefinitions, "", "widgets.example.com").metadata.generation).toBe(1);
    expect(() => make("late")).toThrow("create not allowed while custom resource definition is terminating");
    cluster.step(61_000);
    expect(conditions()).toContain(
      "Terminating=True InstanceDeletionCheck: could not confirm zero CustomResources remaining: context deadline exceeded",
    );
    cluster.runUntilQuiet();
    cluster.edit(widgetKind(), "default", "held", ({ metadata }) => {
      delete metadata.finalizers;
    });
    cluster.step(0);
    expect(isThere()).toBe(false);
  });
});

test("a namespace's deletion deletes its custom objects", () => {
  define();
  cluster.apply(namespaces, { metadata: { name: "team" } });
  make("w", { namespace: "team" });
  cluster.client.tryDelete(namespaces, "", "team", {});
  cluster.runUntilQuiet();
  expect([...cluster.client.each(widgetKind())]).toEqual([]);
});

test("custom objects without owners are garbage collected", () => {
  define();
  const owner = make("owner");
  const { uid = "" } = owner.metadata;
  const reference = { apiVersion: "example.com/v1", kind: "Widget", name: "owner", uid };
  make("owned", { ownerReferences: [reference] });
  cluster.client.tryDelete(widgetKind(), "default", "owner", {});
  cluster.runUntilQuiet();
  expect([...cluster.client.each(widgetKind())]).toEqual([]);
});
