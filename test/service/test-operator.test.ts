// The test bench for operators, with a small operator that has a bug: after a crash between its two writes it never does the second.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { findKubectls } from "./binaries.ts";
import { type Installed, installClient } from "./client.ts";

const [kubectl] = findKubectls();
let installed: Installed;

beforeAll(async () => {
  installed = await installClient(inject("service"));
});
afterAll(() => installed.remove());

/** Copies ConfigMaps with a label to Secrets, and logs each copy in a ConfigMap first. */
const operator = `
while true; do
  for map in $(kubectl get configmaps -l copy=yes -o name); do
    name=\${map#configmap/}
    kubectl get secret $name > /dev/null 2>&1 && continue
    kubectl create configmap $name-log && kubectl create secret generic $name
  done
  sleep 0.5
done
`;

test.skipIf(!kubectl)(
  "a broken invariant is a finding, and the printed command repeats it",
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbar-bench-"));
    const script = join(folder, "operator.sh");
    writeFileSync(script, operator);
    const words = [
      ...["test-operator", "--seed", "1..1", "--quiet", "3s", "--folder", folder],
      ...["--workload", "kubectl create configmap a", "--workload", "kubectl label configmap a copy=yes"],
      ...["--invariant", "secrets default/a object != null", "--invariant", "configmaps default/a-log object != null"],
      ...["--", "sh", script],
    ];
    const outcome = await installed.sandbar(words);
    expect(outcome.stdout, outcome.stderr).toContain("- an invariant does not hold: secrets default/a object != null");
    expect(outcome.stdout).not.toContain("configmaps default/a-log object != null\n");
    expect(outcome.code).toBe(1);
    const repeat = /^ {2}repeat: sandbar (.*)$/m.exec(outcome.stdout)?.[1] ?? "";
    expect(repeat).toContain("--invariant 'secrets default/a object != null'");
    const again = await installed.sandbar(unquoted(`${repeat.replace(" -- ", ` --folder ${folder} -- `)}`));
    expect(again.stdout, again.stderr).toContain("- an invariant does not hold: secrets default/a object != null");
  },
);

/** Splits a command line whose words are plain or in single quotes. */
function unquoted(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}
