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
 * Registers a test of features that differ between versions of kubectl: discovery, tables, patches, apply, and streams. The oldest and the
 * newest version run it; all do if `SANDBAR_KUBECTLS` is `all`.
 */
export function kubectlTest(title: string, body: (kubectl: Kubectl) => Promise<void>): void {
  register(title, body, drivesAll ? kubectls : oldestAndNewest);
}

/**
 * Registers a test of the cluster, whose requests are equal in every version. The newest version runs it; all do if `SANDBAR_KUBECTLS` is
 * `all`.
 */
export function newestKubectlTest(title: string, body: (kubectl: Kubectl) => Promise<void>): void {
  register(title, body, drivesAll ? kubectls : newest);
}

/** Skips the test without kubectl; `npm test` reports that in its summary. */
function register(title: string, body: (kubectl: Kubectl) => Promise<void>, driven: typeof kubectls): void {
  if (kubectls.length === 0) test.skip(`${title} (no kubectl from 1.27 on this machine)`);
  for (const binary of driven) {
    test.concurrent(`${title} (kubectl ${binary.version})`, async () => {
      await body(kubectlFor(binary, await newSandbox()));
    });
  }
}
