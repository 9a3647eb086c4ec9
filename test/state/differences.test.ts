// Differences between two states.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { fieldDifferences, textDifferences } from "../../shared/state/differences.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import { configMap, stateFile, type Stored } from "./files.ts";

const cluster = (uid: string): Stored => [
  "namespaces",
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid } },
];

function compared(from: readonly Stored[], to: readonly Stored[], areOfOne = false) {
  return { from: readStateFile(stateFile(from)), to: readStateFile(stateFile(to)), areOfOne };
}

function fields(from: readonly Stored[], to: readonly Stored[], areOfOne = false) {
  return fieldDifferences(compared(from, to, areOfOne)).objects.map(({ change, name, fields }) => [
    change,
    name,
    fields,
  ]);
}

describe("differences by fields", () => {
  test("F5: list added, changed and removed objects in the order of keys, and no equal ones", () => {
    const [from, to] = [
      [configMap("a", "1"), configMap("b", "1"), configMap("d", "1")],
      [configMap("a", "1"), configMap("b", "2"), configMap("c", "1")],
    ];
    const wholeObject = (name: string, side: "from" | "to") => [
      { path: "metadata.uid", [side]: `uid-${name}` },
      { path: "data", [side]: { v: "1" } },
    ];
    expect(fields(from, to)).toEqual([
      ["changed", "b", [{ path: "data.v", from: "1", to: "2" }]],
      ["added", "c", wholeObject("c", "to")],
      ["removed", "d", wholeObject("d", "from")],
    ]);
    const [first] = fieldDifferences(compared(from, to)).objects;
    expect(first).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", namespace: "default" });
  });

  test("F5: exclude versions and managers of fields, and events", () => {
    const noted = (version: string) =>
      configMap("a", "1", { resourceVersion: version, managedFields: [{ manager: version }] });
    const event: Stored = [
      "events",
      { apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace: "default", resourceVersion: "9" } },
    ];
    expect(fields([noted("1")], [noted("2"), event])).toEqual([]);
  });

  test("F5: exclude certificates, of which each cluster has its own", () => {
    const of = (name: string) => {
      const certificates = { rootCA: `${name}-root`, clientCA: `${name}-client`, frontProxyCA: `${name}-front` };
      return readStateFile(stateFile([configMap("kube-root-ca.crt", `${name}-root`)], 100_000, certificates));
    };
    const both = { from: of("one"), to: of("other"), areOfOne: false };
    expect(fieldDifferences(both).objects).toEqual([]);
    expect(textDifferences(both).text).toBe("");
  });

  test("F5: ignore uids and times between unrelated clusters, and not between related ones", () => {
    const [old, otherUid] = [configMap("a", "1", { uid: "x" }), configMap("a", "1", { uid: "y" })];
    expect(fields([cluster("1"), old], [cluster("2"), otherUid])).toEqual([]);
    expect(fields([cluster("1"), old], [cluster("1"), otherUid])).toEqual([
      ["changed", "a", [{ path: "metadata.uid", from: "x", to: "y" }]],
    ]);
  });

  test("F5: skip objects with equal revisions within one sandbox, and not between two", () => {
    const [from, to] = [
      [configMap("a", "1", { resourceVersion: "5" })],
      [configMap("a", "2", { resourceVersion: "5" })],
    ];
    expect([fields(from, to, true).length, fields(from, to).length]).toEqual([0, 1]);
  });
});

describe("a truncated comparison", () => {
  const many = (count: number, v: string) => Array.from({ length: count }, (_, at) => configMap(`n${at}`, v));

  test("F5: is bounded in objects", () => {
    const both = compared([], many(limits.diffObjects + 1, "1"));
    const { objects, truncated } = fieldDifferences(both);
    expect([objects.length, truncated]).toEqual([limits.diffObjects, true]);
    const { text, truncated: isCut } = textDifferences(both);
    expect([text.match(/^--- /gm)?.length, isCut]).toEqual([limits.diffObjects, true]);
    expect(fieldDifferences(compared([], many(3, "1"))).truncated).toBe(false);
  });

  test("F5: is bounded in fields of one object, and in the length of one", () => {
    const data = (v: string) =>
      Object.fromEntries(Array.from({ length: limits.diffFields + 1 }, (_, at) => [`k${at}`, v]));
    const object = (v: string): Stored => ["configmaps", { ...configMap("a", "")[1], data: data(v) }];
    const { objects, truncated } = fieldDifferences(compared([object("1")], [object("2")]));
    expect([objects[0]?.fields.length, truncated]).toEqual([limits.diffFields, true]);
    const long = compared([configMap("a", "1")], [configMap("a", "x".repeat(limits.toldValueCharacters))]);
    expect(fieldDifferences(long)).toMatchObject({ objects: [{ name: "a", fields: [] }], truncated: true });
  });

  test("F5: is bounded in characters", () => {
    const long = Array.from({ length: 6 }, (_, at) => configMap(`n${at}`, "x".repeat(1_000_000)));
    const { text, truncated } = textDifferences(compared([], long));
    expect([text.length <= limits.diffCharacters, text.length > 3_000_000, truncated]).toEqual([true, true, true]);
  });

  test("F5: is bounded in compared lines", () => {
    const lines = (v: string) => Array.from({ length: 15_000 }, (_, at) => `${at} ${v}`).join("\n");
    const object = (v: string): Stored => ["configmaps", { ...configMap("a", "")[1], data: { v: lines(v) } }];
    expect(textDifferences(compared([object("1")], [object("2")]))).toEqual({ text: "", truncated: true });
  });
});

test("F5: the text is a unified diff of YAML, with a file for each object", () => {
  const from = [configMap("a", "1"), configMap("gone", "1")];
  const { text } = textDifferences(compared(from, [configMap("a", "2"), configMap("new", "1")]));
  expect(text).toBe(
    [
      "--- from/v1.ConfigMap.default.a",
      "+++ to/v1.ConfigMap.default.a",
      "@@ -1,6 +1,6 @@",
      " apiVersion: v1",
      " data:",
      '-  v: "1"',
      '+  v: "2"',
      " kind: ConfigMap",
      " metadata:",
      "   name: a",
      "--- from/v1.ConfigMap.default.gone",
      "+++ /dev/null",
      "@@ -1,8 +0,0 @@",
      ...["apiVersion: v1", "data:", '  v: "1"', "kind: ConfigMap", "metadata:"].map((line) => `-${line}`),
      ...["  name: gone", "  namespace: default", "  uid: uid-gone"].map((line) => `-${line}`),
      "--- /dev/null",
      "+++ to/v1.ConfigMap.default.new",
      "@@ -0,0 +1,8 @@",
      ...["apiVersion: v1", "data:", '  v: "1"', "kind: ConfigMap", "metadata:"].map((line) => `+${line}`),
      ...["  name: new", "  namespace: default", "  uid: uid-new"].map((line) => `+${line}`),
      "",
    ].join("\n"),
  );
});
