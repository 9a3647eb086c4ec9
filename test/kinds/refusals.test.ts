// The twenty kinds that people use most are refused in at least five ways each by the golden files.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const mostUsed = [
  ...["pods", "services", "configmaps", "secrets", "namespaces", "nodes", "serviceaccounts"],
  ...["persistentvolumeclaims", "persistentvolumes", "deployments", "replicasets", "statefulsets", "daemonsets"],
  ...["jobs", "cronjobs", "ingresses", "networkpolicies", "horizontalpodautoscalers", "roles", "rolebindings"],
  ...["clusterroles", "clusterrolebindings", "storageclasses", "poddisruptionbudgets"],
];

test.each(mostUsed)("the golden files refuse %s in at least five ways", (folder) => {
  const root = join(import.meta.dirname, "golden", folder);
  const refusals = readdirSync(root).filter(
    (file) => file.endsWith(".output.json") && readFileSync(join(root, file), "utf8").includes('"refused"'),
  );
  expect(refusals.length).toBeGreaterThanOrEqual(5);
});
