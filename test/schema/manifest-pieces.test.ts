// Long texts of manifests, split into objects while they arrive.
import { describe, expect, test } from "vitest";
import { ManifestPieces } from "../../shared/schema/yaml/pieces/manifest-pieces.ts";
import { type ManifestPiece, PieceTooLong } from "../../shared/schema/yaml/pieces/piece.ts";
import { readYaml, readYamlDocuments } from "../../shared/schema/yaml/read.ts";

function split(text: string, partLength: number, maxCharacters = 10_000): ManifestPiece[] {
  const pieces = new ManifestPieces(maxCharacters);
  const all: ManifestPiece[] = [];
  for (let at = 0; at < text.length; at += partLength) all.push(...pieces.take(text.slice(at, at + partLength)));
  return [...all, ...pieces.end()];
}

/** The objects of all pieces; lists without their items are left out. */
function objectsOf(pieces: readonly ManifestPiece[]): unknown[] {
  return pieces
    .map(({ text, item }) => ({ item, value: readYaml(text).value }))
    .filter(({ item, value }) => item !== undefined || !isList(value))
    .map(({ value }) => value);
}

function isList(value: unknown): value is { items: unknown[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items);
}

const items = [
  { kind: "ConfigMap", metadata: { name: "a" }, data: { "x.json": '{"items":[1,"]}"]}\n- a\n\n---\n' } },
  { kind: "Shop", items: [{ a: [1, { items: [] }] }], text: 'quote " and \\ and \\"' },
  { kind: "Secret", metadata: { name: "c" } },
];
const yamlList = `# printed by kubectl
apiVersion: v1
items:
# the first one
- kind: ConfigMap
  metadata: {name: a}
  data:
    x.json: |
      {"items":[1,"]}"]}
      - a

      ---
- kind: Shop
  items:
  - a:
    - 1
    - items: []

  text: "quote \\" and \\\\ and \\\\\\""
-
  kind: Secret
  metadata:
    name: c
kind: List
metadata:
  resourceVersion: ""
`;

const texts: readonly (readonly [string, string])[] = [
  ["a list in YAML", yamlList],
  ["an indented list", yamlList.replaceAll(/^(?=[- ] )/gm, "  ").replace("\n-\n", "\n  -\n")],
  ["a list in YAML with Windows line breaks", yamlList.replaceAll("\n", "\r\n")],
  ["a list in JSON", JSON.stringify({ apiVersion: "v1", items, kind: "List" })],
  ["a list in JSON over several lines", JSON.stringify({ kind: "List", items }, undefined, 2)],
  ["several lists in JSON", items.map((item) => JSON.stringify({ items: [item], kind: "List" })).join("\n")],
  // A document with `items` is a list, whatever its kind.
  [
    "documents in YAML",
    items
      .filter(({ kind }) => kind !== "Shop")
      .map((item) => `---\n${JSON.stringify(item)}\n`)
      .join("...\n# next\n"),
  ],
];

describe("F7: a long text", () => {
  test.each(texts)("%s is split into the same objects however it arrives", (_, text) => {
    const pieces = split(text, text.length);
    expect(objectsOf(pieces)).toEqual(text.includes("...") ? items.filter(({ kind }) => kind !== "Shop") : items);
    for (const partLength of [1, 2, 3, 5, 64]) expect(split(text, partLength)).toEqual(pieces);
  });

  test("is split at the lines on which its objects begin", () => {
    const text = `${yamlList}---\nkind: Last\n---\n${JSON.stringify({ kind: "List", items }, undefined, 1)}`;
    const places = split(text, 10).map(({ document, line, item }) => [document, line, item]);
    const lineOf = (start: string) => text.slice(0, text.indexOf(start)).split("\n").length;
    expect(places.slice(0, 5)).toEqual([
      [1, lineOf("- kind: ConfigMap"), 0],
      [1, lineOf("- kind: Shop"), 1],
      [1, lineOf("-\n  kind: Secret"), 2],
      [1, 2, undefined],
      [2, lineOf("kind: Last"), undefined],
    ]);
    expect(places[5]).toEqual([3, lineOf('"kind": "ConfigMap"') - 1, 0]);
  });

  test.each([
    ["flow style", "{a: b, c: [d]}\n--- {e: f}\n"],
    ["an empty list", "items: []\nkind: List\n"],
    ["items that are no list", "items:\n  a: b\nkind: Shop\n"],
    ["items without a value", "items:\nkind: List\n"],
    ["documents without content", "---\n# nothing\n---\n\n...\n---\na: 1\n---\n"],
    ["a text without a line break at the end", "a: 1\n---\nb: 2"],
    ["nothing", ""],
  ])("with %s has the documents that the whole text has", (_, text) => {
    const documents = [...readYamlDocuments(text)].map(({ value }) => value).filter((value) => value !== null);
    for (const partLength of [1, 4, 100]) {
      const values = split(text, partLength).map((piece) => readYaml(piece.text).value);
      expect(values.filter((value) => value !== null)).toEqual(documents);
    }
  });

  test.each([
    ["JSON that breaks off", '{"items":[{"a":1},{"b'],
    ["JSON that breaks off between objects", '{"items":[{"a":1},'],
    ["a string that does not end", '{"items":[{"a":"'],
  ])("with %s has a piece that cannot be parsed", (_, text) => {
    expect(() => split(text, 3).map((piece) => JSON.parse(piece.text))).toThrow(SyntaxError);
  });

  test.each([
    ["an item in YAML", `items:\n- a: 1\n- b: ${"x".repeat(200)}\n`, 3],
    ["lines of an item in YAML", `items:\n- a: 1\n- b:\n${"  - x\n".repeat(50)}`, 3],
    ["an item in JSON", `{"items":[{"a":1},\n{"b":"${"x".repeat(200)}`, 2],
    ["a document", `a: 1\n---\nb: ${"x".repeat(200)}`, 3],
    ["the rest of a list", `{"items":[],\n"a":"${"x".repeat(200)}`, 1],
  ])("is refused with the line if %s is too long", (_, text, line) => {
    for (const partLength of [1, 50, 1_000]) {
      const error = errorOf(() => split(text, partLength, 100));
      expect(error).toBeInstanceOf(PieceTooLong);
      expect(error).toMatchObject({ line });
    }
  });
});

function errorOf(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return error;
  }
}
