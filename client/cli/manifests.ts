// Reads the manifests that `--file` names: a file, standard input, a folder of files, or a folder that kubectl or helm renders on this
// machine.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SandbarError } from "../index.ts";
import { textOf, UsageError } from "./values.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/** The limit of rendered manifests. No service accepts more. */
const renderedBytes = 64 * 1024 * 1024;
const renderMs = 60_000;

/** A text with manifests. */
interface Piece {
  /** The name of the file, `-` for standard input, or the folder that was rendered. */
  readonly name: string;
  readonly text: string;
}

export interface Manifests {
  readonly text: string;
  /** The texts in order. */
  readonly pieces: readonly Piece[];
}

const separator = "\n---\n";

/** Joins manifests as documents. */
export function manifestsOf(paths: readonly string[]): Manifests {
  const pieces = paths.flatMap((path) => (isFolder(path) ? folderPieces(path) : [{ name: path, text: textOf(path) }]));
  return { text: pieces.map(({ text }) => text).join(separator), pieces };
}

/** Sends manifests. If the service refuses them, the error's message has a line for each problem: `app.yaml:12: spec.replicas: ...`. */
export async function sending<T>(manifests: Manifests, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof SandbarError) || error.field !== "manifests" || error.problems.length === 0) throw error;
    const { status, code, field, problems } = error;
    const lines = problems.map((problem) => {
      const { name, line } = placeOf(manifests, problem.line);
      return `${name}:${line}: ${problem.field === undefined ? "" : `${problem.field}: `}${problem.message}`;
    });
    throw new SandbarError(status, { code, message: lines.join("\n"), field, problems }, { cause: error });
  }
}

/** Returns the file and the line in it, for a line of the joined manifests. */
function placeOf({ pieces }: Manifests, line: number): { readonly name: string; readonly line: number } {
  let before = 0;
  for (const { name, text } of pieces) {
    // The separator's line belongs to the text before it.
    const lines = linesIn(text + separator);
    if (line <= before + lines) return { name, line: line - before };
    before += lines;
  }
  return { name: pieces.at(-1)?.name ?? "-", line: Math.max(1, line - before) };
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

function isFolder(path: string): boolean {
  return path !== "-" && existsSync(path) && statSync(path).isDirectory();
}

function folderPieces(path: string): Piece[] {
  const singlePiece = (text: string) => [{ name: path, text }];
  if (kustomizations.some((name) => existsSync(join(path, name))))
    return singlePiece(rendered("kubectl", ["kustomize", path]));
  if (existsSync(join(path, "Chart.yaml")))
    return singlePiece(rendered("helm", ["template", basename(resolve(path)), path]));
  const files = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (files.length === 0) throw new UsageError(`${path} has no kustomization, no chart, and no files of YAML or JSON`);
  return files.sort().map((name) => ({ name: join(path, name), text: textOf(join(path, name)) }));
}

function rendered(program: string, words: readonly string[]): string {
  try {
    // The error that is thrown contains the program's error output.
    return execFileSync(program, [...words], {
      encoding: "utf8",
      maxBuffer: renderedBytes,
      timeout: renderMs,
      stdio: "pipe",
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) throw new UsageError(`${program} is needed to render ${words.at(-1)}, and it is not on the PATH`);
    const errorOutput = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new UsageError(`${program} ${words.join(" ")} failed: ${errorOutput || String(error)}`);
  }
}
