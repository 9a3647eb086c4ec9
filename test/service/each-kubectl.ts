// Tests that the kubectls of the machine must pass, each in a sandbox of its own.
import { test } from "vitest";
import { findKubectls } from "./binaries.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { newSandbox } from "./sandbox.ts";

const kubectls = findKubectls().sort((a, b) => a.minor - b.minor);
/** The oldest and the newest; all if `SANDBAR_KUBECTLS` is `all`. */
const driven = process.env.SANDBAR_KUBECTLS === "all" ? kubectls : [...new Set([kubectls.at(0), kubectls.at(-1)])];

/** Registers a test for each kubectl; where there is none it is skipped, and `npm test` says so in its summary. */
export function kubectlTest(title: string, body: (kubectl: Kubectl) => Promise<void>): void {
  if (kubectls.length === 0) test.skip(`${title} (no kubectl from 1.27 on this machine)`);
  for (const binary of driven) {
    if (!binary) continue;
    test.concurrent(`${title} (kubectl ${binary.version})`, async () => {
      await body(kubectlFor(binary, await newSandbox()));
    });
  }
}
