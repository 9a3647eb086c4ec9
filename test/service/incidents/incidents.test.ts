// Incidents of courses in kubectl's output, compared with golden files after normalization.
import { join } from "node:path";
import { expect, test } from "vitest";
import { findKubectls } from "../binaries.ts";
import { eventually, type Kubectl, kubectlFor } from "../kubectl.ts";
import { newSandbox } from "../sandbox.ts";
import { type Incident, incidents } from "./cases.ts";
import { normalised } from "./normalised.ts";

/** A node is given up after 50 s. */
const patienceMs = 100_000;

// All of them go wrong at the same time: most of it is waiting.
test("N7: kubectl shows an incident as on a real cluster", async ({ skip }) => {
  const binary = findKubectls()
    .sort((a, b) => a.minor - b.minor)
    .at(-1);
  if (!binary) return skip();
  const shared = await newSandbox();
  const begun = await Promise.all(
    incidents.map(async (incident) => {
      const kubectl = kubectlFor(binary, incident.isAlone ? await newSandbox() : shared);
      await begin(kubectl, incident);
      return { incident, kubectl };
    }),
  );
  for (const { incident, kubectl } of begun) {
    const output = await shownOf(kubectl, incident);
    await expect(output, incident.name).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", `${incident.name}.txt`),
    );
  }
});

async function begin(kubectl: Kubectl, { commands, manifest = "" }: Incident): Promise<void> {
  for (const line of commands) await kubectl.ok(line, line.endsWith("-f -") ? { input: manifest } : {});
}

async function shownOf(kubectl: Kubectl, { name, shows, until }: Incident): Promise<string> {
  let outputs: readonly string[] = [];
  const isSo = () => until.test(outputs.at(-1) ?? "");
  await eventually(
    () => `${name}: ${outputs.at(-1)}`,
    async () => {
      outputs = [await output(kubectl, shows.at(-1) ?? "")];
      if (!isSo()) return false;
      outputs = [];
      for (const line of shows) outputs = [...outputs, await output(kubectl, line)];
      // A container may be on its way again a moment later: what is shown is what was waited for.
      return isSo();
    },
    patienceMs,
  );
  const sections = shows.map((line, at) => `$ kubectl ${line}\n${normalised(outputs[at] ?? "")}`);
  return sections.join("\n");
}

async function output(kubectl: Kubectl, line: string): Promise<string> {
  const { stdout, stderr } = await kubectl.run(line);
  return stdout + stderr;
}
