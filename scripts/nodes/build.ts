// Builds upstream's kubelet from its Go module, and a container runtime whose containers are processes. Needs Go and some minutes.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { go, goModule, stagingReplacements, versionStamps } from "../go-modules.ts";
import { kubernetes } from "../parity/build.ts";

export function buildNode(folder: string): void {
  const module = goModule(join(folder, "module"), "k8s.io/kubernetes", kubernetes, stagingReplacements(kubernetes));
  copyFileSync(join(import.meta.dirname, "runtime/main.go"), join(module, "main.go"));
  const build = ["build", "-ldflags", `-s -w ${versionStamps(kubernetes)}`];
  go(module, ...build, "-o", join(folder, "kubelet"), "k8s.io/kubernetes/cmd/kubelet");
  go(module, ...build, "-o", join(folder, "runtime"), ".");
}
