// Builds the client, and for the comparison a real control plane, from their Go modules. Needs Go; the control plane takes half an hour.
import { newestVersion } from "../../shared/k8s/settings/release.ts";
import { copyFileSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildControlPlane, kubernetes } from "../../scripts/parity/build.ts";
import { go, goModule, stagingReplacements, versionStamps } from "../../scripts/go-modules.ts";

const clientGo = kubernetes.replace("v1.", "v0.");
const kwok = "v0.8.0";
/** The path in the folder of the programs. It is the last file that is written. */
export const stagesFile = "stages.yaml";

const clientSource = join(import.meta.dirname, "client");

/** Builds the client. Returns its program. */
export function buildClient(folder: string): string {
  const source = goModule(join(folder, "modules", "client"), "k8s.io/client-go", clientGo, []);
  for (const name of globSync("*.go", { cwd: clientSource })) {
    copyFileSync(join(clientSource, name), join(source, name));
  }
  const program = join(folder, "client");
  go(source, "build", "-o", program, ".");
  return program;
}

/** Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok. */
export function buildRealCluster(folder: string): void {
  buildControlPlane(folder, newestVersion);
  const modules = join(folder, "modules");
  const server = goModule(
    join(modules, "kubernetes"),
    "k8s.io/kubernetes",
    kubernetes,
    stagingReplacements(kubernetes),
  );
  for (const name of ["kube-controller-manager", "kube-scheduler"]) {
    go(
      server,
      "build",
      "-ldflags",
      versionStamps(kubernetes),
      "-o",
      join(folder, name),
      `k8s.io/kubernetes/cmd/${name}`,
    );
  }
  const nodes = goModule(join(modules, "kwok"), "sigs.k8s.io/kwok", kwok, []);
  go(nodes, "build", "-o", join(folder, "kwok"), "sigs.k8s.io/kwok/cmd/kwok");
  writeStages(nodes, folder);
}

/** Writes kwok's configuration of nodes and pods from files of its own module: nodes are Ready, and pods Running at once. */
function writeStages(nodes: string, folder: string): void {
  const stages = join(go(nodes, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok").trim(), "kustomize/stage");
  const files = globSync(["node/fast/*.yaml", "node/heartbeat-with-lease/*.yaml", "pod/fast/*.yaml"], { cwd: stages })
    .filter((name) => !name.endsWith("kustomization.yaml"))
    .sort();
  writeFileSync(
    join(folder, stagesFile),
    files.map((name) => readFileSync(join(stages, name), "utf8")).join("\n---\n"),
  );
}
