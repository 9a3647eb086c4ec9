// The documents: their lengths, and that every relative link leads to a file and a heading.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { lexer, walkTokens } from "marked";
import { describe, expect, test } from "vitest";
import { Anchors } from "../../scripts/docs/markdown.ts";

const root = resolve(import.meta.dirname, "../..");
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "client/README.md",
  ...["docs", "sdk", "worker", "test", "bench", "action", "lessons"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
      .map((path) => join(folder, path)),
  ),
];

/** Counts the words that have a letter or a digit, so that the bars of tables do not count. */
function wordCount(path: string): number {
  const words = readFileSync(join(root, path), "utf8").split(/\s+/);
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Returns the anchors of a document's headings. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Anchors();
  const all = new Set<string>();
  void walkTokens(lexer(readFileSync(path, "utf8")), (token) => {
    if (token.type === "heading") all.add(anchors.next(token.text));
  });
  return all;
}

function linksOf(path: string): string[] {
  const links: string[] = [];
  void walkTokens(lexer(readFileSync(join(root, path), "utf8")), (token) => {
    if (token.type === "link" || token.type === "image") links.push(token.href);
  });
  return links;
}

describe("documents", () => {
  test.each([
    ["README.md", 700],
    ["ARCHITECTURE.md", 1800],
    ["docs/containers.md", 2000],
  ])("%s has at most %d words", (path, limit) => {
    expect(wordCount(path)).toBeLessThanOrEqual(limit);
  });

  test("list each room of shared/ and worker/ once, in ARCHITECTURE.md", () => {
    const table = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const listed = [...table.matchAll(/^\| `((?:shared|worker)\/\w+)` \|/gm)].map(([, room = ""]) => room);
    const folders = ["shared", "worker"].flatMap((parent) =>
      readdirSync(join(root, parent), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${parent}/${name}`),
    );
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });

  test("link to existing files and headings", () => {
    const dead = documents.flatMap((document) =>
      linksOf(document)
        .filter((link) => !/^(?:https?|mailto|data):/.test(link))
        .flatMap((link) => {
          const [path = "", anchor] = link.split("#");
          const target = path ? resolve(root, dirname(document), path) : join(root, document);
          if (!existsSync(target)) return [`${document}: ${link}: ${relative(root, target)} does not exist`];
          if (anchor === undefined || !target.endsWith(".md") || anchorsOf(target).has(anchor)) return [];
          return [`${document}: ${link}: no heading has this anchor`];
        }),
    );
    expect(dead).toEqual([]);
  });
});
