// Checks the language of comments and names. Each room may have as many breaches as `language-counts.ts` says, no more and no fewer.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Breach, breachesIn, maxSentenceWords, rules } from "./language.ts";
import { languageCounts } from "./language-counts.ts";

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

describe("the language is plain English", () => {
  const rooms = [...new Set([...breachesOfRooms.keys(), ...Object.keys(languageCounts)])].sort();

  test.each(rooms)("%s has as many breaches as the table allows", (room) => {
    const breaches = breachesOfRooms.get(room) ?? [];
    const counts = rules.map((rule) => breaches.filter((breach) => breach.rule === rule).length);
    const allowed = languageCounts[room] ?? [0, 0, 0];
    const advice = rules.map((rule, index) => {
      const [count = 0, limit = 0] = [counts[index], allowed[index]];
      if (count < limit) return `${rule}: lower the count from ${limit} to ${count}`;
      const places = breaches
        .filter((breach) => breach.rule === rule)
        .slice(0, maxListedBreaches)
        .map(({ file, line, text }) => `  ${file}:${line} ${text}`);
      return count > limit ? [`${rule}: ${count}, but only ${limit} allowed, among:`, ...places].join("\n") : [];
    });
    expect(counts, [`"${room}": [${counts.join(", ")}],`, ...advice.flat()].join("\n")).toEqual(allowed);
  });
});

describe("breaches", () => {
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
  ])("in case %#", (text, expected) => {
    expect(breachesIn("file.ts", text).map(({ rule, line }) => `${rule}:${line}`)).toEqual(expected);
  });

  test("in the name of a file", () => {
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
