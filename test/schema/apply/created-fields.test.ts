// The cached fields of new objects are those that the comparison with an empty object gives.
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../shared/base/random.ts";
import { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import { managersAfterCreation, managersAfterUpdate, type Write } from "../../../shared/schema/apply/managers.ts";
import { shapeOf } from "../../../shared/schema/apply/shape.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { typeFacts } from "../../../shared/schema/type-facts.ts";
import { generateObject } from "../generated.ts";

const types = [...new Set(typeFacts.kinds.map(({ type }) => type))];

function write(type: string, ignored = FieldSet.empty): Write {
  const writer = { manager: "test", operation: "Update", apiVersion: "v1" } as const;
  const live = decode(type, { metadata: {} }).object;
  return { shape: shapeOf(type), live, managers: [], writer, time: "2026-01-01T00:00:00Z", ignored };
}

const fieldsOf = (managers: readonly { readonly fields: FieldSet }[]) => managers.map(({ fields }) => fields.toJson());

function checkSame(type: string, created: unknown): void {
  const expected = fieldsOf(managersAfterUpdate(write(type), created));
  expect(fieldsOf(managersAfterCreation(write(type), created)), `${type} ${JSON.stringify(created)}`).toEqual(expected);
}

describe("fields of new objects", () => {
  test("random objects of every type have the compared fields, also if their structures are equal or similar", () => {
    for (const type of types) {
      for (let seed = 0; seed < 24; seed++) {
        const generated = generateObject(type, seededRandom(seed % 20), seed < 12 ? 0.5 : 0.15);
        checkSame(type, decode(type, generated).object);
      }
    }
  });

  test("names that look like the structure around them are no other structure", () => {
    const type = "io.k8s.api.core.v1.ConfigMap";
    const names = ["a", "b", "ab", "a.b", "a.1:b", "1:a", "{", "}", "a}", "1:a.1:b", '"a"', ""];
    for (const first of names)
      for (const second of names)
        checkSame(type, decode(type, { metadata: {}, data: { [first]: "x", [second]: "y" } }).object);
  });

  test("values matter only where the empty object has the field, and keys of list items do", () => {
    const type = "io.k8s.api.core.v1.Pod";
    const pod = (containers: object[], more = {}) => ({ metadata: {}, spec: { containers, ...more } });
    for (const created of [
      pod([]),
      pod([{ name: "a" }]),
      pod([{ name: "b" }]),
      pod([{ name: "a" }, { name: "a" }]),
      pod([{ name: "a", ports: [{ containerPort: 80 }] }]),
      pod([{ name: "a", ports: [{ containerPort: 80, protocol: "UDP" }] }]),
      pod([{ name: "a" }], { nodeName: "x" }),
    ])
      checkSame(type, created);
  });

  test("a fresh set of fields is computed for other ignored fields", () => {
    const type = "io.k8s.api.core.v1.Pod";
    const created = { metadata: {}, spec: { nodeName: "x" }, status: { phase: "Running" } };
    const ignored = FieldSet.path(["f:status"]);
    const before = fieldsOf(managersAfterCreation(write(type), created));
    expect(fieldsOf(managersAfterCreation(write(type, ignored), created))).not.toEqual(before);
    expect(fieldsOf(managersAfterCreation(write(type), created))).toEqual(before);
  });
});
