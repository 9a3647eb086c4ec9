import { describe, expect, test } from "vitest";
import corrections from "../../shared/schema/facts/corrections.json" with { type: "json" };
import { typeFacts as facts } from "../../shared/schema/type-facts.ts";
import { typeOf } from "../../shared/schema/graph.ts";

describe("the type graph", () => {
  test("resolves every type, and every struct that a field names", () => {
    for (const name of Object.keys(facts.types)) {
      const node = typeOf(name);
      expect(node, name).toBeDefined();
      for (const field of node?.fields ?? []) {
        if (field.form === "struct") expect(typeOf(field.type), `${name}.${field.json}`).toBeDefined();
      }
    }
  });

  test("has undefined for an unknown name, also one of Object.prototype", () => {
    expect(typeOf("io.k8s.api.core.v1.Nothing")).toBeUndefined();
    expect(typeOf("constructor")).toBeUndefined();
  });

  test("has inlined fields in their place, and as a nested message if they have a number", () => {
    const node = typeOf("io.k8s.api.core.v1.Probe");
    expect(node?.fields.slice(0, 3).map((field) => field.json)).toEqual(["exec", "httpGet", "tcpSocket"]);
    expect(node?.byNumber.get(1)).toMatchObject({ nested: { local: "ProbeHandler" } });
    const root = typeOf("io.k8s.api.core.v1.Pod");
    expect(root?.fields.map((field) => field.json)).toEqual(["kind", "apiVersion", "metadata", "spec", "status"]);
    expect(root?.members.map((member) => member.number)).toEqual([1, 2, 3]);
  });

  test("has corrections that name a field and change the facts", () => {
    for (const [table, isKept] of [
      [corrections.alwaysWritten, true],
      [corrections.omitted, false],
    ] as const) {
      for (const [name, keys] of Object.entries(table)) {
        for (const key of keys) {
          const field = typeOf(name)?.byJson.get(key);
          expect([field?.isKept, field?.facts.required === true], `${name}.${key}`).toEqual([isKept, !isKept]);
        }
      }
    }
  });
});
