import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { jsonPatch } from "../../shared/schema/json-patch.ts";
import { mergePatch } from "../../shared/schema/merge-patch.ts";

const rejected = "the server rejected our request due to an error in our request";

function refusal(run: () => unknown): [number, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
  return [200, "accepted"];
}

describe("merge patch", () => {
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: "x" }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])("%j with %j is %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("is refused if it is not an object", () => {
    expect(refusal(() => mergePatch({}, []))).toEqual([
      400,
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ]);
    expect(refusal(() => mergePatch({}, null))).toEqual([400, "Invalid JSON Patch"]);
  });

  test("is idempotent, and shares nothing with its result", () => {
    // Without nulls: upstream prunes those inside a list only where the list stands for no object.
    const objects = fc.object({ values: [fc.string(), fc.integer(), fc.boolean()] });
    fc.assert(
      fc.property(objects, objects, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });
});

describe("JSON patch", () => {
  test.each([
    [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    [{ a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: "remove", path: "/a/0" }], { a: [2] }],
    [{ a: [1, 2] }, [{ op: "remove", path: "/a/-1" }], { a: [1] }],
    [{ a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
    [{ a: {} }, [{ op: "replace", path: "/a/b", value: 1 }], { a: { b: 1 } }],
    [{ a: { b: 1 }, c: {} }, [{ op: "move", from: "/a/b", path: "/c/d" }], { a: {}, c: { d: 1 } }],
    [{ a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: { b: [1, "x"] } }, [{ op: "test", path: "/a", value: { b: [1, "x"] } }], { a: { b: [1, "x"] } }],
    [{ a: 1 }, [{ op: "test", path: "/b", value: null }], { a: 1 }],
    [
      { "a/b": 1, "~1": 2 },
      [
        { op: "remove", path: "/a~1b" },
        { op: "replace", path: "/~01", value: 3 },
      ],
      { "~1": 3 },
    ],
    [{ a: 1 }, [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
    [{ a: [1] }, [{ op: "replace", path: "/a/00", value: 2 }], { a: [2] }],
    [{ a: 1 }, [], { a: 1 }],
  ])("%j with %j is %j", (target, patch, result) => {
    expect(jsonPatch(target, patch)).toEqual(result);
  });

  test.each([
    [{ op: "test", path: "/a", value: "2" }],
    [{ op: "test", path: "/a/b", value: 1 }],
    [{ op: "remove", path: "/b" }],
    [{ op: "remove", path: "/list/2" }],
    [{ op: "replace", path: "/list/2", value: 1 }],
    [{ op: "replace", path: "/list/x", value: 1 }],
    [{ op: "add", path: "/list/3", value: 1 }],
    [{ op: "add", path: "/b/c", value: 1 }],
    [{ op: "add", path: "", value: {} }],
    [{ op: "add", value: {} }],
    [{ op: "add", path: "/constructor/prototype/x", value: 1 }],
    [{ op: "move", from: "/b", path: "/c" }],
    [{ op: "jump", path: "/a" }],
    [{}],
    [null],
  ])("%j does not apply and is a 422", (operation) => {
    expect(refusal(() => jsonPatch({ a: 1, list: [1, 2] }, [operation]))).toEqual([422, rejected]);
  });

  test.each([
    [{}, "object into Go value of type []handlers.jsonPatchOp"],
    [["x"], "string into Go value of type handlers.jsonPatchOp"],
    [[{ op: "add", path: 1 }], "number into Go struct field jsonPatchOp.path of type string"],
  ])("%j is not a patch and is a 400", (patch, message) => {
    expect(refusal(() => jsonPatch({}, patch))).toEqual([
      400,
      `error decoding patch: json: cannot unmarshal ${message}`,
    ]);
  });

  test("has at most 10,000 operations", () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: 1 }));
    expect(jsonPatch({ a: 1 }, patch.slice(1))).toEqual({ a: 1 });
    expect(refusal(() => jsonPatch({ a: 1 }, patch))).toEqual([
      413,
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    ]);
  });

  test("cannot grow the object without bound by copies", () => {
    const patch = Array.from({ length: 40 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    expect(refusal(() => jsonPatch({ a: ["x".repeat(1000)] }, patch))).toEqual([422, rejected]);
  });

  test("neither changes nor shares the target and the patch", () => {
    const target = { a: { b: 1 } };
    const patch = [
      { op: "add", path: "/c", value: { d: 1 } },
      { op: "replace", path: "/c/d", value: 2 },
      { op: "remove", path: "/a/b" },
    ];
    expect(jsonPatch(target, patch)).toEqual({ a: {}, c: { d: 2 } });
    expect(target).toEqual({ a: { b: 1 } });
    expect(patch[0]).toEqual({ op: "add", path: "/c", value: { d: 1 } });
  });

  test("treats __proto__ as any key", () => {
    const result = jsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: 1 } }]);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
