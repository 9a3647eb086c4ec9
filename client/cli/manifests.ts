// What `--file` names: a file, the input, a folder of files, or a folder that kubectl or helm render to manifests on this machine.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SandbarError } from "../index.ts";
import { textOf, UsageError } from "./given.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/** More no service takes. */
const renderedBytes = 64 * 1024 * 1024;
const renderMs = 60_000;

/** A text that manifests consist of. */
interface Piece {
  /** A file as it was named, `-` for the input, or a folder that was rendered. */
  readonly name: string;
  readonly text: string;
}

export interface Manifests {
  readonly text: string;
  /** In their order. */
  readonly pieces: readonly Piece[];
}

const separator = "\n---\n";

/** One after the other, as documents. */
export function manifestsOf(paths: readonly string[]): Manifests {
  const pieces = paths.flatMap((path) => (isFolder(path) ? folderPieces(path) : [{ name: path, text: textOf(path) }]));
  return { text: pieces.map(({ text }) => text).join(separator), pieces };
}

/** Does what sends them. Where the service refuses them, the error's message has a line for each problem: `app.yaml:12: spec.replicas: ...`. */
export async function sending<T>(manifests: Manifests, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof SandbarError) || error.field !== "manifests" || error.problems.length === 0) throw error;
    const { status, code, field, problems } = error;
    const lines = problems.map((one) => {
      const { name, line } = placeOf(manifests, one.line);
      return `${name}:${line}: ${one.field === undefined ? "" : `${one.field}: `}${one.message}`;
    });
    throw new SandbarError(status, { code, message: lines.join("\n"), field, problems }, { cause: error });
  }
}

/** Of a line of all. */
function placeOf({ pieces }: Manifests, line: number): { readonly name: string; readonly line: number } {
  let before = 0;
  for (const { name, text } of pieces) {
    // The separator's own line is the last of what it follows.
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
  const whole = (text: string) => [{ name: path, text }];
  if (kustomizations.some((name) => existsSync(join(path, name))))
    return whole(rendered("kubectl", ["kustomize", path]));
  if (existsSync(join(path, "Chart.yaml"))) return whole(rendered("helm", ["template", basename(resolve(path)), path]));
  const files = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (files.length === 0) throw new UsageError(`${path} has no kustomization, no chart, and no files of YAML or JSON`);
  return files.sort().map((name) => ({ name: join(path, name), text: textOf(join(path, name)) }));
}

function rendered(program: string, words: readonly string[]): string {
  try {
    // What it says of errors is in what is thrown.
    return execFileSync(program, [...words], {
      encoding: "utf8",
      maxBuffer: renderedBytes,
      timeout: renderMs,
      stdio: "pipe",
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) throw new UsageError(`${program} is needed to render ${words.at(-1)}, and it is not on the PATH`);
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    throw new UsageError(`${program} ${words.join(" ")} failed: ${said || String(error)}`);
  }
}
