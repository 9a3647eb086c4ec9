import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { strategicMerge } from "../../shared/schema/strategic/strategic-merge.ts";

const pod = "io.k8s.api.core.v1.Pod";
const deployment = "io.k8s.api.apps.v1.Deployment";
const service = "io.k8s.api.core.v1.Service";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function containers(...list: unknown[]) {
  return { spec: { containers: list } };
}
const a = { name: "a", image: "1" };
const b = { name: "b", image: "1" };
const c = { name: "c", image: "1" };

function refusal(run: () => unknown): [number, string] {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.message];
    throw error;
  }
  return [200, "accepted"];
}

describe("strategic merge of objects", () => {
  test.each([
    [
      "fields are merged",
      { metadata: { name: "x", labels: { a: "1" } } },
      { metadata: { labels: { b: "2" } } },
      { metadata: { name: "x", labels: { a: "1", b: "2" } } },
    ],
    [
      "null deletes",
      { metadata: { labels: { a: "1", b: "2" } } },
      { metadata: { labels: { a: null, z: null } } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "nulls in new values are dropped",
      {},
      { metadata: { labels: { a: null, b: "1" } } },
      { metadata: { labels: { b: "1" } } },
    ],
    [
      "$patch: replace",
      { metadata: { name: "x", labels: { a: "1" } } },
      { metadata: { labels: { b: "2", $patch: "replace" } } },
      { metadata: { name: "x", labels: { b: "2" } } },
    ],
    [
      "$patch: delete empties",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "delete" } } },
      { metadata: { labels: {} } },
    ],
    [
      "a value of another type replaces the old one",
      { metadata: "x" },
      { metadata: { name: "y" } },
      { metadata: { name: "y" } },
    ],
    [
      "a directive in a new value is dropped",
      {},
      { metadata: { labels: { $patch: "delete" } }, spec: {} },
      { metadata: {}, spec: {} },
    ],
  ])("is correct: %s", (_, original, patch, result) => {
    expect(strategicMerge(pod, original, patch)).toEqual(result);
  });

  test("removes fields that $retainKeys does not name", () => {
    const original = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    expect(strategicMerge(deployment, original, patch)).toEqual({ spec: { strategy: { type: "Recreate" } } });
  });

  test("does not change its inputs", () => {
    const original = Object.freeze(containers(Object.freeze({ ...a })));
    const patch = Object.freeze({
      spec: Object.freeze({ containers: Object.freeze([Object.freeze({ name: "a", image: "2" })]) }),
    });
    expect(strategicMerge(pod, original, patch)).toEqual(containers({ name: "a", image: "2" }));
    expect(original).toEqual(containers(a));
  });
});

describe("strategic merge of lists with a merge key", () => {
  test.each([
    ["an item is merged at its position", [a, b], [{ name: "b", image: "2" }], [a, { name: "b", image: "2" }]],
    ["a new item comes first", [a, b], [c], [c, a, b]],
    ["$patch: delete removes", [a, b], [{ name: "a", $patch: "delete" }], [b]],
    ["$patch: replace keeps the patch alone", [a, b], [{ $patch: "replace" }, c], [c]],
    ["items of the patch keep the patch's order", [a, b, c], [{ name: "c" }, { name: "a" }], [b, c, a]],
    ["an empty patch changes nothing", [a], [], [a]],
  ])("is correct: %s", (_, original, patch, result) => {
    expect(strategicMerge(pod, containers(...original), containers(...patch))).toEqual(containers(...result));
  });

  test("orders the list by $setElementOrder", () => {
    const order = (...names: string[]) => ({
      spec: { "$setElementOrder/containers": names.map((name) => ({ name })) },
    });
    expect(strategicMerge(pod, containers(a, b, c), order("c", "b", "a"))).toEqual(containers(c, b, a));
    expect(strategicMerge(pod, containers(a, b, c), order("c", "a"))).toEqual(containers(b, c, a));
    const patch = { spec: { ...order("c", "a").spec, containers: [c] } };
    expect(strategicMerge(pod, containers(a, b), patch)).toEqual(containers(c, a, b));
  });

  test("merges an inner list too", () => {
    const original = containers({ ...a, env: [{ name: "X", value: "1" }], args: ["1", "2"] });
    const patch = containers({ name: "a", env: [{ name: "Y", value: "2" }], args: ["3"] });
    const result = {
      ...a,
      env: [
        { name: "Y", value: "2" },
        { name: "X", value: "1" },
      ],
      args: ["3"],
    };
    expect(strategicMerge(pod, original, patch)).toEqual(containers(result));
  });

  test("merges ports of a Service by port", () => {
    const original = { spec: { ports: [{ port: 80, name: "http" }] } };
    const patch = { spec: { ports: [{ port: 80, targetPort: 8080 }, { port: 443 }] } };
    expect(strategicMerge(service, original, patch)).toEqual({
      spec: { ports: [{ port: 80, name: "http", targetPort: 8080 }, { port: 443 }] },
    });
  });
});

describe("strategic merge of lists of scalars", () => {
  test("unites them with the merge strategy", () => {
    const result = strategicMerge(meta, { finalizers: ["a", "b"] }, { finalizers: ["c", "b"] });
    expect(result).toEqual({ finalizers: ["c", "a", "b"] });
  });

  test("removes items by $deleteFromPrimitiveList", () => {
    const patch = {
      "$deleteFromPrimitiveList/finalizers": ["a"],
      "$setElementOrder/finalizers": ["c", "b"],
      finalizers: ["c"],
    };
    expect(strategicMerge(meta, { finalizers: ["a", "b"] }, patch)).toEqual({ finalizers: ["c", "b"] });
    expect(strategicMerge(meta, {}, { "$deleteFromPrimitiveList/finalizers": ["a"] })).toEqual({});
  });

  test("replaces them without a strategy", () => {
    const patch = containers({ name: "a", command: ["x"] });
    expect(strategicMerge(pod, containers({ ...a, command: ["y", "z"] }), patch)).toEqual(
      containers({ ...a, command: ["x"] }),
    );
  });
});

describe("refused strategic merges", () => {
  test.each([
    [
      "an item without its key",
      containers({ image: "x" }),
      [400, "map: map[image:x] does not contain declared merge key: name"],
    ],
    [
      "an unknown directive",
      containers({ name: "a", $patch: "add" }),
      [400, "unknown patch type: add in map: map[$patch:add name:a]"],
    ],
    [
      "merge as a directive",
      containers({ name: "a", $patch: "merge" }),
      [400, "merging lists cannot yet be specified in the patch"],
    ],
    ["mixed items", containers("x"), [400, "list element types are not identical: [[map[image:1 name:a]] [x]]"]],
    ["lists in lists", containers(["x"]), [422, "the server rejected our request due to an error in our request"]],
    ["retainKeys that are no list", { spec: { $retainKeys: "x" } }, [400, "invalid patch format of retainKeys"]],
    [
      "a patch past its retainKeys",
      { spec: { $retainKeys: ["a"], b: 1 } },
      [400, "invalid patch format of retainKeys"],
    ],
    ["an order of nothing", { spec: { $setElementOrder: [] } }, [400, "invalid patch format of setElementOrder list"]],
    [
      "deletion from nothing",
      { spec: { $deleteFromPrimitiveList: [] } },
      [400, "invalid patch format of primitive list"],
    ],
    [
      "an order that the patch does not follow",
      { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "b" }] } },
      [400, "The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n"],
    ],
    ["a list as the patch", [], [400, "json: cannot unmarshal array into Go value of type map[string]interface {}"]],
  ])("have upstream's message for %s", (_, patch, expected) => {
    expect(refusal(() => strategicMerge(pod, containers(a), patch))).toEqual(expected);
  });

  test("include a type without fields", () => {
    expect(refusal(() => strategicMerge("example.com.v1.Widget", {}, {}))).toEqual([
      400,
      "strategic merge patch format is not supported",
    ]);
  });
});
