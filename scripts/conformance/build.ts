// Builds upstream's conformance suite, and Ginkgo's command that runs it in parallel, from their Go modules. Needs Go and some time.
import { join } from "node:path";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import { go, goModule, stagingReplacements, versionStamps } from "../go-modules.ts";
import { patchOf } from "../releases/modules.ts";

const sample = "k8s.io/sample-apiserver";
/** The release of the sample API server, whose types one test uses, where the patch's own was not published. */
const sampleReleases: Readonly<Partial<Record<KubernetesVersion, string>>> = { "1.33": "v0.33.5", "1.34": "v0.34.2" };

export function buildSuite(folder: string, version: KubernetesVersion): void {
  const kubernetes = patchOf(version);
  const modules = join(folder, "modules");
  const suite = goModule(join(modules, "suite"), "k8s.io/kubernetes", kubernetes, replacementsOf(version));
  const test = ["test", "-c", "-vet=off", "-ldflags", `-s -w ${versionStamps(kubernetes)}`];
  go(suite, ...test, "-o", join(folder, "e2e.test"), "k8s.io/kubernetes/test/e2e");
  const ginkgo = go(suite, "list", "-m", "-f", "{{.Version}}", "github.com/onsi/ginkgo/v2").trim();
  const runner = goModule(join(modules, "ginkgo"), "github.com/onsi/ginkgo/v2", ginkgo, []);
  go(runner, "build", "-o", join(folder, "ginkgo"), "github.com/onsi/ginkgo/v2/ginkgo");
}

function replacementsOf(version: KubernetesVersion): string[] {
  const all = stagingReplacements(patchOf(version));
  const release = sampleReleases[version];
  const isSample = (line: string) => line.startsWith(`replace ${sample} `);
  return release ? all.map((line) => (isSample(line) ? `replace ${sample} => ${sample} ${release}` : line)) : all;
}
