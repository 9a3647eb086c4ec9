// The table of bounds: each row names an existing test.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { titledCall } from "../titles.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");
const columns = ["input", "bound", "what the client sees", "test"];

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page: each is a run of lines that begin with a bar. */
function tablesOf(text: string): Table[] {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const lines = block.split("\n").filter((line) => line.startsWith("|"));
    const [head, , ...rows] = lines.map(cells);
    return head ? [{ head, rows }] : [];
  });
}

const bounds = tablesOf(page).filter(({ head }) => head.join() === columns.join());
const rows = bounds.flatMap((table) => table.rows);

/** The files that a cell names, each with the beginnings of titles behind it; undefined if the cell holds anything else. */
function referencesIn(cell: string): { readonly file: string; readonly titles: readonly string[] }[] | undefined {
  const reference = /^`(test\/[\w./-]+\.test\.ts)`((?: "[^"]+")*)$/;
  const all = cell.split(/, (?=`test\/)/);
  const matches = all.map((citation) => reference.exec(citation));
  if (matches.some((match) => match === null)) return undefined;
  return matches.map((match) => ({
    file: match?.[1] ?? "",
    titles: [...(match?.[2] ?? "").matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }));
}

const titlesByFile = new Map<string, readonly string[]>();

/** The titles of the tests and groups in a file: the first argument of each call of a test's function. */
function titlesIn(file: string): readonly string[] {
  const cachedTitles = titlesByFile.get(file);
  if (cachedTitles) return cachedTitles;
  const titles: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const call = ts.isCallExpression(node) ? titledCall(node) : undefined;
    if (call) titles.push(call.title);
    ts.forEachChild(node, visit);
  };
  visit(source);
  titlesByFile.set(file, titles);
  return titles;
}

describe("docs/security.md", () => {
  test("has the bounds in one table, and no other table", () => {
    expect(bounds).toHaveLength(1);
    expect(rows.length).toBeGreaterThan(150);
    const elsewhere = tablesOf(page).filter(({ head }) => head.join() !== columns.join());
    expect(elsewhere.map(({ head }) => head)).toEqual([["party", "may", "may not"]]);
  });

  test("has four non-empty cells in each row, and each input once", () => {
    expect(rows.filter((cells) => cells.length !== columns.length || cells.includes(""))).toEqual([]);
    const inputs = rows.map(([input]) => input);
    expect(inputs.filter((input, at) => inputs.indexOf(input) !== at)).toEqual([]);
  });

  test("names existing tests in each row, by their files and the beginnings of their titles", () => {
    const missing = rows.flatMap(([input = "", , , cell = ""]) => {
      const references = referencesIn(cell);
      if (!references) return [`${input}: ${cell} does not name tests`];
      return references.flatMap(({ file, titles }) => {
        if (!existsSync(join(root, file))) return [`${input}: ${file} does not exist`];
        const absent = titles.filter((title) => !titlesIn(file).some((testTitle) => testTitle.startsWith(title)));
        return absent.map((title) => `${input}: no test of ${file} begins with ${JSON.stringify(title)}`);
      });
    });
    expect(missing).toEqual([]);
  });
});
