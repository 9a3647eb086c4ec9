// Failing probes and their effects: the examples of the Kubernetes documentation.
import { describe, expect, test } from "vitest";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { container, podOf, runPod } from "./pod-run.ts";

const healthyFor30s = ["/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"];
const catHealthy = { exec: { command: ["cat", "/tmp/healthy"] }, initialDelaySeconds: 5, periodSeconds: 5 };

function eventsWith(events: readonly string[], ...reasons: string[]): string[] {
  return events.filter((event) => reasons.some((reason) => event.includes(` ${reason}:`)));
}

describe("liveness", () => {
  test("three failures of a command give Unhealthy each time, Killing, SIGKILL after the grace period, a restart", () => {
    const liveness = container("registry.k8s.io/busybox:1.27.2", { args: healthyFor30s, livenessProbe: catHealthy });
    const run = runPod(podOf({ containers: [{ ...liveness, name: "liveness" }] }), zeroDelays);
    run.pass(80);
    const failure = "Unhealthy: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory\n";
    expect(eventsWith(run.events, "Unhealthy", "Killing", "Started")).toEqual([
      "+0 Started: Container started",
      `+30 ${failure}`,
      `+35 ${failure}`,
      `+40 ${failure}`,
      "+40 Killing: Container liveness failed liveness probe, will be restarted",
      "+70 Started: Container started",
    ]);
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: "Error", finishedAt: "2026-01-01T00:01:10Z" } },
    });
  });

  test("a server that answers 500 after ten seconds is restarted, and handles SIGTERM", () => {
    const livenessProbe = { httpGet: { path: "/healthz", port: 8080 }, initialDelaySeconds: 3, periodSeconds: 3 };
    const probedContainer = container("registry.k8s.io/e2e-test-images/agnhost:2.40", {
      args: ["liveness"],
      livenessProbe,
    });
    const run = runPod(podOf({ containers: [probedContainer] }), zeroDelays);
    run.pass(20);
    expect(eventsWith(run.events, "Unhealthy", "Killing", "Started")).toEqual([
      "+0 Started: Container started",
      "+12 Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500",
      "+15 Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500",
      "+18 Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500",
      "+18 Killing: Container web failed liveness probe, will be restarted",
      "+18 Started: Container started",
    ]);
  });

  test("a single failure is enough for a threshold of one, at a tick on the change or between", () => {
    for (const initialDelaySeconds of [5, 10]) {
      const httpGet = { path: "/healthz", port: 8080 };
      const livenessProbe = { httpGet, initialDelaySeconds, failureThreshold: 1 };
      const probedContainer = container("registry.k8s.io/e2e-test-images/agnhost:2.63.0", {
        args: ["liveness"],
        livenessProbe,
      });
      const run = runPod(podOf({ containers: [probedContainer] }), zeroDelays);
      run.pass(600);
      expect(run.pod.status.containerStatuses?.[0]?.restartCount).toBeGreaterThan(4);
    }
  });

  test("a TCP probe of a port without listener is refused, and one of an open port succeeds", () => {
    const probes = (port: number) => ({
      readinessProbe: { tcpSocket: { port }, initialDelaySeconds: 15, periodSeconds: 10 },
      livenessProbe: { tcpSocket: { port }, initialDelaySeconds: 15, periodSeconds: 10 },
    });
    const good = runPod(podOf({ containers: [container("registry.k8s.io/goproxy:0.1", probes(8080))] }), zeroDelays);
    good.pass(3600);
    expect(eventsWith(good.events, "Unhealthy", "Killing")).toEqual([]);
    expect(good.pod.status.containerStatuses?.[0]?.ready).toBe(true);
    const bad = runPod(podOf({ containers: [container("nginx", probes(8080))] }), zeroDelays);
    bad.pass(20);
    expect(eventsWith(bad.events, "Unhealthy")).toEqual([
      "+20 Unhealthy: Readiness probe failed: dial tcp 10.244.1.2:8080: connect: connection refused",
      "+20 Unhealthy: Liveness probe failed: dial tcp 10.244.1.2:8080: connect: connection refused",
    ]);
  });

  test("an HTTP probe follows the server's redirect and judges its target", () => {
    const path = `/redirect?location=${encodeURIComponent("/echo?msg=late&code=500")}`;
    const readinessProbe = { httpGet: { path, port: 8080 }, initialDelaySeconds: 5, periodSeconds: 10 };
    const image = "registry.k8s.io/e2e-test-images/agnhost:2.40";
    const run = runPod(podOf({ containers: [container(image, { args: ["netexec"], readinessProbe })] }), zeroDelays);
    run.pass(15);
    expect(eventsWith(run.events, "Unhealthy")).toEqual([
      "+10 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 500",
    ]);
    expect(run.pod.status.containerStatuses?.[0]?.ready).toBe(false);
  });

  test("the probe's own grace period overrides the pod's, and no restart is announced if none follows", () => {
    const livenessProbe = {
      ...catHealthy,
      initialDelaySeconds: 0,
      failureThreshold: 1,
      terminationGracePeriodSeconds: 4,
    };
    const probedContainer = container("busybox", { command: ["sleep", "600"], livenessProbe });
    const run = runPod(podOf({ restartPolicy: "Never", containers: [probedContainer] }), zeroDelays);
    run.pass(60);
    expect(eventsWith(run.events, "Killing")).toEqual(["+0 Killing: Container web failed liveness probe"]);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 137,
      finishedAt: "2026-01-01T00:00:04Z",
    });
    expect(run.pod.status.phase).toBe("Failed");
  });
});

describe("startup", () => {
  test("a container that does not start in time is killed, and liveness waits until it has started", () => {
    const startupProbe = { exec: { command: ["test", "-f", "/tmp/up"] }, periodSeconds: 5, failureThreshold: 3 };
    const slow = (seconds: number) =>
      container("busybox", {
        command: ["sh", "-c", `sleep ${seconds}; touch /tmp/up; sleep 3600`],
        startupProbe,
        livenessProbe: { exec: { command: ["test", "-f", "/tmp/up"] }, periodSeconds: 1, failureThreshold: 1 },
      });
    const late = runPod(podOf({ containers: [slow(12)], terminationGracePeriodSeconds: 1 }), zeroDelays);
    late.pass(11);
    expect(eventsWith(late.events, "Unhealthy", "Killing")).toEqual([
      "+0 Unhealthy: Startup probe failed: ",
      "+5 Unhealthy: Startup probe failed: ",
      "+10 Unhealthy: Startup probe failed: ",
      "+10 Killing: Container web failed startup probe, will be restarted",
    ]);
    const good = runPod(podOf({ containers: [slow(8)] }), zeroDelays);
    good.pass(9);
    expect(good.pod.status.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    good.pass(60);
    expect(good.pod.status.containerStatuses?.[0]).toMatchObject({ started: true, ready: true, restartCount: 0 });
  });
});

describe("readiness", () => {
  test("a container is unready after its third failure, and ready again after its first success", () => {
    const command = ["sh", "-c", "touch /tmp/ok; sleep 20; rm /tmp/ok; sleep 40; touch /tmp/ok; sleep 600"];
    const readinessProbe = { exec: { command: ["cat", "/tmp/ok"] }, periodSeconds: 10 };
    const run = runPod(podOf({ containers: [container("busybox", { command, readinessProbe })] }), zeroDelays);
    const ready = () => run.pod.status.conditions?.find((condition) => condition.type === "Ready");
    run.pass(39);
    expect(ready()?.status).toBe("True");
    run.pass(1);
    expect(ready()).toMatchObject({ status: "False", reason: "ContainersNotReady" });
    run.pass(19);
    expect(ready()?.status).toBe("False");
    run.pass(1);
    expect(ready()?.status).toBe("True");
    expect(eventsWith(run.events, "Killing")).toEqual([]);
    expect(eventsWith(run.events, "Unhealthy")).toHaveLength(4);
  });

  test("a permanent failure has 25 events, then one in five minutes, and writes no status", () => {
    const readinessProbe = { httpGet: { path: "/ready", port: 80 }, periodSeconds: 10 };
    const run = runPod(podOf({ containers: [container("nginx", { readinessProbe })] }), zeroDelays);
    run.pass(249);
    const { writes } = run;
    const first = eventsWith(run.events, "Unhealthy");
    expect(first).toHaveLength(25);
    expect(first[0]).toBe("+0 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404");
    run.pass(1800);
    expect(eventsWith(run.events, "Unhealthy").length - first.length).toBe(6);
    expect(run.writes).toBe(writes);
  });

  test("a command past its timeout fails, and a missing command does not change readiness", () => {
    const slow = container("busybox", {
      command: ["sleep", "600"],
      readinessProbe: { exec: { command: ["sleep", "5"] }, timeoutSeconds: 2 },
    });
    const run = runPod(podOf({ containers: [slow] }), zeroDelays);
    run.pass(3);
    expect(eventsWith(run.events, "Unhealthy")).toEqual([
      '+2 Unhealthy: Readiness probe failed: command timed out: "sleep 5" timed out after 2s',
    ]);
    const absent = container("busybox", {
      command: ["sleep", "600"],
      livenessProbe: { exec: { command: ["pg_isready"] }, periodSeconds: 1 },
    });
    const unknown = runPod(podOf({ containers: [absent] }), zeroDelays);
    unknown.pass(60);
    expect(eventsWith(unknown.events, "Unhealthy")[0]).toContain(
      "Liveness probe errored and resulted in unknown state: rpc error:",
    );
    expect(eventsWith(unknown.events, "Killing")).toEqual([]);
  });
});
