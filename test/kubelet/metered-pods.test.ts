// Pods whose containers exceed their bounds, and the costs of a sync.
import { describe, expect, test } from "vitest";
import type { Container } from "../../shared/k8s/api/core-v1.ts";
import { limits } from "../../shared/base/limits.ts";
import { linesOf, runOfStatus } from "../../worker/containers/output.ts";
import { emptyView } from "../../worker/containers/run/world.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";
import { container, podOf, runPod, steady } from "./pod-run.ts";

const doubling = "x=0123456789; while [ 1 ]; do x=$x$x; done";
const runaway = "echo first; i=0; while [ $i -ge 0 ]; do i=$((i+1)); sleep 1; done";

function script(text: string, more: Partial<Container> = {}): Container {
  return container("busybox:1.36", { command: ["sh", "-c", text], ...more });
}

describe("N1: a container past its bounds", () => {
  test.each([
    ["memory", doubling, { reason: "OOMKilled", exitCode: 137 }],
    ["memory in a loop without a way out", "x=a; while true; do x=$x$x; done", { reason: "OOMKilled", exitCode: 137 }],
    ["stack", "f() { f; }; f", { reason: "Error", exitCode: 139 }],
    ["stack while it is read", "( ".repeat(20_000), { reason: "Error", exitCode: 139 }],
  ])("without %s left ends, and its pod has the reason", (_, text, terminated) => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    const spec = {
      restartPolicy: "Never" as const,
      containers: [{ ...script(text), terminationMessagePath: "/dev/t" }],
    };
    cluster.apply(pods, { metadata: { name: "hostile", namespace: "default" }, spec });
    cluster.runUntilQuiet();
    const { phase, containerStatuses } = cluster.get(pods, "default", "hostile").status;
    expect(phase).toBe("Failed");
    expect(containerStatuses?.[0]?.state.terminated).toMatchObject(terminated);
  });

  test("backs off if it is started again and again", () => {
    const run = runPod(podOf({ containers: [script(doubling)] }));
    run.pass(60);
    const [status] = run.pod.status.containerStatuses ?? [];
    expect(status?.state.waiting?.reason).toBe("CrashLoopBackOff");
    expect(status?.lastState.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
  });

  test("stays Running if it runs away, keeps its log up to that point, and is not synced again", () => {
    const run = runPod(podOf({ containers: [script(runaway)] }));
    run.pass(10);
    const { writes } = run;
    run.pass(100_000);
    expect(run.pod.status.phase).toBe("Running");
    expect(run.writes).toBe(writes);
    const currentRun = runOfStatus(run.pod, "web", emptyView, run.nowMs, false);
    expect(currentRun && linesOf(currentRun).map(({ text }) => text)).toEqual([
      "first",
      expect.stringMatching(/^sandbar: .* is not shown$/),
    ]);
    run.remove();
    run.pass(60);
    expect(run.finished).toBe(true);
  });

  test("with a bug in its program ends, and its pod continues", () => {
    const bugs: unknown[] = [];
    const view = {
      service: () => {
        throw new TypeError("a bug");
      },
      report: (error: unknown) => bugs.push(error),
    };
    const run = runPod(podOf({ restartPolicy: "Never", containers: [script("nslookup db")] }), steady, {}, view);
    run.pass(30);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 139, reason: "Error" });
    expect(bugs.length).toBeGreaterThan(0);
  });
});

/** Runs a pod for a while and counts the questions that its containers ask, each of which costs the same. */
function probeWork(
  spec: Parameters<typeof podOf>[0],
  seconds: number,
): { readonly most: number; readonly looks: number } {
  let count = 0;
  const service = () => {
    count++;
    return undefined;
  };
  const run = runPod(podOf(spec), { ...steady, pullMs: 0, createMs: 0, startMs: 0 }, {}, { service });
  let most = 0;
  let looks = 0;
  for (let second = 0; second < seconds; second++, looks++) {
    const before = count;
    run.pass(1);
    most = Math.max(most, count - before);
  }
  return { most, looks };
}

describe("N1: a sync of a pod", () => {
  // A question is remembered for a run: other names are other questions.
  const asks = "i=0; while [ $i -ge 0 ]; do i=$((i+1)); nslookup db$i; echo $i >> /shared/log; sleep 1; done";
  const volumes = [{ name: "shared", emptyDir: {} }];
  const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
  const containers = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...script(asks, { volumeMounts }), name: `c${at}` }));

  test("costs as much for many containers that share a volume as for a few", () => {
    const [few, many] = [
      probeWork({ volumes, containers: containers(2) }, 3),
      probeWork({ volumes, containers: containers(12) }, 3),
    ];
    expect(few.most).toBeGreaterThan(100);
    expect(many.most).toBeLessThan(few.most * 2);
  });

  test("runs a probe's commands as long as work is left for them", () => {
    const exec = {
      command: ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do nslookup probe$i; done; test -f /shared/log"],
    };
    const probes = { readinessProbe: { exec, periodSeconds: 1 }, livenessProbe: { exec, periodSeconds: 1 } };
    const writes = "while true; do date >> /shared/log; sleep 1; done";
    const probed = (more: object) =>
      probeWork({ volumes, containers: [script(writes, { volumeMounts, ...more })] }, 3).most;
    expect(probed(probes)).toBeGreaterThan(50);
    expect(probed(probes)).toBeLessThan(limits.probeWork);
  });
});
