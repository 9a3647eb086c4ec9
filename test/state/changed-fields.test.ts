// Which fields of two objects differ.
import { expect, test } from "vitest";
import { changedFields } from "../../shared/state/changed-fields.ts";

const pod = (image: string, ...more: string[]) => ({
  spec: { containers: [...more.map((name) => ({ name, image: "x" })), { name: "app", image }] },
});

test.each<[string, unknown, unknown, unknown]>([
  ["nothing", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["a value", { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, [{ path: "spec.replicas", from: 1, to: 2 }]],
  ["an added object", { a: 1 }, { a: 1, b: { c: 1 } }, [{ path: "b", to: { c: 1 } }]],
  ["a removed object", { a: { c: 1 } }, {}, [{ path: "a", from: { c: 1 } }]],
  ["a field that became null", { a: 1 }, { a: null }, [{ path: "a", from: 1, to: null }]],
  ["another kind of value", { a: [1] }, { a: { 0: 1 } }, [{ path: "a", from: [1], to: { 0: 1 } }]],
  ["a key with dots", { m: { "a.b/c": "1" } }, { m: { "a.b/c": "2" } }, [{ path: 'm["a.b/c"]', from: "1", to: "2" }]],
  [
    "a named entry at any position",
    pod("a"),
    pod("b", "side"),
    [
      { path: "spec.containers[name=app].image", from: "a", to: "b" },
      { path: "spec.containers[name=side]", to: { name: "side", image: "x" } },
    ],
  ],
  [
    "entries by position for duplicate names",
    [{ name: "a" }, { name: "a" }],
    [{ name: "a" }, { name: "b" }],
    [{ path: "[1].name", from: "a", to: "b" }],
  ],
  [
    "plain entries by position",
    { f: ["a", "b"] },
    { f: ["b"] },
    [
      { path: "f[0]", from: "a", to: "b" },
      { path: "f[1]", from: "b" },
    ],
  ],
  ["a new object", undefined, { a: 1 }, [{ path: "", to: { a: 1 } }]],
])("changed fields of %s", (_, before, after, expected) => {
  expect(changedFields(before, after)).toEqual(expected);
});

test("the number of changed fields is bounded", () => {
  const many = (v: number) => Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, v]));
  expect(changedFields(many(1), many(2), 3).map(({ path }) => path)).toEqual(["k0", "k1", "k2"]);
});
