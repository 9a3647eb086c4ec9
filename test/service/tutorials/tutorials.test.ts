// Tutorials of the Kubernetes documentation, typed as their pages have them, with the answers that the pages show.
import { expect, test } from "vitest";
import { findKubectls } from "../binaries.ts";
import { eventually, kubectlFor } from "../kubectl.ts";
import { newSandbox } from "../sandbox.ts";
import { tutorials } from "./tutorials.ts";

const newest = findKubectls()
  .sort((a, b) => a.minor - b.minor)
  .at(-1);

for (const { name, steps } of tutorials) {
  test.skipIf(!newest).concurrent(`N8: a tutorial runs as documented: ${name}`, async () => {
    if (!newest) return;
    // As on a real node: kubectl waits for ever for a pod that is gone, and there again, between its reading and its listing.
    const kubectl = kubectlFor(newest, await newSandbox({ kubeletSpeed: "real" }));
    for (const { line, input, says } of steps) {
      if (!says) {
        await kubectl.ok(line, input === undefined ? {} : { input });
        continue;
      }
      let output = "";
      await eventually(
        () => `kubectl ${line}: ${output}`,
        async () => {
          const { stdout, stderr } = await kubectl.run(line);
          output = stdout + stderr;
          return says.test(output);
        },
        60_000,
      );
      expect(output).toMatch(says);
    }
  });
}
