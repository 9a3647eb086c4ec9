// Texts of the console come from the messages files, so that another language is one file beside each.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** Attributes of elements and of this project's components whose value a user sees or hears. */
const shownAttributes = new Set([
  "title",
  "aria-label",
  "placeholder",
  "alt",
  "label",
  "hint",
  "action",
  "doing",
  "cancelLabel",
  "data-label",
]);
const word = /[A-Za-z]{2}/;

function literalsIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const literals: string[] = [];
  const note = (node: ts.Node, words: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    if (word.test(words)) literals.push(`${path}:${line + 1}: ${words.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) note(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && isShown(node)) {
      for (const leaf of leavesOf(node.expression)) note(leaf, wordsOf(leaf));
    }
    if (ts.isJsxAttribute(node) && isNamed(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      note(node, node.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return literals;
}

function isNamed(attribute: ts.JsxAttribute): boolean {
  return shownAttributes.has(attribute.name.getText());
}

function isShown({ parent }: ts.JsxExpression): boolean {
  return ts.isJsxAttribute(parent) ? isNamed(parent) : ts.isJsxElement(parent) || ts.isJsxFragment(parent);
}

/** Returns the expressions whose value a shown expression can have. */
function leavesOf(expression: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(expression)) return leavesOf(expression.expression);
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse].flatMap(leavesOf);
  if (ts.isBinaryExpression(expression)) return leavesOf(expression.right);
  return [expression];
}

function wordsOf(expression: ts.Expression): string {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (!ts.isTemplateExpression(expression)) return "";
  return [expression.head.text, ...expression.templateSpans.map(({ literal }) => literal.text)].join("");
}

describe("texts of the console", () => {
  const paths = globSync("web/**/*.tsx", { cwd: root });

  test("Z20: no page, dialog or component has literal text outside of the messages files", () => {
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.flatMap((path) => literalsIn(path, readFileSync(join(root, path), "utf8")))).toEqual([]);
  });

  test.each([
    "<p>Some text</p>",
    '<a title="Some text" />',
    '<a aria-label={on ? "Some text" : texts.other} />',
    "<p>{found && `${count} texts`}</p>",
  ])("Z20: a literal text in %s is found", (jsx) => {
    expect(literalsIn("a.tsx", `const a = ${jsx};`)).toHaveLength(1);
  });

  test.each(['<p class="a b">{texts.some} · {count}</p>', '<a href="#/keys">{name}</a>', "<p>{`${a} / ${b}`}</p>"])(
    "Z20: no literal text is found in %s",
    (jsx) => {
      expect(literalsIn("a.tsx", `const a = ${jsx};`)).toEqual([]);
    },
  );
});
