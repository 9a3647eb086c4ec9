// The processor time of a process as Linux tells it, and the steps of a workload as processes.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { activityOf } from "../../../client/bench/process-activity.ts";
import { performStep } from "../../../client/bench/workload.ts";

function started(script: string): ChildProcess {
  const child = spawn("sh", ["-c", script], { stdio: "ignore", detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  return child;
}

describe.skipIf(!existsSync("/proc/self/stat"))("the activity of a process", () => {
  test("is none while it sleeps, from the second look on", async () => {
    const { pid } = started("sleep 60");
    const looks = activityOf(() => pid);
    await sleep(100);
    expect(looks()).toBe(true);
    await sleep(50);
    expect(looks()).toBe(false);
  });

  test("is that of a child which computes", async () => {
    const { pid } = started("sh -c 'while :; do :; done' & wait");
    const isComputing = activityOf(() => pid);
    isComputing();
    await sleep(200);
    expect(isComputing()).toBe(true);
  });

  test("is none if there is no process", () => {
    expect(activityOf(() => undefined)()).toBe(false);
    expect(activityOf(() => 2 ** 30)()).toBe(false);
  });
});

describe("a step of a workload", () => {
  const options = { kubeconfig: "/nowhere", environment: process.env, limitMs: 20_000 };

  test("has the kubeconfig and tells why it failed", async () => {
    expect(await performStep('test "$KUBECONFIG" = /nowhere', options)).toBeUndefined();
    expect(await performStep("echo no such cluster >&2; exit 3", options)).toMatch(/: no such cluster$/);
    expect(await performStep("exit 3", options)).toBe("exit 3: exit code 3");
  });

  test("is ended with its children after its limit", async () => {
    const failure = await performStep("sleep 60 & sleep 60", { ...options, limitMs: 300 });
    expect(failure).toBe("sleep 60 & sleep 60: does not end within 0.3 s");
  });

  test("keeps only the end of a long message", async () => {
    const failure = await performStep("yes wrong | head -c 100000 >&2; exit 1", options);
    expect(failure?.length).toBeLessThan(2100);
  });
});
