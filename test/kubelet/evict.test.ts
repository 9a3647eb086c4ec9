// Eviction for disk space: the kubelet's measurements, status and events.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { quietCluster } from "../cluster.ts";
import { executed } from "../containers/executed.ts";
import { container, podOf, runPod } from "./pod-run.ts";

/** Runs a pod whose container executes a script, with a volume at /cache. */
function runPodWith(script: string, emptyDir: object, more: Partial<Pod["spec"]["containers"][number]> = {}) {
  const volumes = [{ name: "cache", emptyDir }];
  const volumeMounts = [{ name: "cache", mountPath: "/cache" }];
  const scriptContainer = container("busybox", {
    command: ["sh", "-c", `${script}; sleep infinity`],
    volumeMounts,
    ...more,
  });
  const run = runPod(podOf({ containers: [scriptContainer], volumes }));
  run.pass(120);
  return run;
}

describe("N14: a pod and its limits of disk space", () => {
  test.each<readonly [what: string, script: string, emptyDir: object, limit: string | undefined, message: string]>([
    [
      "a file in a volume",
      "dd if=/dev/zero of=/cache/a bs=1M count=2",
      { sizeLimit: "1Mi" },
      undefined,
      'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ',
    ],
    [
      "a file far larger than the stored bound",
      "dd if=/dev/zero of=/cache/a bs=1M count=600",
      { sizeLimit: "500Mi" },
      undefined,
      'Usage of EmptyDir volume "cache" exceeds the limit "500Mi". ',
    ],
    [
      "a file in its writable layer",
      "dd if=/dev/zero of=/tmp/a bs=1K count=3",
      {},
      "2Ki",
      "Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. ",
    ],
  ])("is evicted with %s", (_, script, emptyDir, limit, message) => {
    const resources = limit === undefined ? {} : { limits: { "ephemeral-storage": limit } };
    const { pod, events } = runPodWith(script, emptyDir, { resources });
    expect([pod.status.phase, pod.status.reason, pod.status.message]).toEqual(["Failed", "Evicted", message]);
    expect(pod.status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(137);
    expect(events.slice(-2).map((event) => event.replace(/^\S+ /, ""))).toEqual([
      `Evicted: ${message}`,
      "Killing: Stopping container web",
    ]);
  });

  test.each([
    [
      "a file that is removed before the kubelet measures",
      "sleep 1; dd if=/dev/zero of=/cache/a bs=1M count=2; rm /cache/a",
      { sizeLimit: "1Mi" },
    ],
    ["a file within the limit", "dd if=/dev/zero of=/cache/a bs=1K count=1000", { sizeLimit: "1Mi" }],
    ["a file without a limit", "dd if=/dev/zero of=/cache/a bs=1M count=3", {}],
  ])("stays with %s", (_, script, emptyDir) => {
    expect(runPodWith(script, emptyDir).pod.status.phase).toBe("Running");
  });

  test("is evicted when a user fills its volume", async () => {
    const cluster = quietCluster({ base: "layered" });
    const volumes = [{ name: "cache", emptyDir: { sizeLimit: "1Mi" } }];
    const volumeContainer = {
      name: "c",
      image: "busybox",
      command: ["sleep", "1d"],
      volumeMounts: [{ name: "cache", mountPath: "/cache" }],
    };
    cluster.apply(pods, {
      metadata: { name: "a", namespace: "default" },
      spec: { containers: [volumeContainer], volumes },
    });
    cluster.step(15_000);
    await executed(cluster, "a", "dd if=/dev/zero of=/cache/a bs=1M count=2");
    cluster.step(15_000);
    expect(cluster.get(pods, "default", "a").status.reason).toBe("Evicted");
  });
});
