// Reads a lesson's folder (`lesson.yaml`, pages, manifests) into one document, or returns problems with file, line and column.
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parse,
  parseAllDocuments,
  parseDocument,
  Scalar,
} from "yaml";
import type * as z from "zod";
import { limits } from "../base/limits.ts";
import { issuesWithin, sentenceOf } from "../contract/issue-sentence.ts";
import { expressionProblems, type Lesson, lesson } from "./lesson.ts";

export interface LessonProblem {
  readonly file: string;
  /** The line and column, both from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type ReadLesson = { readonly lesson: Lesson } | { readonly problems: readonly LessonProblem[] };

export const lessonFile = "lesson.yaml";

export const folderBounds = { files: limits.lessonFiles, characters: limits.lessonCharacters };

type Path = readonly PropertyKey[];

/** The file with its text and its parsed nodes. */
interface Source {
  readonly text: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/**
 * Reads a folder. `files` are texts by path, including `lesson.yaml`, in which `manifests` is a list of files. A step has the file of its
 * `page` instead of its text; `apply` and each of `images` can name a file too.
 */
export function readLessonFolder(files: ReadonlyMap<string, string>): ReadLesson {
  const text = files.get(lessonFile);
  if (text === undefined) return failed(`there is no ${lessonFile} in the folder`);
  if (files.size > limits.lessonFiles) return failed(`the folder has more than ${limits.lessonFiles} files`);
  const characters = [...files.values()].reduce((sum, text) => sum + text.length, 0);
  if (characters > limits.lessonCharacters) {
    return failed(`the files have more than ${limits.lessonCharacters} characters together`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: true });
  const source = { text, document, lines };
  if (document.errors.length > 0) {
    return { problems: document.errors.map(({ pos, message }) => ({ ...placeAt(source, pos[0]), message })) };
  }
  const problems: LessonProblem[] = [];
  const folderForm = valueOf(document, problems);
  const lessonForm = withFileTexts(folderForm, files, (path, message) => {
    problems.push({ ...placeOf(source, path), message });
  });
  if (problems.length > 0) return { problems };
  const checked = lesson.safeParse(lessonForm, { error: sentenceOf });
  if (checked.success) {
    const broken = manifestProblems(folderForm, files, source);
    return broken.length > 0 ? { problems: broken } : withCheckedExpressions(source, checked.data);
  }
  return { problems: checked.error.issues.flatMap(issuesWithin).flatMap((issue) => problemsOf(source, issue)) };
}

/** Returns the lesson, or the problems of its expressions. */
function withCheckedExpressions(source: Source, data: Lesson): ReadLesson {
  const problems = [...expressionProblems(data)].map(({ path, message, ...at }) => ({
    ...placeInScalar(source, path, at),
    message,
  }));
  return problems.length > 0 ? { problems } : { lesson: data };
}

/** Returns YAML errors of manifests, in files of the folder or inline in the lesson. */
function manifestProblems(folderForm: unknown, files: ReadonlyMap<string, string>, source: Source): LessonProblem[] {
  const all: LessonProblem[] = [];
  for (const { manifest, path } of manifestsIn(folderForm)) {
    const file = isFileName(manifest) ? fileName(manifest) : undefined;
    const lines = new LineCounter();
    const parsed = parseAllDocuments(file === undefined ? manifest : (files.get(file) ?? ""), {
      lineCounter: lines,
      prettyErrors: false,
    });
    const [error] = [...parsed].flatMap(({ errors }) => errors);
    if (!error) continue;
    const { line, col: column } = lines.linePos(error.pos[0]);
    const place = file === undefined ? placeInScalar(source, path, { line, column }) : { file, line, column };
    all.push({ ...place, message: error.message });
  }
  return all;
}

/** Yields the lesson's manifests, each as the name of a file or as inline YAML. */
function* manifestsIn(folderForm: unknown): Generator<{ readonly manifest: string; readonly path: Path }> {
  if (!isRecord(folderForm)) return;
  const { manifests, clusters, steps } = folderForm;
  for (const [at, entry] of listOf(manifests).entries())
    if (typeof entry === "string") yield { manifest: entry, path: ["manifests", at] };
  for (const [number, cluster] of listOf(clusters).entries())
    for (const [at, entry] of listOf(isRecord(cluster) ? cluster["manifests"] : []).entries())
      if (typeof entry === "string") yield { manifest: entry, path: ["clusters", number, "manifests", at] };
  for (const [at, step] of listOf(steps).entries()) {
    for (const [index, entry] of listOf(isRecord(step) ? step["solution"] : []).entries()) {
      const manifest = isRecord(entry) ? entry["apply"] : undefined;
      if (typeof manifest === "string") yield { manifest, path: ["steps", at, "solution", index, "apply"] };
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFileName(text: string): boolean {
  return /^[^\n:]+\.ya?ml$/.test(text);
}

function fileName(text: string): string {
  return text.replace(/^\.\//, "");
}

/** Converts a document. The library refuses aliases that expand to too many values. */
function valueOf(document: Document, problems: LessonProblem[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (error) {
    problems.push({ file: lessonFile, line: 1, column: 1, message: error instanceof Error ? error.message : "" });
    return undefined;
  }
}

/** Replaces names of files by their texts. */
function withFileTexts(
  value: unknown,
  files: ReadonlyMap<string, string>,
  addProblem: (path: Path, message: string) => void,
): unknown {
  if (!isRecord(value)) return value;
  const textOf = (name: unknown, path: Path): unknown => {
    if (typeof name !== "string") return name;
    const fileText = files.get(fileName(name));
    if (fileText === undefined) addProblem(path, `there is no file ${JSON.stringify(name)} in the folder`);
    return fileText ?? "";
  };
  const { steps, images, clusters, ...furtherFields } = value;
  const clusterAt = (cluster: unknown, at: number) =>
    isRecord(cluster) ? withManifests(cluster, ["clusters", at], textOf) : cluster;
  const imageAt = (imageEntry: unknown, at: number) =>
    imagesIn(imageEntry, files, (message) => addProblem(["images", at], message));
  const rest = {
    ...withManifests(furtherFields, [], textOf),
    ...(clusters === undefined ? {} : { clusters: Array.isArray(clusters) ? clusters.map(clusterAt) : clusters }),
    ...(images === undefined ? {} : { images: Array.isArray(images) ? images.flatMap(imageAt) : images }),
  };
  if (!Array.isArray(steps)) return { ...rest, ...(steps === undefined ? {} : { steps }) };
  return { ...rest, steps: steps.map((step, at) => stepOf(step, ["steps", at], textOf)) };
}

/** Replaces the list of manifest files by their text. */
function withManifests(
  { manifests, ...rest }: Readonly<Record<string, unknown>>,
  path: Path,
  textOf: (name: unknown, path: Path) => unknown,
): Record<string, unknown> {
  if (!Array.isArray(manifests)) return manifests === undefined ? rest : { ...rest, manifests };
  return { ...rest, manifests: manifests.map((name, at) => textOf(name, [...path, "manifests", at])).join("\n---\n") };
}

/** Replaces a file name by the image definitions in that file; returns other values unchanged. */
function imagesIn(imageEntry: unknown, files: ReadonlyMap<string, string>, refuse: (message: string) => void): unknown {
  if (typeof imageEntry !== "string" || !isFileName(imageEntry)) return imageEntry;
  const text = files.get(fileName(imageEntry));
  if (text === undefined) {
    refuse(`there is no file ${JSON.stringify(imageEntry)} in the folder`);
    return [];
  }
  try {
    return parse(text, { strict: true, uniqueKeys: true, maxAliasCount: 100 }) as unknown;
  } catch (error) {
    refuse(`${imageEntry}: ${error instanceof Error ? error.message : ""}`);
    return [];
  }
}

function stepOf(step: unknown, path: Path, textOf: (name: unknown, path: Path) => unknown): unknown {
  if (!isRecord(step)) return step;
  const { page, explanation, solution, ...rest } = step;
  const text = {
    ...(page === undefined ? {} : { text: textOf(page, [...path, "page"]) }),
    ...(explanation === undefined ? {} : { explanation: pageOrText(explanation, [...path, "explanation"], textOf) }),
  };
  if (!Array.isArray(solution)) return { ...rest, ...text, ...(solution === undefined ? {} : { solution }) };
  const actions = solution.map((solutionAction: unknown, at) => {
    if (
      !isRecord(solutionAction) ||
      typeof solutionAction["apply"] !== "string" ||
      !isFileName(solutionAction["apply"])
    )
      return solutionAction;
    return { ...solutionAction, apply: textOf(solutionAction["apply"], [...path, "solution", at, "apply"]) };
  });
  return { ...rest, ...text, solution: actions };
}

/** Replaces the name of a Markdown file by its text; returns other values unchanged. */
function pageOrText(value: unknown, path: Path, textOf: (name: unknown, path: Path) => unknown): unknown {
  return typeof value === "string" && /^[^\n]+\.md$/.test(value) ? textOf(value, path) : value;
}

function problemsOf(source: Source, issue: z.core.$ZodIssue): LessonProblem[] {
  const at = issue.path.map((key) => (key === "text" ? "page" : key));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ ...placeOf(source, [...at, key], true), message: `${key}: is no field here` }));
  }
  const field = at.filter((key) => typeof key === "string").at(-1);
  const { message } = issue;
  return [{ ...placeOf(source, at), message: field === undefined ? message : `${field}: ${message}` }];
}

/**
 * Returns the place of an error within a scalar. The lines of a literal block are lines of the file after its header. A plain or quoted scalar
 * of one line begins at `start`, a quoted one with its quote, so columns are counted from there. Errors in folded text are placed at `start`.
 */
function placeInScalar(
  source: Source,
  path: Path,
  { line, column }: { readonly line: number; readonly column: number },
) {
  const node: unknown = source.document.getIn(path, true);
  const start = placeOf(source, path);
  if (!isScalar(node)) return start;
  if (node.type === Scalar.BLOCK_LITERAL) {
    const at = start.line + line;
    const text = source.text.split("\n")[at - 1] ?? "";
    return { ...start, line: at, column: text.length - text.trimStart().length + column };
  }
  if (line > 1 || node.type === Scalar.BLOCK_FOLDED) return start;
  return { ...start, column: start.column + column - (node.type === Scalar.PLAIN ? 1 : 0) };
}

/** Returns the place of a node, or of its nearest existing parent. With `isKey`, returns the place of its key. */
function placeOf(source: Source, path: Path, isKey = false): Omit<LessonProblem, "message"> {
  for (let length = path.length; length >= 0; length--) {
    const node =
      isKey && length === path.length ? keyAt(source, path) : source.document.getIn(path.slice(0, length), true);
    const [offset] = (isNode(node) && node.range) || [];
    if (offset !== undefined) return placeAt(source, offset);
  }
  return { file: lessonFile, line: 1, column: 1 };
}

function keyAt({ document }: Source, path: Path): unknown {
  const parentMap: unknown = document.getIn(path.slice(0, -1), true);
  if (!isMap(parentMap)) return undefined;
  return parentMap.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key;
}

function placeAt({ lines }: Source, offset: number): Omit<LessonProblem, "message"> {
  const { line, col } = lines.linePos(offset);
  return { file: lessonFile, line: Math.max(1, line), column: Math.max(1, col) };
}

function isNode(value: unknown): value is Node {
  return isMap(value) || isSeq(value) || isScalar(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function failed(message: string): ReadLesson {
  return { problems: [{ file: lessonFile, line: 1, column: 1, message }] };
}
