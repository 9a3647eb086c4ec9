// Checks the language of comments and names in every room.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Breach, breachesIn, maxSentenceWords } from "./language.ts";

const root = resolve(import.meta.dirname, "..");
/** The folders whose subfolders are rooms. The other folders are one room each. */
const buildings = ["worker", "shared", "web", "test"];
const roomlessFolders = ["bench", "client", "scripts"];
/** Files that a program writes. */
const generatedFolders = ["shared/k8s/api/"];
const maxListedBreaches = 60;

const breachesOfRooms = new Map<string, (Breach & { file: string })[]>();
for (const file of [...buildings, ...roomlessFolders].flatMap(sourcesBelow)) {
  const room = roomOf(file);
  const breaches = breachesIn(file, readFileSync(join(root, file), "utf8")).map((breach) => ({ ...breach, file }));
  breachesOfRooms.set(room, [...(breachesOfRooms.get(room) ?? []), ...breaches]);
}

describe("the language of a room", () => {
  test.each([...breachesOfRooms.keys()].sort())("%s breaks no rule", (room) => {
    const breaches = breachesOfRooms.get(room) ?? [];
    const places = breaches.map(({ rule, file, line, text }) => `${rule} ${file}:${line} ${text}`);
    expect(places.slice(0, maxListedBreaches)).toEqual([]);
  });
});

describe("the checker of breaches", () => {
  const longSentence = Array.from({ length: maxSentenceWords + 1 }, () => "Word").join(" ");

  test.each([
    ["/** Of a new definition. */\nconst limit = 1;", ["openings:1"]],
    ["/** Reports whether it fits.\n * It is not counted.\n */\nfunction fits() {}", []],
    ["// Of line comments only the length is checked.", []],
    ['const text = "/** Of a text. */"; const form = /\\/** Of a pattern *\\//;', []],
    [
      "function f(given: string, { own, whole: total }: T) { const [found] = given; }",
      ["names:1", "names:1", "names:1"],
    ],
    ["interface A { kept: number; told(): void }\ntype One = A;\nenum E { seen }", ["names:1", "names:1", "names:3"]],
    ['import { own } from "./own.ts";\nown({ found: 1 });', []],
    [`// ${longSentence}.`, ["sentences:1"]],
    [`// ${longSentence.slice(0, 29)}.\n// ${longSentence.slice(30)}.`, []],
    [`// Short.\n// ${longSentence.slice(0, 29)}\n// ${longSentence.slice(30)}.`, ["sentences:1"]],
    [`/* \`${longSentence}\` is code. */`, []],
    [`const f = () => \`\${1 /* ${longSentence} */} /* ${longSentence} */\`;`, ["sentences:1"]],
    [
      'describe("A1: who asks", () => {});\ntest.each([1])("O6, O10: It is %i", f);\nit(`that ${a}`, f);',
      ["titles:1", "titles:2", "titles:3"],
    ],
    ['test("a Pod of one node", f); test("only one of two", f); test("Ithaca", f); regex.test("of"); f("what");', []],
  ])("finds the breaches of case %#", (text, expected) => {
    expect(breachesIn("file.ts", text).map(({ rule, line }) => `${rule}:${line}`)).toEqual(expected);
  });

  test("finds a forbidden file name", () => {
    expect(breachesIn("web/said.tsx", "").map(({ text }) => text)).toEqual(["said"]);
  });
});

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => generatedFolders.every((generated) => !file.startsWith(generated)))
    .sort();
}

/** Returns the folder below a building, or the building for a file that stands in it directly. */
function roomOf(file: string): string {
  const [building = "", room = "", ...rest] = file.split("/");
  return buildings.includes(building) && rest.length > 0 ? `${building}/${room}` : building;
}
