// Builds a real control plane, kube-apiserver and etcd, from their Go modules into a folder. Needs Go and some minutes.
import { join } from "node:path";
import { go, goModule, stagingReplacements, versionStamps } from "../go-modules.ts";

export const kubernetes = "v1.36.3";
const etcd = "v3.6.8";

export function buildControlPlane(folder: string): void {
  const modules = join(folder, "modules");
  const replacements = stagingReplacements(kubernetes);
  const server = goModule(join(modules, "kubernetes"), "k8s.io/kubernetes", kubernetes, replacements);
  const program = "k8s.io/kubernetes/cmd/kube-apiserver";
  go(server, "build", "-ldflags", versionStamps(kubernetes), "-o", join(folder, "kube-apiserver"), program);
  const store = goModule(join(modules, "etcd"), "go.etcd.io/etcd/server/v3", etcd, []);
  go(store, "build", "-o", join(folder, "etcd"), "go.etcd.io/etcd/server/v3");
}
