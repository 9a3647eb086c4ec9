import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import { jsonPatch } from "../../shared/schema/json-patch.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { decodeEnvelope, decodeProtobuf, encodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { strategicMerge } from "../../shared/schema/strategic/strategic-merge.ts";
import { generateObject } from "./generated.ts";

const types = [
  "io.k8s.api.core.v1.Pod",
  "io.k8s.api.apps.v1.Deployment",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
];
const anyType = fc.constantFrom(...types);

/** Requires that the function returns or throws a refusal; any other error is a bug. */
function returnsOrRefuses(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
  }
}

describe("hostile input", () => {
  test("as JSON text is refused if and only if the platform's parser refuses it, with a reason", () => {
    const almost = fc.tuple(fc.json(), fc.nat(), fc.string()).map(([text, at, more]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + more + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), almost), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) expect(parseJson(text).value).toEqual(JSON.parse(text));
        else expect(() => parseJson(text)).toThrow(/^(invalid character .+|unexpected end of JSON input)$/);
      }),
      { numRuns: 1000 },
    );
  });

  test("as any JSON for an object of a type is decoded or refused", () => {
    const replaced = fc.tuple(anyType, fc.integer(), fc.jsonValue()).map(([type, seed, value]) => {
      const text = JSON.stringify(generateObject(type, seededRandom(seed), 0.7));
      return [type, JSON.parse(text.replace(/"text"|true/, () => JSON.stringify(value))) as unknown] as const;
    });
    fc.assert(
      fc.property(fc.oneof(replaced, fc.tuple(anyType, fc.jsonValue())), ([type, value]) =>
        returnsOrRefuses(() => decode(type, value)),
      ),
    );
  });

  test("as any protobuf bytes is decoded or refused", () => {
    const damaged = fc.tuple(anyType, fc.integer(), fc.nat(), fc.nat(255)).map(([type, seed, at, byte]) => {
      const bytes = encodeProtobuf(type, decode(type, generateObject(type, seededRandom(seed), 0.7)).object);
      if (bytes.length > 0) bytes[at % bytes.length] = byte;
      return [type, bytes] as const;
    });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.tuple(anyType, fc.uint8Array())), ([type, bytes]) => {
        returnsOrRefuses(() => decodeProtobuf(type, bytes));
        returnsOrRefuses(() => decodeEnvelope(Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes])));
      }),
      { numRuns: 500 },
    );
  });

  test("as any patch is applied or refused", () => {
    const directive = fc.constantFrom(
      "$patch",
      "$retainKeys",
      "$setElementOrder/containers",
      "containers",
      "spec",
      "metadata",
      "finalizers",
      "$deleteFromPrimitiveList/finalizers",
      "labels",
    );
    const value = fc.jsonValue({ maxDepth: 2 });
    const patchOf = (depth: number): fc.Arbitrary<unknown> => {
      if (depth === 0) return value;
      const inner = patchOf(depth - 1);
      return fc.dictionary(directive, fc.oneof(value, inner, fc.array(inner, { maxLength: 3 })), { maxKeys: 4 });
    };
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path: fc.constantFrom("", "/spec", "/spec/containers/0", "/metadata/finalizers/-", "/a/b"),
      from: fc.constantFrom("", "/spec", "/metadata/finalizers/0", "/spec/containers"),
      value,
    });
    const original = { metadata: { finalizers: ["a"] }, spec: { containers: [{ name: "a", image: "b" }] } };
    fc.assert(
      fc.property(patchOf(3), fc.array(operation), (merge, operations) => {
        returnsOrRefuses(() => strategicMerge("io.k8s.api.core.v1.Pod", original, merge));
        returnsOrRefuses(() => jsonPatch(original, operations));
      }),
      { numRuns: 500 },
    );
  });
});
