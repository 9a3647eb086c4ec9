// Builds a real control plane, kube-apiserver and etcd, from their Go modules into a folder. Needs Go, and some minutes.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../shared/base/assert.ts";

const kubernetes = "v1.36.3";
const etcd = "v3.6.8";
/** The libraries that Kubernetes keeps in its own repository are published under this version. */
const staging = kubernetes.replace("v1.", "v0.");
const buildDate = "2026-01-01T00:00:00Z";

export function buildControlPlane(folder: string): void {
  const modules = join(folder, "modules");
  const server = module(join(modules, "kubernetes"), "k8s.io/kubernetes", kubernetes, stagingReplacements());
  go(
    server,
    "build",
    "-ldflags",
    stamps(),
    "-o",
    join(folder, "kube-apiserver"),
    "k8s.io/kubernetes/cmd/kube-apiserver",
  );
  const store = module(join(modules, "etcd"), "go.etcd.io/etcd/server/v3", etcd, []);
  go(store, "build", "-o", join(folder, "etcd"), "go.etcd.io/etcd/server/v3");
}

/** A module that needs nothing but this one: the main packages of both are built from outside of their repositories. */
function module(folder: string, path: string, version: string, replacements: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const lines = ["module control-plane", "", `require ${path} ${version}`, ...replacements, ""];
  writeFileSync(join(folder, "go.mod"), lines.join("\n"));
  return folder;
}

/** In the repository each stands in a folder, which is no part of the module. */
function stagingReplacements(): string[] {
  const found = go(".", "mod", "download", "-json", `k8s.io/kubernetes@${kubernetes}`);
  const { GoMod } = JSON.parse(found) as { GoMod: string };
  const names = [...readFileSync(GoMod, "utf8").matchAll(/^\t(\S+) => \.\/staging\//gm)];
  return names.map(([, name]) => `replace ${must(name, "a module's name")} => ${name} ${staging}`);
}

/** What the release's own build writes into the program, and `/version` shows. */
function stamps(): string {
  const [major, minor] = kubernetes.slice(1).split(".");
  const values = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: "clean", buildDate };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

function go(folder: string, ...words: readonly string[]): string {
  return execFileSync("go", words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ""} -mod=mod`.trim(), CGO_ENABLED: "0" },
  });
}
