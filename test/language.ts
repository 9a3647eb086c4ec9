// Finds breaches of the rules of plain English that a program can check: openings of doc comments and of test titles, names, and the length
// of sentences.
import { basename } from "node:path";
import ts from "typescript";
import { titledCall } from "./titles.ts";

export const rules = ["openings", "names", "sentences", "titles"] as const;
export type Rule = (typeof rules)[number];

export interface Breach {
  readonly rule: Rule;
  readonly line: number;
  readonly text: string;
}

export const maxSentenceWords = 30;

const forbiddenOpening = /^(Of|Who|What|Whoever|Where|It|That|There|One)\b/;
/** A title begins with its subject, after the rules of the specification that the test proves. */
const forbiddenTitle =
  /^(?:[A-Z]\d+[,:]? )*(?:what|who|whose|whom|whoever|it|its|that|those|they|ones?|of|where|there|nobody|and|but|so)\b/i;
const forbiddenNames = new Set(
  [
    "found known made given told shown said asked wanted whole own there deed deeds one ones other others that thing things",
    "part parts kept seen looked",
  ].flatMap((names) => names.split(" ")),
);

/** Returns the breaches in a file, in the order of the rules. */
export function breachesIn(file: string, text: string): Breach[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const comments = commentsIn(source);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const openings = comments
    .filter(({ isDoc, paragraphs }) => isDoc && forbiddenOpening.test(paragraphs[0] ?? ""))
    .map(
      ({ position, paragraphs }): Breach => ({ rule: "openings", line: lineAt(position), text: paragraphs[0] ?? "" }),
    );
  const names = declaredNames(source)
    .filter(({ name }) => forbiddenNames.has(name))
    .map(({ name, position }): Breach => ({ rule: "names", line: lineAt(position), text: name }));
  const fileName = basename(file).replace(/(\.test)?\.tsx?$/, "");
  if (forbiddenNames.has(fileName)) names.unshift({ rule: "names", line: 1, text: fileName });
  const sentences = comments.flatMap(({ position, paragraphs }) =>
    paragraphs
      .flatMap(sentencesIn)
      .filter((sentence) => wordCount(sentence) > maxSentenceWords)
      .map((sentence): Breach => ({ rule: "sentences", line: lineAt(position), text: sentence })),
  );
  const titles = titlesIn(source)
    .filter(({ title }) => forbiddenTitle.test(title))
    .map(({ title, position }): Breach => ({ rule: "titles", line: lineAt(position), text: title }));
  return [...openings, ...names, ...sentences, ...titles];
}

interface Comment {
  readonly position: number;
  readonly isDoc: boolean;
  readonly paragraphs: readonly string[];
}

/** Returns the comments of a file. Line comments that follow one another at the start of their lines are one comment. */
function commentsIn(source: ts.SourceFile): Comment[] {
  const code = withoutLiterals(source);
  const pattern = /\/\*(?<block>[\s\S]*?)\*\/|(?<=^[ \t]*)\/\/.*(?:\n[ \t]*\/\/.*)*|\/\/.*/gm;
  return [...code.matchAll(pattern)].map(({ 0: comment, index, groups }) => ({
    position: index,
    isDoc: comment.startsWith("/**"),
    paragraphs: paragraphsOf(
      groups?.["block"] === undefined
        ? comment.replaceAll(/^[ \t]*\/\/\/?/gm, "")
        : groups["block"].replaceAll(/^\s*\*+/gm, ""),
    ),
  }));
}

/** Splits a comment at blank lines, list items, headings and tags. */
function paragraphsOf(comment: string): string[] {
  return comment
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#@]|\d+\.)\s*\S)/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** Splits a paragraph after a full stop, a question mark or an exclamation mark, unless a small letter follows. */
function sentencesIn(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?][)"'`]*)\s+(?![a-z])/);
}

/** Counts words. Code between backticks counts as one word. */
function wordCount(sentence: string): number {
  return sentence
    .replaceAll(/`[^`]*`/g, "code")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Replaces the contents of string, template, regular expression and JSX literals by spaces, so that positions stay. */
function withoutLiterals(source: ts.SourceFile): string {
  const chunks: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    if (
      ts.isLiteralExpression(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isTemplateHead(node) ||
      ts.isJsxText(node)
    ) {
      const start = ts.isJsxText(node) ? node.pos : node.getStart(source);
      chunks.push(source.text.slice(end, start), source.text.slice(start, node.end).replaceAll(/[^\n]/g, " "));
      end = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...chunks, source.text.slice(end)].join("");
}

/** Returns the titles of tests and groups. */
function titlesIn(source: ts.SourceFile): { title: string; position: number }[] {
  const titles: { title: string; position: number }[] = [];
  const visit = (node: ts.Node): void => {
    const call = ts.isCallExpression(node) ? titledCall(node) : undefined;
    if (call) titles.push({ title: call.title, position: node.getStart(source) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** Returns the names that a file declares: variables, parameters, functions, types, members and enum members, but not imports. */
function declaredNames(source: ts.SourceFile): { name: string; position: number }[] {
  const names: { name: string; position: number }[] = [];
  const visit = (node: ts.Node): void => {
    const name = declaredName(node);
    if (name) names.push({ name: name.text, position: name.getStart(source) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionLike(node) ||
    ts.isClassLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isEnumMember(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}
