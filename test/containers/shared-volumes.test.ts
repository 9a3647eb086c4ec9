// Changes of a user in one container to a volume that another container mounts.
import { expect, test } from "vitest";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

/** Returns the output of a script in a container after a second. */
async function runScript(cluster: TestCluster, container: string, script: string): Promise<string> {
  const pod = cluster.get(pods, "default", "shared");
  const startMs = cluster.clock.nowMs();
  const input = { typed: [], hasEnded: true, isTerminal: false };
  const command = { words: ["sh", "-c", script], startMs, untilMs: startMs + 5000, input };
  const done = await cluster.containers.execute(pod, container, command);
  if (!done || "missing" in done) return "not there";
  cluster.containers.keep(pod, container, done.changes);
  cluster.step(1000);
  return done.chunks.map(({ text }) => text).join("");
}

function withShared(probe: object = {}): TestCluster {
  const cluster = newCluster();
  cluster.runUntilQuiet();
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const scriptContainer = (name: string, script: string) => {
    return { name, image: "busybox", command: ["sh", "-c", script], volumeMounts };
  };
  const spec = {
    initContainers: [scriptContainer("first", "touch /v/begun")],
    containers: [{ ...scriptContainer("a", "sleep 36000"), ...probe }, scriptContainer("b", "sleep 36000")],
    volumes: [{ name: "v", emptyDir: {} }],
  };
  cluster.apply(pods, { metadata: { name: "shared", namespace: "default" }, spec });
  cluster.step(10_000);
  return cluster;
}

test("N21: containers see each other's writes and removals in a shared volume", async () => {
  const cluster = withShared();
  expect(await runScript(cluster, "b", "echo 1 > /v/x; ls /v")).toBe("begun\nx\n");
  expect(await runScript(cluster, "a", "cat /v/x; echo 2 >> /v/x")).toBe("1\n");
  expect(await runScript(cluster, "b", "cat /v/x; rm /v/x /v/begun")).toBe("1\n2\n");
  expect(await runScript(cluster, "a", "ls /v")).toBe("");
});

test("N21: a probe sees a file that another container removed", async () => {
  const exec = { command: ["cat", "/v/begun"] };
  const cluster = withShared({ livenessProbe: { exec, periodSeconds: 2, failureThreshold: 1 } });
  const restarts = () => cluster.get(pods, "default", "shared").status.containerStatuses?.[0]?.restartCount;
  expect(restarts()).toBe(0);
  await runScript(cluster, "b", "rm /v/begun");
  cluster.step(60_000);
  expect(restarts()).toBeGreaterThan(0);
});
