// Field ownership: managers' fields, conflicts, and removed fields.
import { describe, expect, test } from "vitest";
import { conflictError } from "../../../shared/schema/apply/conflicts.ts";
import { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import {
  apply,
  type ManagerIdentity,
  type ManagedFields,
  managersAfterUpdate,
  type Write,
} from "../../../shared/schema/apply/managers.ts";
import { shapeOf } from "../../../shared/schema/apply/shape.ts";
import { decode } from "../../../shared/schema/decode.ts";

const deployment = "io.k8s.api.apps.v1.Deployment";
const configMap = "io.k8s.api.core.v1.ConfigMap";
const service = "io.k8s.api.core.v1.Service";

function write(
  type: string,
  live: unknown,
  managers: readonly ManagedFields[],
  manager: string,
  operation: "Apply" | "Update",
): Write {
  const writer: ManagerIdentity = { manager, operation, apiVersion: "v1" };
  return { shape: shapeOf(type), live, managers, writer, time: "2026-01-01T00:00:00Z", ignored: FieldSet.empty };
}

function applied(
  type: string,
  live: unknown,
  managers: readonly ManagedFields[],
  manager: string,
  config: unknown,
  force = false,
) {
  const result = apply(write(type, live, managers, manager, "Apply"), config, force);
  if ("conflicts" in result) throw conflictError(result.conflicts);
  return result;
}

const updated = (type: string, live: unknown, managers: readonly ManagedFields[], manager: string, next: unknown) =>
  managersAfterUpdate(write(type, live, managers, manager, "Update"), next);

const owns = (managers: readonly ManagedFields[], manager: string) =>
  [...(managers.find((owner) => owner.manager === manager)?.fields.paths() ?? [])].map((path) => path.join(" "));

const empty = (type: string) => decode(type, {}).object;

describe("an update", () => {
  test("owns the leaves that it sets, and new containers", () => {
    const next = decode(deployment, {
      metadata: { name: "web", labels: { app: "web" } },
      spec: { replicas: 2, template: { spec: { containers: [{ name: "web", image: "nginx" }] } } },
    }).object;
    const managers = updated(deployment, empty(deployment), [], "kubectl", next);
    expect(managers[0]?.fields.toJson()).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
      "f:spec": {
        "f:replicas": {},
        "f:template": {
          "f:spec": {
            "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {}, "f:name": {}, "f:resources": {} } },
          },
        },
      },
    });
  });

  test("takes the fields that it changes from their managers", () => {
    const live = { data: { a: "1", b: "1" } };
    const first = updated(configMap, {}, [], "one", live);
    const second = updated(configMap, live, first, "two", { data: { a: "2", b: "1" } });
    expect(owns(second, "one")).toEqual(["f:data", "f:data f:b"]);
    expect(owns(second, "two")).toEqual(["f:data f:a"]);
  });

  test("without a field removes the field's manager", () => {
    const live = { data: { a: "1", b: "1" } };
    const managers = updated(configMap, live, updated(configMap, {}, [], "one", live), "two", { data: { b: "1" } });
    expect(owns(managers, "one")).toEqual(["f:data", "f:data f:b"]);
    expect(owns(managers, "two")).toEqual([]);
  });

  test("without changes changes no manager and no time", () => {
    const live = { data: { a: "1" } };
    const managers = updated(configMap, {}, [], "one", live);
    expect(updated(configMap, live, managers, "two", live)).toEqual(managers);
  });
});

describe("an apply", () => {
  test("owns exactly the fields of its configuration", () => {
    const { object, managers } = applied(configMap, { data: { x: "1" } }, [], "a", { data: { a: "1" } });
    expect(object).toEqual({ data: { x: "1", a: "1" } });
    expect(owns(managers, "a")).toEqual(["f:data f:a"]);
  });

  test("removes fields that its manager no longer applies and nobody else owns", () => {
    const first = applied(configMap, {}, [], "a", { data: { a: "1", b: "1" } });
    const second = applied(configMap, first.object, first.managers, "a", { data: { a: "1" } });
    expect(second.object).toEqual({ data: { a: "1" } });
  });

  test("keeps removed fields that another manager owns too", () => {
    const first = applied(configMap, {}, [], "a", { data: { a: "1", b: "1" } });
    const second = applied(configMap, first.object, first.managers, "b", { data: { b: "1" } });
    const third = applied(configMap, second.object, second.managers, "a", { data: { a: "1" } });
    expect(third.object).toEqual({ data: { a: "1", b: "1" } });
    expect(owns(third.managers, "b")).toEqual(["f:data f:b"]);
  });

  test("with another value than its manager's is a conflict with upstream's message", () => {
    const live = { data: { a: "1", b: "1" } };
    const managers = updated(configMap, {}, [], "kubectl-edit", live);
    expect(() => applied(configMap, live, managers, "a", { data: { a: "2" } })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a',
    );
    expect(() => applied(configMap, live, managers, "a", { data: { a: "2", b: "2" } })).toThrow(
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using v1:\n- .data.a\n- .data.b',
    );
  });

  test("with the same value as its manager's shares the field", () => {
    const live = { data: { a: "1" } };
    const { managers } = applied(configMap, live, updated(configMap, {}, [], "one", live), "a", { data: { a: "1" } });
    expect(owns(managers, "one")).toContain("f:data f:a");
    expect(owns(managers, "a")).toEqual(["f:data f:a"]);
  });

  test("by force takes the field over", () => {
    const live = { data: { a: "1" } };
    const managers = updated(configMap, {}, [], "one", live);
    const result = applied(configMap, live, managers, "a", { data: { a: "2" } }, true);
    expect(result.object).toEqual({ data: { a: "2" } });
    expect(owns(result.managers, "one")).toEqual(["f:data"]);
  });

  test("with applied values changes nothing, not even its time", () => {
    const first = applied(configMap, {}, [], "a", { data: { a: "1" } });
    const again = apply(
      { ...write(configMap, first.object, first.managers, "a", "Apply"), time: "2027-01-01T00:00:00Z" },
      { data: { a: "1" } },
      false,
    );
    expect(again).toEqual(first);
  });

  test("merges lists by their keys, in the order of the configuration, and keeps other items in place", () => {
    const live = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "sidecar", image: "s" },
              { name: "web", image: "1" },
            ],
          },
        },
      },
    };
    const config = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "init", image: "i" },
              { name: "web", image: "2" },
            ],
          },
        },
      },
    };
    const { object, managers } = applied(deployment, live, [], "a", config);
    expect(object).toEqual({
      spec: {
        template: {
          spec: {
            containers: [
              { name: "sidecar", image: "s" },
              { name: "init", image: "i" },
              { name: "web", image: "2" },
            ],
          },
        },
      },
    });
    expect(owns(managers, "a")).toContain('f:spec f:template f:spec f:containers k:{"name":"web"} f:image');
  });

  test("without a list item removes the item, and keeps other managers' items", () => {
    const firstObject = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "a", image: "1" },
              { name: "b", image: "1" },
            ],
          },
        },
      },
    };
    const first = applied(deployment, {}, [], "m", firstObject);
    const otherResult = applied(deployment, first.object, first.managers, "n", {
      spec: { template: { spec: { containers: [{ name: "c", image: "1" }] } } },
    });
    const second = applied(deployment, otherResult.object, otherResult.managers, "m", {
      spec: { template: { spec: { containers: [{ name: "a", image: "1" }] } } },
    });
    expect(second.object).toEqual({
      spec: {
        template: {
          spec: {
            containers: [
              { name: "a", image: "1" },
              { name: "c", image: "1" },
            ],
          },
        },
      },
    });
  });

  test("fills a missing list key with its default, so that a port without protocol is the TCP one", () => {
    const live = { spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] } };
    const { object } = applied(service, live, [], "a", { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
    expect(object).toEqual({ spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }] } });
  });

  test("replaces atomic fields", () => {
    const live = { spec: { selector: { app: "web", tier: "x" } } };
    const { object, managers } = applied(service, live, [], "a", { spec: { selector: { app: "api" } } });
    expect(object).toEqual({ spec: { selector: { app: "api" } } });
    expect(owns(managers, "a")).toEqual(["f:spec f:selector"]);
  });

  test("owns a set's items one by one", () => {
    const live = { metadata: { finalizers: ["x/a"] } };
    const { object, managers } = applied(configMap, live, [], "a", { metadata: { finalizers: ["x/b"] } });
    expect(object).toEqual({ metadata: { finalizers: ["x/a", "x/b"] } });
    expect(owns(managers, "a")).toEqual(['f:metadata f:finalizers v:"x/b"']);
  });
});

test("field sets survive their encoded form", () => {
  const json = { "f:a": {}, "f:b": { ".": {}, 'k:{"name":"x"}': { "f:c": {} }, 'v:"y"': {} } };
  expect(FieldSet.fromJson(json)?.toJson()).toEqual(json);
  expect(FieldSet.fromJson({ nonsense: {} })).toBeUndefined();
});
