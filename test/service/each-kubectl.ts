// Tests that the kubectls of the machine must pass, each in a sandbox of its own.
import { test } from "vitest";
import { findKubectls } from "./binaries.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { newSandbox } from "./sandbox.ts";

const kubectls = findKubectls().sort((a, b) => a.minor - b.minor);
const newest = kubectls.slice(-1);
const oldestAndNewest = [...new Set([...kubectls.slice(0, 1), ...newest])];
const drivesAll = process.env.SANDBAR_KUBECTLS === "all";

/**
 * Registers a test of what versions of kubectl do differently: discovery, tables, patches and applying, and streams. The oldest and the newest
 * run it; all if `SANDBAR_KUBECTLS` is `all`.
 */
export function kubectlTest(title: string, body: (kubectl: Kubectl) => Promise<void>): void {
  register(title, body, drivesAll ? kubectls : oldestAndNewest);
}

/** Registers a test of what the cluster does, whose requests every version sends alike. The newest runs it; all if `SANDBAR_KUBECTLS` is `all`. */
export function newestKubectlTest(title: string, body: (kubectl: Kubectl) => Promise<void>): void {
  register(title, body, drivesAll ? kubectls : newest);
}

/** If there is no kubectl the test is skipped, and `npm test` says so in its summary. */
function register(title: string, body: (kubectl: Kubectl) => Promise<void>, driven: typeof kubectls): void {
  if (kubectls.length === 0) test.skip(`${title} (no kubectl from 1.27 on this machine)`);
  for (const binary of driven) {
    test.concurrent(`${title} (kubectl ${binary.version})`, async () => {
      await body(kubectlFor(binary, await newSandbox()));
    });
  }
}
