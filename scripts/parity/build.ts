// Builds a real control plane, kube-apiserver and etcd, from their Go modules into a folder. Needs Go and some minutes.
import { join } from "node:path";
import { go, goModule, stagingReplacements, versionStamps } from "../go-modules.ts";
import { patchOf } from "../releases/modules.ts";

export const kubernetes = patchOf("1.36");
const etcd = "v3.6.8";

/** Builds the programs of a release: `1.36`. */
export function buildControlPlane(folder: string, minor: string): void {
  const modules = join(folder, "modules");
  const patch = patchOf(minor);
  const server = goModule(join(modules, "kubernetes"), "k8s.io/kubernetes", patch, stagingReplacements(patch));
  const program = "k8s.io/kubernetes/cmd/kube-apiserver";
  go(server, "build", "-ldflags", versionStamps(patch), "-o", join(folder, "kube-apiserver"), program);
  const store = goModule(join(modules, "etcd"), "go.etcd.io/etcd/server/v3", etcd, []);
  go(store, "build", "-o", join(folder, "etcd"), "go.etcd.io/etcd/server/v3");
}
