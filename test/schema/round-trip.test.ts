import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { decode } from "../../shared/schema/decode.ts";
import { typeFacts as facts } from "../../shared/schema/type-facts.ts";
import { typeOf } from "../../shared/schema/graph.ts";
import { decodeProtobuf, encodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import { strategicMerge } from "../../shared/schema/strategic/strategic-merge.ts";
import { generateObject } from "./generated.ts";
import { strategicDiff, withDistinctKeys } from "./strategic-diff.ts";

const types = [...new Set(facts.kinds.map((kind) => kind.type))];
/** Types that have fields without a number have no protobuf form. */
const protobufTypes = types.filter((type) => {
  const node = typeOf(type);
  const numbered = node?.members.some((member) => "field" in member && member.field.json === "metadata");
  return node && (numbered || !node.byJson.has("metadata"));
});
const cases = fc.record({ seed: fc.integer(), density: fc.double({ min: 0, max: 1, noNaN: true }) });

function forAll(names: readonly string[], check: (type: string, object: Record<string, unknown>) => void): void {
  for (const type of names) {
    const property = fc.property(cases, ({ seed, density }) => {
      check(type, generateObject(type, seededRandom(seed), density));
    });
    fc.assert(property, { numRuns: 8 });
  }
}

describe("every type of a kind", () => {
  test("is covered, as many as the facts have", () => {
    expect(types.length).toBeGreaterThan(280);
    expect(protobufTypes.length).toBeGreaterThan(270);
  });

  test("is decoded with every field known, and unchanged the second time", () => {
    forAll(types, (type, generated) => {
      const first = decode(type, generated);
      expect(first.unknown, type).toEqual([]);
      expect(JSON.stringify(decode(type, first.object).object), type).toBe(JSON.stringify(first.object));
    });
  });

  test("is decoded without sharing its input", () => {
    forAll(types, (type, generated) => {
      const before = JSON.stringify(generated);
      overwrite(decode(type, generated).object);
      expect(JSON.stringify(generated), type).toBe(before);
    });
  });

  test("is patched by a strategic merge of the difference to the second object", () => {
    const two = fc.record({
      one: fc.integer(),
      other: fc.integer(),
      density: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    for (const type of types) {
      const generate = (seed: number, density: number) =>
        decode(type, withDistinctKeys(type, generateObject(type, seededRandom(seed), density))).object as JsonObject;
      const property = fc.property(two, ({ one: firstSeed, other: secondSeed, density }) => {
        const [before, after] = [generate(firstSeed, density), generate(secondSeed, density)];
        const merged = strategicMerge(type, before, strategicDiff(type, before, after));
        expect(decode(type, merged).object, type).toEqual(after);
      });
      fc.assert(property, { numRuns: 6 });
    }
  });

  test("is unchanged from JSON to protobuf to JSON", () => {
    forAll(protobufTypes, (type, generated) => {
      const { object } = decode(type, generated);
      const again = decodeProtobuf(type, encodeProtobuf(type, object));
      expect(JSON.stringify(again), type).toBe(JSON.stringify(object));
    });
  });
});

function overwrite(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const item of Object.values(value)) overwrite(item);
  for (const key of Object.keys(value)) (value as Record<string, unknown>)[key] = "overwritten";
}
