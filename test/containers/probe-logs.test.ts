// Log lines of probes: the line of the real server at each tick, computed when it is read.
import { describe, expect, test } from "vitest";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { mostFileBytes, rotationsOf } from "../../worker/containers/logs/rotation.ts";
import type { newCluster } from "../cluster.ts";
import { quietCluster } from "../cluster.ts";

const day = 86_400_000;

async function logOf(
  cluster: ReturnType<typeof newCluster>,
  name: string,
  container = "c",
): Promise<readonly string[]> {
  const pod = cluster.get(pods, "default", name);
  const printed = await cluster.containers.printed(pod, container, { previous: false, follows: false });
  return printed?.lines.slice(0, printed.count).map(({ text }) => text) ?? [];
}

function createPod(cluster: ReturnType<typeof newCluster>, name: string, container: object, more: object = {}): void {
  const spec = { nodeName: "node-1", ...more, containers: [{ name: "c", ...container }] };
  cluster.apply(pods, { metadata: { name, namespace: "default" }, spec });
}

const get = (path: string, port: number | string = 80) => ({ httpGet: { path, port } });
const date = String.raw`\[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\]`;
const agent = String.raw`kube-probe/1\.36`;

describe("N11: a probe", () => {
  test.each([
    [
      "nginx",
      { image: "nginx:1.27", readinessProbe: get("/") },
      String.raw`10\.244\.\d+\.1 - - ${date} "GET / HTTP/1\.1" 200 \d+ "-" "${agent}" "-"`,
    ],
    [
      "nginx without the file",
      { image: "nginx:1.27", readinessProbe: get("/nope") },
      String.raw`10\.244\.\d+\.1 - - ${date} "GET /nope HTTP/1\.1" 404 \d+ "-" "${agent}" "-"`,
    ],
    [
      "httpd",
      { image: "httpd:2.4", livenessProbe: get("/") },
      String.raw`10\.244\.\d+\.1 - - ${date} "GET / HTTP/1\.1" 200 \d+`,
    ],
    [
      "agnhost's netexec, which logs some paths",
      { image: "agnhost", args: ["netexec"], readinessProbe: get("/hostname", 8080) },
      String.raw`I\d{4} \d\d:\d\d:\d\d\.\d{6} +1 log\.go:245\] GET /hostname`,
    ],
    [
      "python's http.server",
      { image: "python:3.13", command: ["python3", "-m", "http.server", "80"], readinessProbe: get("/") },
      String.raw`10\.244\.\d+\.1 - - \[[^\]]+\] "GET / HTTP/1\.1" 200 -`,
    ],
  ])("for %s writes a log line at each tick", async (_, container, line) => {
    const cluster = quietCluster();
    createPod(cluster, "web", container);
    cluster.step(65_000);
    const matchingLines = (await logOf(cluster, "web")).filter((logLine) => new RegExp(`^${line}$`).test(logLine));
    expect(matchingLines.length).toBeGreaterThanOrEqual(6);
    expect(matchingLines.length).toBeLessThanOrEqual(7);
  });

  test("writes nothing to the log of a program that does not log its requests", async () => {
    const cluster = quietCluster();
    createPod(cluster, "web", { image: "traefik/whoami", readinessProbe: get("/") });
    cluster.step(65_000);
    expect((await logOf(cluster, "web")).join("\n")).not.toContain("GET");
  });

  test("does not repeat the startup probe after its success, and logs to the container that listens", async () => {
    const cluster = quietCluster();
    const otherContainer = { name: "other", image: "busybox", args: ["sleep", "1d"], readinessProbe: get("/b") };
    const startupContainer = { name: "c", image: "nginx", startupProbe: { ...get("/a"), failureThreshold: 100 } };
    const metadata = { name: "web", namespace: "default" };
    cluster.apply(pods, { metadata, spec: { nodeName: "node-1", containers: [otherContainer, startupContainer] } });
    cluster.step(65_000);
    const all = await logOf(cluster, "web");
    expect(all.filter((line) => line.includes('"GET /b HTTP/1.1" 404'))).toHaveLength(7);
    expect(all.filter((line) => line.includes('"GET /a HTTP/1.1" 404'))).toHaveLength(7);
    expect(await logOf(cluster, "web", "other")).toEqual([]);
    const once = quietCluster();
    createPod(once, "web", { image: "nginx", startupProbe: get("/") });
    once.step(65_000);
    expect((await logOf(once, "web")).filter((line) => line.includes("kube-probe"))).toHaveLength(1);
  });

  test("through a proxy reaches the upstream, and fails if the upstream is missing", async () => {
    const cluster = quietCluster();
    const config = "server { listen 80; location / { proxy_pass http://app.default.svc.cluster.local:8080; } }";
    const script = `echo '${config}' > /etc/nginx/conf.d/default.conf; nginx -g 'daemon off;'`;
    cluster.apply(services, {
      metadata: { name: "app", namespace: "default" },
      spec: { selector: { app: "app" }, ports: [{ port: 8080 }] },
    });
    createPod(cluster, "web", { image: "nginx", command: ["sh", "-c", script], readinessProbe: get("/") });
    cluster.step(31_000);
    const isReady = () => cluster.get(pods, "default", "web").status.containerStatuses?.[0]?.ready;
    expect(isReady()).toBe(false);
    const log = (await logOf(cluster, "web")).join("\n");
    expect(log).toMatch(
      /\[error\] 29#29: \*1 connect\(\) failed \(111: Connection refused\) while connecting to upstream, client: 10\.244\.\d+\.1, server: , request: "GET \/ HTTP\/1\.1", upstream: "http:\/\/10\.[\d.]+:8080\/", host: "10\.244\.\d+\.\d+:80"/,
    );
    expect(log).toContain('"GET / HTTP/1.1" 502');
    const spec = { containers: [{ name: "c", image: "agnhost", args: ["netexec"] }] };
    cluster.apply(pods, { metadata: { name: "app", namespace: "default", labels: { app: "app" } }, spec });
    cluster.step(31_000);
    expect(isReady()).toBe(true);
    cluster.client.delete(pods, "default", "app", { gracePeriodSeconds: 0 });
    cluster.step(61_000);
    expect(isReady()).toBe(false);
  });

  test("is in the previous run's log up to the moment at which it killed its container", async () => {
    const cluster = quietCluster();
    createPod(cluster, "web", { image: "nginx", livenessProbe: { ...get("/nope"), periodSeconds: 5 } });
    cluster.step(12_500);
    const pod = cluster.get(pods, "default", "web");
    expect(pod.status.containerStatuses?.[0]?.restartCount).toBe(1);
    const printed = await cluster.containers.printed(pod, "c", { previous: true, follows: false });
    expect(printed?.lines.filter(({ text }) => text.includes('"GET /nope HTTP/1.1" 404'))).toHaveLength(3);
  });

  test("needs no alarm for a day, and its lines are computed when a client reads them", async () => {
    const cluster = quietCluster();
    for (let at = 0; at < 20; at++) createPod(cluster, `web-${at}`, { image: "nginx", readinessProbe: get("/") });
    cluster.step(60_000);
    const before = cluster.changes.length;
    expect(cluster.runtime.nextDueMs()).toBeUndefined();
    cluster.clock.stepTo(cluster.clock.nowMs() + day);
    expect((await logOf(cluster, "web-0")).filter((line) => line.includes("kube-probe")).length).toBeGreaterThanOrEqual(
      8640,
    );
    expect(cluster.changes.length).toBe(before);
  });

  test("has its next line delivered to a client that follows the log", async () => {
    const cluster = quietCluster();
    createPod(cluster, "web", { image: "nginx", readinessProbe: get("/") });
    cluster.step(61_000);
    const pod = cluster.get(pods, "default", "web");
    const printed = await cluster.containers.printed(pod, "c", { previous: false, follows: true });
    expect((printed?.nextOutputMs ?? 0) - cluster.clock.nowMs()).toBeGreaterThan(0);
    expect((printed?.nextOutputMs ?? 0) - cluster.clock.nowMs()).toBeLessThanOrEqual(10_000);
    const next = printed?.lines[printed.count];
    expect(next?.atMs).toBe(printed?.nextOutputMs);
    expect(next?.text).toContain("kube-probe");
  });
});

describe("N15: a log", () => {
  test("larger than 10 MiB is read from its newest file", async () => {
    const cluster = quietCluster();
    const path = `/${"a".repeat(2000)}`;
    createPod(cluster, "web", { image: "nginx", readinessProbe: { ...get(path), periodSeconds: 1 } });
    cluster.step(6 * 3_600_000);
    const lines = await logOf(cluster, "web");
    const bytes = lines.reduce((sum, line) => sum + line.length + 41, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(mostFileBytes + 10 * 2200);
    expect(lines.at(-1)).toContain("kube-probe");
  });

  test.each([
    [1, 0],
    [mostFileBytes / 60_000, 0],
    [mostFileBytes / 20_000, 3],
    [mostFileBytes, 6],
  ])("with %d more bytes a millisecond is rotated %d times in a minute, when the kubelet checks it", (speed, times) => {
    const rotations = rotationsOf((atMs) => Math.max(0, atMs) * speed, 1, 60_000);
    expect(rotations.length).toBeLessThanOrEqual(6);
    expect(rotations.filter((rotatedMs) => rotatedMs % 10_000 !== 0)).toEqual([]);
    if (times > 0) expect(rotations.length).toBe(times);
  });
});
