// What `--file` names: a file, the input, a folder of files, or a folder that kubectl or helm render to manifests on this machine.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { textOf, UsageError } from "./given.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/** More no service takes. */
const renderedBytes = 64 * 1024 * 1024;
const renderMs = 60_000;

/** One after the other, as documents. */
export function manifestsOf(paths: readonly string[]): string {
  return paths.map((path) => (isFolder(path) ? folderText(path) : textOf(path))).join("\n---\n");
}

function isFolder(path: string): boolean {
  return path !== "-" && existsSync(path) && statSync(path).isDirectory();
}

function folderText(path: string): string {
  if (kustomizations.some((name) => existsSync(join(path, name)))) return rendered("kubectl", ["kustomize", path]);
  if (existsSync(join(path, "Chart.yaml"))) return rendered("helm", ["template", basename(resolve(path)), path]);
  const files = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (files.length === 0) throw new UsageError(`${path} has no kustomization, no chart, and no files of YAML or JSON`);
  return files
    .sort()
    .map((name) => textOf(join(path, name)))
    .join("\n---\n");
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
