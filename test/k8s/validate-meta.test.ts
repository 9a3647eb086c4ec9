import { describe, expect, test } from "vitest";
import type { ObjectMeta } from "../../shared/k8s/api/meta-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { path, rootPath } from "../../shared/k8s/field.ts";
import { dns1123Subdomain, unprefixed } from "../../shared/k8s/names.ts";
import { validateLabelSelector, validateMeta, validateMetaUpdate } from "../../shared/k8s/validate-meta.ts";

const checkName = unprefixed(dns1123Subdomain);
const texts = (errors: readonly { field: string; message: string }[]) =>
  errors.map(({ field, message }) => `${field}: ${message}`);
const create = (meta: ObjectMeta, namespaced = true) =>
  texts(validateMeta(meta, namespaced, checkName, path("metadata")));

describe("metadata on create", () => {
  test("may have a name and a namespace", () => {
    expect(create({ name: "a", namespace: "b", labels: { x: "y" }, finalizers: ["example.com/x"] })).toEqual([]);
  });
  test("needs a name", () => {
    expect(create({ namespace: "b" })).toEqual(["metadata.name: Required value: name or generateName is required"]);
  });
  test("needs a namespace for a namespaced kind, and must not have one otherwise", () => {
    expect(create({ name: "a" })).toEqual(["metadata.namespace: Required value"]);
    expect(create({ name: "a", namespace: "b" }, false)).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
  });
  test("may have capitals in annotation keys, and has a bound for all annotations", () => {
    expect(create({ name: "a", namespace: "b", annotations: { "Example.COM/X": "" } })).toEqual([]);
    expect(create({ name: "a", namespace: "b", annotations: { x: "é".repeat(131_072) } })).toEqual([
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ]);
  });
  test("has at most one controlling owner", () => {
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u", controller: true };
    const errors = create({ name: "a", namespace: "b", ownerReferences: [owner, { ...owner, name: "s" }] });
    expect(errors[0]).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for ReplicaSet/r and ReplicaSet/s',
    );
    expect(errors).toHaveLength(1);
  });
});

describe("metadata on update", () => {
  const previous: ObjectMeta = { name: "a", namespace: "b", uid: "u", resourceVersion: "1", generation: 2 };
  const update = (next: ObjectMeta, from = previous) => texts(validateMetaUpdate(next, from, path("metadata")));
  test("may be unchanged", () => {
    expect(update(previous)).toEqual([]);
  });
  test("cannot change names and uids", () => {
    expect(update({ ...previous, name: "c", uid: "v" })).toEqual([
      'metadata.name: Invalid value: "c": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
    ]);
  });
  test("cannot lower the generation, and needs a resource version", () => {
    expect(update({ ...previous, generation: 1, resourceVersion: "" })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      "metadata.generation: Invalid value: 1: must not be decremented",
    ]);
  });
  test("cannot add finalizers to an object that is being deleted", () => {
    const dying = { ...previous, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] };
    expect(update({ ...dying, finalizers: ["x/y", "x/z"] }, dying)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/z"}',
    ]);
  });
});

describe("a label selector of an object", () => {
  test("requires or refuses values by operator", () => {
    const errors = validateLabelSelector(
      {
        matchExpressions: [
          { key: "a", operator: "In" },
          { key: "b", operator: "Exists", values: ["x"] },
          { key: "c", operator: "is" },
        ],
      },
      rootPath.child("spec", "selector"),
    );
    expect(texts(errors)).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "is": not a valid selector operator',
    ]);
  });
});

describe("semantic equality", () => {
  test("treats absent, empty lists and null as equal, and not empty structs or false", () => {
    expect(semanticEqual({ a: [], b: null }, {})).toBe(true);
    expect(semanticEqual({ a: {} }, {})).toBe(false);
    expect(semanticEqual({ a: false }, {})).toBe(false);
    expect(semanticEqual([{ a: 1 }], [{ a: 1 }])).toBe(true);
    expect(semanticEqual([1, 2], [2, 1])).toBe(false);
  });
});
