// MutatingAdmissionPolicy in whole clusters: its changes and rejections.
import { describe, expect, test } from "vitest";
import type { Mutation } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { policies } from "./policies.ts";

const apply = (expression: string): Mutation => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string): Mutation => ({ patchType: "JSONPatch", jsonPatch: { expression } });

describe("ApplyConfiguration", () => {
  test("merges fields into the object: maps by keys, lists by their list keys", () => {
    const { mutate, deploy } = policies();
    const sidecar = "Object.spec.template.spec.containers{name: 'sidecar', image: 'proxy:1'}";
    mutate([
      apply(
        `Object{metadata: Object.metadata{labels: {'by': 'policy'}}, spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [${sidecar}]}}}}`,
      ),
    ]);
    const { metadata, spec } = deploy("x", { labels: { own: "yes" } });
    expect(metadata.labels).toEqual({ own: "yes", by: "policy" });
    expect(spec.template.spec.containers.map(({ name, image }) => [name, image])).toEqual([
      ["c", "nginx:1.25"],
      ["sidecar", "proxy:1"],
    ]);
    // Added fields get their defaults.
    expect(spec.template.spec.containers[1]?.terminationMessagePath).toBe("/dev/termination-log");
  });

  test("can be computed from the object", () => {
    const { mutate, deploy } = policies();
    mutate([apply("Object{spec: Object.spec{replicas: object.spec.replicas + 1}}")]);
    expect(deploy("x", { replicas: 2 }).spec.replicas).toBe(3);
  });

  test("cannot change parts of atomic fields, or use wrong type names", () => {
    const cases = [
      [
        "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}",
        "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
      ],
      [
        "Object{metadata: Object.metadata{labels: {'a': b'xy'}}}",
        "error applying patch: failed to convert patch object to typed object: .metadata.labels.a: expected string, got &value.valueUnstructured{Value:[]uint8{0x78, 0x79}}",
      ],
      [
        "Object{spec: Object.wrong{replicas: 1}}",
        'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
      ],
    ] as const;
    for (const [expression, problem] of cases) {
      const { mutate, deploy, refusal } = policies();
      mutate([apply(expression)]);
      const error = refusal(() => deploy("x"));
      const message = `policy 'p' with binding 'b' denied request: ${problem}`;
      expect(error.toStatus()).toMatchObject({
        code: 403,
        reason: "Invalid",
        message,
        details: { name: "x", group: "apps", kind: "deployments", causes: [{ message }] },
      });
    }
  });
});

describe("JSONPatch", () => {
  test("adds, replaces and removes", () => {
    const { mutate, deploy } = policies();
    mutate([
      patch(
        "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/a-b'), value: 'v'}, JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas * 2}]",
      ),
      patch("[JSONPatch{op: 'remove', path: '/metadata/labels/own'}]"),
    ]);
    const { metadata, spec } = deploy("x", { replicas: 2, labels: { own: "yes" } });
    expect([metadata.labels, spec.replicas]).toEqual([{ "example.com/a-b": "v" }, 4]);
  });

  test("accepts objects as values, and a failed test leaves everything unchanged", () => {
    const { mutate, deploy } = policies();
    mutate([
      patch(
        "[JSONPatch{op: 'test', path: '/spec/replicas', value: 1}, JSONPatch{op: 'add', path: '/spec/template/spec/tolerations', value: [Object.spec.template.spec.tolerations{key: 'k', operator: 'Exists'}]}]",
      ),
    ]);
    expect(deploy("x").spec.template.spec.tolerations).toEqual([{ key: "k", operator: "Exists" }]);
    expect(deploy("y", { replicas: 2 }).spec.template.spec.tolerations).toBeUndefined();
  });

  test("rejects the write if it does not apply, or is ignored, by the failure policy", () => {
    for (const failurePolicy of ["Fail", "Ignore"] as const) {
      const { mutate, deploy, refusal } = policies();
      mutate([patch("[JSONPatch{op: 'remove', path: '/spec/nope'}]")], { failurePolicy });
      if (failurePolicy === "Ignore") expect(deploy("x").metadata.name).toBe("x");
      else
        expect(refusal(() => deploy("x")).message).toMatch(/^policy 'p' with binding 'b' denied request: JSON Patch: /);
    }
  });
});

describe("several policies", () => {
  test("see the changes of earlier policies, and with reinvocation those of later ones too", () => {
    for (const reinvocationPolicy of ["Never", "IfNeeded"] as const) {
      const { mutate, deploy } = policies();
      const seenReplicas = "Object{metadata: Object.metadata{annotations: {'seen': string(object.spec.replicas)}}}";
      mutate([apply(seenReplicas)], { reinvocationPolicy }, "a");
      mutate([apply("Object{spec: Object.spec{replicas: 7}}")], {}, "b");
      const { metadata, spec } = deploy("x", { replicas: 1 });
      expect([metadata.annotations?.["seen"], spec.replicas]).toEqual([
        reinvocationPolicy === "IfNeeded" ? "7" : "1",
        7,
      ]);
    }
  });

  test("support variables, conditions and parameters as validations do", () => {
    const { mutate, deploy, cluster } = policies();
    cluster.client.create(configMaps, { metadata: { name: "c", namespace: "default" }, data: { team: "blue" } });
    mutate([apply("Object{metadata: Object.metadata{labels: {'team': variables.team}}}")], {
      variables: [{ name: "team", expression: "object.metadata.name.upperAscii()" }],
      matchConditions: [
        { name: "new", expression: "!has(object.metadata.labels) || !('team' in object.metadata.labels)" },
      ],
    });
    expect(deploy("x").metadata.labels).toEqual({ team: "X" });
    expect(deploy("y", { labels: { team: "red" } }).metadata.labels).toEqual({ team: "red" });
  });

  test("mutate an update too, and the result is stored", () => {
    const { mutate, deploy, cluster } = policies();
    deploy("x");
    mutate([apply("Object{metadata: Object.metadata{labels: {'op': request.operation}}}")]);
    cluster.edit(deployments, "default", "x", ({ spec }) => {
      spec.replicas = 4;
    });
    expect(cluster.get(deployments, "default", "x").metadata.labels).toEqual({ op: "UPDATE" });
  });
});
