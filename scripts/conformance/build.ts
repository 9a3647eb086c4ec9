// Builds upstream's conformance suite, and Ginkgo's command that runs it in parallel, from their Go modules. Needs Go and some time.
import { join } from "node:path";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import { go, goModule, stagingReplacements, versionStamps } from "../go-modules.ts";
import { patchOf } from "../releases/modules.ts";

export function buildSuite(folder: string, version: KubernetesVersion): void {
  const kubernetes = patchOf(version);
  const modules = join(folder, "modules");
  const suite = goModule(join(modules, "suite"), "k8s.io/kubernetes", kubernetes, stagingReplacements(kubernetes));
  const test = ["test", "-c", "-vet=off", "-ldflags", `-s -w ${versionStamps(kubernetes)}`];
  go(suite, ...test, "-o", join(folder, "e2e.test"), "k8s.io/kubernetes/test/e2e");
  const ginkgo = go(suite, "list", "-m", "-f", "{{.Version}}", "github.com/onsi/ginkgo/v2").trim();
  const runner = goModule(join(modules, "ginkgo"), "github.com/onsi/ginkgo/v2", ginkgo, []);
  go(runner, "build", "-o", join(folder, "ginkgo"), "github.com/onsi/ginkgo/v2/ginkgo");
}
