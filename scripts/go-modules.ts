// Builds upstream's programs from published Go modules: creates a module that requires one release, and runs the go command in it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { must } from "../shared/base/assert.ts";

/** Creates a module with a single requirement, since main packages are built from outside of their repositories. Returns its folder. */
export function goModule(folder: string, path: string, version: string, replacements: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const lines = ["module sandbar", "", `require ${path} ${version}`, ...replacements, ""];
  writeFileSync(`${folder}/go.mod`, lines.join("\n"));
  return folder;
}

/**
 * Returns replacements for libraries in Kubernetes' own repository that are not part of the module. They are published as v0.x for v1.x.
 */
export function stagingReplacements(kubernetes: string): string[] {
  const moduleInfo = go(".", "mod", "download", "-json", `k8s.io/kubernetes@${kubernetes}`);
  const { GoMod } = JSON.parse(moduleInfo) as { GoMod: string };
  const names = [...readFileSync(GoMod, "utf8").matchAll(/^\t(\S+) => \.\/staging\//gm)];
  const version = kubernetes.replace("v1.", "v0.");
  return names.map(([, name]) => `replace ${must(name, "a module's name")} => ${name} ${version}`);
}

/** Returns the linker flags with which the release's own build sets the version of `/version`. */
export function versionStamps(kubernetes: string): string {
  const [major, minor] = kubernetes.slice(1).split(".");
  const values = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: "clean", buildDate };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

const buildDate = "2026-01-01T00:00:00Z";

/** Runs the go command in a folder. Returns its output. */
export function go(folder: string, ...words: readonly string[]): string {
  return execFileSync("go", words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=mod`.trim(), CGO_ENABLED: "0" },
  });
}
