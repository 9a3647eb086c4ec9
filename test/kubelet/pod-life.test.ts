// The life of a pod on a simulated node, from its binding to its removal.
import { describe, expect, test } from "vitest";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { container, podOf, runPod, steady } from "./pod-run.ts";

const busybox = (...command: string[]) => container("busybox", { command });

describe("start", () => {
  test("a pod without delays is Running and Ready after one write, with all its events", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), zeroDelays);
    run.pass(0);
    expect(run.writes).toBe(1);
    expect(run.pod.status.phase).toBe("Running");
    expect(ready(run.pod)).toBe("True");
    expect(run.events).toEqual([
      '+0 Pulling: Pulling image "nginx"',
      '+0 Pulled: Successfully pulled image "nginx" in 0s (0s including waiting). Image size: 72099410 bytes.',
      "+0 Created: Container created",
      "+0 Started: Container started",
    ]);
  });

  test("with delays the pod is first ContainerCreating without an address, then Running", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }));
    run.pass(1);
    expect(run.writes).toBe(1);
    expect(run.pod.status).toMatchObject({ phase: "Pending", startTime: "2026-01-01T00:00:00Z", hostIP: "172.18.0.3" });
    expect(run.pod.status.podIP).toBeUndefined();
    expect(run.pod.status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    run.pass(2);
    expect(run.writes).toBe(2);
    expect(run.pod.status).toMatchObject({ phase: "Running", podIP: "10.244.1.2", podIPs: [{ ip: "10.244.1.2" }] });
    expect(run.events).toContain(
      '+1.7 Pulled: Successfully pulled image "nginx" in 1.2s (1.2s including waiting). Image size: 72099410 bytes.',
    );
  });

  test("a sync in between changes nothing and emits no event", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }));
    run.pass(0.5);
    const before = run.pod;
    run.pass(0.1);
    expect(run.pod).toBe(before);
    expect(run.events).toHaveLength(1);
  });

  test("a container's status has the image's full name, its digest and the container's id", () => {
    const run = runPod(podOf({ containers: [container("nginx:1.27")] }), zeroDelays);
    run.pass(0);
    const status = run.pod.status.containerStatuses?.[0];
    expect(status?.image).toBe("docker.io/library/nginx:1.27");
    expect(status?.imageID).toMatch(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
    expect(status?.containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    expect(status?.resources).toEqual({});
    expect(status?.user).toEqual({ linux: { uid: 0, gid: 0, supplementalGroups: [0] } });
  });

  test("the conditions match a 1.36 kubelet's, in its order, with the observed generation", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), zeroDelays);
    run.pass(0);
    const conditions = run.pod.status.conditions ?? [];
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    expect(conditions.every((condition) => condition.observedGeneration === 1)).toBe(true);
  });

  test("a host network pod has its node's address", () => {
    const run = runPod(podOf({ hostNetwork: true, containers: [container("nginx")] }), zeroDelays);
    run.pass(0);
    expect(run.pod.status.podIP).toBe("172.18.0.3");
  });
});

describe("probes", () => {
  test("readiness waits for its initial delay and for startup, which has its own delay", () => {
    const startupProbe = { httpGet: { port: 80 }, initialDelaySeconds: 10, periodSeconds: 10 };
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 5, successThreshold: 2 };
    const run = runPod(podOf({ containers: [container("nginx", { startupProbe, readinessProbe })] }), zeroDelays);
    run.pass(9);
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({ started: false, ready: false });
    expect(condition(run.pod, "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [web]",
    });
    run.pass(1);
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({ started: true, ready: false });
    run.pass(5);
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({ started: true, ready: true });
    expect(ready(run.pod)).toBe("True");
  });

  test("a readiness gate keeps the pod unready until its condition is set", () => {
    const spec = { containers: [container("nginx")], readinessGates: [{ conditionType: "example.com/lb" }] };
    const run = runPod(podOf(spec), zeroDelays);
    run.pass(1);
    expect(condition(run.pod, "Ready")).toMatchObject({
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    });
    const { writes } = run;
    run.pass(60);
    expect(run.writes).toBe(writes);
    run.pod.status.conditions?.push({ type: "example.com/lb", status: "True" });
    run.pass(0);
    expect(ready(run.pod)).toBe("True");
  });
});

describe("init containers", () => {
  test("init containers run in order, and a sidecar keeps running beside the others", () => {
    const run = runPod(
      podOf({
        initContainers: [
          { ...busybox("sleep", "2"), name: "first" },
          { ...container("busybox", { command: ["sleep", "3600"] }), name: "side", restartPolicy: "Always" },
          { ...busybox("true"), name: "last" },
        ],
        containers: [container("nginx")],
      }),
      zeroDelays,
    );
    run.pass(1);
    expect(run.pod.status.phase).toBe("Pending");
    expect(
      run.pod.status.initContainerStatuses?.map((initContainerStatus) => Object.keys(initContainerStatus.state)[0]),
    ).toEqual(["running", "waiting", "waiting"]);
    expect(condition(run.pod, "Initialized")).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [first side last]",
    });
    run.pass(2);
    expect(run.pod.status.phase).toBe("Running");
    expect(run.pod.status.initContainerStatuses?.map((initContainerStatus) => initContainerStatus.ready)).toEqual([
      true,
      true,
      true,
    ]);
    expect(ready(run.pod)).toBe("True");
  });

  test("a failed init container of a pod that never restarts fails the pod", () => {
    const initContainers = [{ ...busybox("false"), name: "check" }];
    const run = runPod(podOf({ restartPolicy: "Never", initContainers, containers: [container("nginx")] }), zeroDelays);
    run.pass(5);
    expect(run.pod.status.phase).toBe("Failed");
    expect(run.events.filter((event) => event.includes("nginx"))).toEqual([]);
  });

  test("a sidecar is stopped when the other containers are finished", () => {
    const initContainers = [{ ...container("nginx"), name: "side", restartPolicy: "Always" }];
    const run = runPod(
      podOf({ restartPolicy: "Never", initContainers, containers: [busybox("sleep", "5")] }),
      zeroDelays,
    );
    run.pass(4);
    expect(run.pod.status.phase).toBe("Running");
    run.pass(2);
    expect(run.pod.status.phase).toBe("Succeeded");
    expect(run.events).toContain("+5 Killing: Stopping container side");
  });
});

describe("finished and crashing pods", () => {
  test("restartPolicy Never lets the exit code decide between Succeeded and Failed", () => {
    const good = runPod(podOf({ restartPolicy: "Never", containers: [busybox("sleep", "5")] }), zeroDelays);
    good.pass(4);
    expect(good.pod.status.phase).toBe("Running");
    good.pass(1);
    expect(good.pod.status.phase).toBe("Succeeded");
    expect(good.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 0,
      reason: "Completed",
    });
    expect(condition(good.pod, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
    const bad = runPod(
      podOf({ restartPolicy: "Never", containers: [busybox("sh", "-c", "echo no; exit 3")] }),
      zeroDelays,
    );
    bad.pass(1);
    expect(bad.pod.status.phase).toBe("Failed");
    expect(bad.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    const { writes } = bad;
    bad.pass(3600);
    expect(bad.writes).toBe(writes);
  });

  test("restartPolicy OnFailure restarts after a failure, and not after a success", () => {
    const run = runPod(podOf({ restartPolicy: "OnFailure", containers: [busybox("false")] }), zeroDelays);
    run.pass(29);
    expect(run.pod.status.phase).toBe("Running");
    expect(run.pod.status.containerStatuses?.[0]?.restartCount).toBe(2);
    const done = runPod(podOf({ restartPolicy: "OnFailure", containers: [busybox("true")] }), zeroDelays);
    done.pass(30);
    expect(done.pod.status.phase).toBe("Succeeded");
  });

  test("the back-off of a crashing container doubles from 10 seconds to 5 minutes", () => {
    const run = runPod(podOf({ containers: [busybox("false")] }), zeroDelays);
    run.pass(1200);
    const starts = run.events
      .filter((event) => event.includes("Started:"))
      .map((event) => Number.parseFloat(event.slice(1)));
    expect(starts).toEqual([0, 0, 10, 30, 70, 150, 310, 610, 910]);
    expect(run.events).toContain(
      "+1 BackOff: Back-off restarting failed container web in pod web-1_default(0e8a35b0-1111-4222-8333-abcdefabcdef)",
    );
    const [status] = run.pod.status.containerStatuses ?? [];
    expect(status?.state.waiting).toEqual({
      reason: "CrashLoopBackOff",
      message: "back-off 5m0s restarting failed container=web pod=web-1_default(0e8a35b0-1111-4222-8333-abcdefabcdef)",
    });
    expect(status?.restartCount).toBe(8);
    expect(status?.lastState.terminated).toMatchObject({ exitCode: 1, reason: "Error" });
    expect(run.pod.status.phase).toBe("Running");
  });

  test("the back-off is the same with real delays, and is reset after ten minutes without a crash", () => {
    const crashing = runPod(podOf({ containers: [busybox("sh", "-c", "sleep 2; exit 1")] }), steady);
    crashing.pass(400);
    const waits = crashing.pod.status.containerStatuses?.[0]?.state.waiting?.message ?? "";
    expect(waits).toContain("back-off 5m0s");
    const slow = runPod(podOf({ containers: [busybox("sleep", "700")] }), zeroDelays);
    slow.pass(2200);
    const starts = slow.events
      .filter((event) => event.includes("Started:"))
      .map((event) => Number.parseFloat(event.slice(1)));
    expect(starts).toEqual([0, 700, 1400, 2100]);
  });

  test("a container over its memory limit is OOMKilled", () => {
    const hungry = container("polinux/stress", {
      command: ["stress"],
      args: ["--vm", "1", "--vm-bytes", "250M", "--vm-hang", "1"],
      resources: { limits: { memory: "100Mi" }, requests: { memory: "50Mi" } },
    });
    const run = runPod(podOf({ restartPolicy: "Never", containers: [hungry] }), zeroDelays);
    run.pass(2);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
    });
  });

  test("activeDeadlineSeconds stops the pod and fails it", () => {
    const run = runPod(podOf({ activeDeadlineSeconds: 10, containers: [container("nginx")] }), zeroDelays);
    run.pass(20);
    expect(run.pod.status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
    expect(run.events.slice(-2)).toEqual([
      "+10 DeadlineExceeded: Pod was active on the node longer than the specified deadline",
      "+10 Killing: Stopping container web",
    ]);
  });
});

describe("images", () => {
  test("an image of the node is not pulled again, unless its policy is Always", () => {
    const two = [
      container("nginx"),
      { ...container("nginx"), name: "again" },
      { ...container("nginx", { imagePullPolicy: "Always" }), name: "always" },
    ];
    const run = runPod(podOf({ containers: two }), zeroDelays);
    run.pass(0);
    expect(run.events.filter((event) => event.includes("Pull"))).toEqual([
      '+0 Pulling: Pulling image "nginx"',
      '+0 Pulled: Successfully pulled image "nginx" in 0s (0s including waiting). Image size: 72099410 bytes.',
      '+0 Pulled: Container image "nginx" already present on machine and can be accessed by the pod',
      '+0 Pulling: Pulling image "nginx"',
      '+0 Pulled: Successfully pulled image "nginx" in 0s (0s including waiting). Image size: 72099410 bytes.',
    ]);
  });

  test("a tag that does not exist gives ErrImagePull, then ImagePullBackOff, with doubling retries", () => {
    const run = runPod(podOf({ containers: [container("nginx:doesnotexist")] }), zeroDelays);
    run.pass(80);
    const problem =
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:doesnotexist": failed to resolve reference "docker.io/library/nginx:doesnotexist": docker.io/library/nginx:doesnotexist: not found';
    expect(run.events.slice(0, 5)).toEqual([
      '+0 Pulling: Pulling image "nginx:doesnotexist"',
      `+0 Failed: Failed to pull image "nginx:doesnotexist": ${problem}`,
      "+0 Failed: Error: ErrImagePull",
      '+1 BackOff: Back-off pulling image "nginx:doesnotexist"',
      "+1 Failed: Error: ImagePullBackOff",
    ]);
    const attempts = run.events
      .filter((event) => event.includes("Pulling:"))
      .map((event) => Number.parseFloat(event.slice(1)));
    expect(attempts).toEqual([0, 10, 30, 70]);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "nginx:doesnotexist": ErrImagePull: ${problem}`,
    });
    expect(run.pod.status.phase).toBe("Pending");
  });

  test("a corrected image is pulled at once", () => {
    const run = runPod(podOf({ containers: [container("nginx:doesnotexist")] }), zeroDelays);
    run.pass(200);
    run.pod = {
      ...run.pod,
      metadata: { ...run.pod.metadata, generation: 2 },
      spec: { ...run.pod.spec, containers: [container("nginx:1.27")] },
    };
    run.pass(0);
    expect(ready(run.pod)).toBe("True");
    expect(run.pod.status.observedGeneration).toBe(2);
  });

  test("a malformed name is not pulled, and a missing image is not pulled with policy Never", () => {
    const bad = runPod(podOf({ containers: [container("Nginx:1")] }), zeroDelays);
    bad.pass(60);
    const message =
      'Failed to apply default image tag "Nginx:1": couldn\'t parse image name "Nginx:1": invalid reference format: repository name (library/Nginx) must be lowercase';
    expect(bad.events).toEqual([`+0 InspectFailed: ${message}`, "+0 Failed: Error: InvalidImageName"]);
    expect(bad.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({ reason: "InvalidImageName", message });
    const never = runPod(podOf({ containers: [container("nginx", { imagePullPolicy: "Never" })] }), zeroDelays);
    never.pass(60);
    expect(never.events).toEqual([
      '+0 ErrImageNeverPull: Container image "nginx" is not present with pull policy of Never',
      "+0 Failed: Error: ErrImageNeverPull",
    ]);
  });

  test("a new image of a running container restarts it without waiting", () => {
    const run = runPod(podOf({ containers: [container("nginx:1.26")] }), zeroDelays);
    run.pass(5);
    run.pod = {
      ...run.pod,
      metadata: { ...run.pod.metadata, generation: 2 },
      spec: { ...run.pod.spec, containers: [container("nginx:1.27")] },
    };
    run.pass(0);
    expect(run.events).toContain("+5 Killing: Container web definition changed, will be restarted");
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({
      image: "docker.io/library/nginx:1.27",
      restartCount: 1,
      ready: true,
    });
  });
});

describe("a new image", () => {
  test("leaves the status unchanged while its container stops", () => {
    const run = runPod(podOf({ containers: [container("nginx:1.26")] }), { ...zeroDelays, stopMs: 800 });
    run.pass(5);
    run.pod = {
      ...run.pod,
      metadata: { ...run.pod.metadata, generation: 2 },
      spec: { ...run.pod.spec, containers: [container("nginx:1.27")] },
    };
    run.pass(1);
    expect(run.events).toContain("+5.8 Killing: Container web definition changed, will be restarted");
    expect(run.pod.status.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  });
});

describe("configuration", () => {
  const looks = 600;

  test("a missing ConfigMap of a volume gives FailedMount, and no container is created until it exists", () => {
    const data: Record<string, string[]> = {};
    const volumes = [{ name: "config", configMap: { name: "settings" } }];
    const run = runPod(podOf({ volumes, containers: [container("nginx")] }), zeroDelays, data);
    run.pass(looks);
    const mountFailures = run.events.filter((event) =>
      event.endsWith('FailedMount: MountVolume.SetUp failed for volume "config" : configmap "settings" not found'),
    );
    expect(mountFailures).toHaveLength(run.events.length);
    // Waits between attempts double.
    expect(mountFailures.slice(0, 6).map((mountFailure) => Number.parseFloat(mountFailure.slice(1)))).toEqual([
      0, 0.5, 1.5, 3.5, 7.5, 15.5,
    ]);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting?.reason).toBe("ContainerCreating");
    data["configmap/settings"] = ["a"];
    run.pass(0);
    expect(ready(run.pod)).toBe("True");
  });

  test("a missing Secret of a variable gives CreateContainerConfigError until its key exists", () => {
    const data: Record<string, string[]> = {};
    const env = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "password" } } }];
    const run = runPod(podOf({ containers: [container("nginx", { env })] }), zeroDelays, data);
    run.pass(looks);
    expect(run.events).toContain('+0 Failed: Error: secret "db" not found');
    expect(run.events).toContain('+12 Failed: Error: secret "db" not found');
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'secret "db" not found',
    });
    expect(run.pod.status.phase).toBe("Pending");
    data["secret/db"] = ["password"];
    run.pass(0);
    expect(ready(run.pod)).toBe("True");
  });

  test("a missing key is named, and an optional one is ignored", () => {
    const valueFrom = { configMapKeyRef: { name: "settings", key: "mode" } };
    const data = { "configmap/settings": ["other"] };
    const env = [{ name: "MODE", valueFrom }];
    const run = runPod(podOf({ containers: [container("nginx", { env })] }), zeroDelays, data);
    run.pass(0);
    expect(run.events.at(-1)).toBe("+0 Failed: Error: couldn't find key mode in ConfigMap default/settings");
    const optional = [
      { name: "MODE", valueFrom: { configMapKeyRef: { ...valueFrom.configMapKeyRef, optional: true } } },
    ];
    const fine = runPod(podOf({ containers: [container("nginx", { env: optional })] }), zeroDelays, data);
    fine.pass(0);
    expect(ready(fine.pod)).toBe("True");
  });

  const where = '(pod: "web-1_default(0e8a35b0-1111-4222-8333-abcdefabcdef)", container: web)';
  test.each([
    ["nginx", `container has runAsNonRoot and image will run as root ${where}`],
    ["tomcat", `container has runAsNonRoot and image will run as root ${where}`],
    [
      "prom/prometheus",
      `container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is non-root ${where}`,
    ],
    ["bitnami/redis", undefined],
    ["nginxinc/nginx-unprivileged", undefined],
    ["example.com/unknown", undefined],
  ])("N24: %s if runAsNonRoot is set", (image, message) => {
    const run = runPod(podOf({ securityContext: { runAsNonRoot: true }, containers: [container(image)] }), zeroDelays);
    run.pass(0);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting?.message).toBe(message);
  });

  test("N24: a container runs as its image's user and group", () => {
    const run = runPod(podOf({ containers: [container("bitnami/redis")] }), zeroDelays);
    run.pass(0);
    const { linux } = run.pod.status.containerStatuses?.[0]?.user ?? {};
    expect([linux?.uid, linux?.gid]).toEqual([1001, 0]);
  });
});

describe("deletion", () => {
  test("a server that handles SIGTERM gets Killing immediately, and is Succeeded within a second", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), steady);
    run.pass(10);
    run.remove();
    run.pass(0.5);
    expect(run.events.at(-1)).toBe("+10 Killing: Stopping container web");
    expect(run.pod.status.phase).toBe("Running");
    expect(run.pod.status.observedGeneration).toBe(2);
    expect(run.finished).toBe(false);
    run.pass(0.5);
    expect(run.finished).toBe(true);
    expect(run.pod.status.phase).toBe("Succeeded");
    expect(run.events.filter((event) => event.includes("Killing"))).toHaveLength(1);
  });

  test("`sleep` ignores SIGTERM and is killed after its grace period", () => {
    const run = runPod(podOf({ containers: [busybox("sleep", "3600")] }), zeroDelays);
    run.pass(10);
    run.remove();
    run.pass(29);
    expect(run.finished).toBe(false);
    run.pass(1);
    expect(run.finished).toBe(true);
    expect(run.pod.status.phase).toBe("Failed");
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 137, reason: "Error" });
  });

  test("a preStop hook delays the end, but not past the grace period", () => {
    const slow = container("nginx", { lifecycle: { preStop: { sleep: { seconds: 5 } } } });
    const run = runPod(podOf({ containers: [slow] }), zeroDelays);
    run.pass(10);
    run.remove();
    run.pass(4);
    expect(run.finished).toBe(false);
    run.pass(1);
    expect(run.finished).toBe(true);
    const late = container("nginx", { lifecycle: { preStop: { exec: { command: ["sh", "-c", "sleep 100"] } } } });
    const killed = runPod(podOf({ containers: [late] }), zeroDelays);
    killed.pass(10);
    killed.remove(5);
    killed.pass(7);
    expect(killed.finished).toBe(true);
  });

  // A client that reads the pod, and then lists, is to find the same one: a StatefulSet makes the next of that name at once.
  test("a pod that has started no container still exists while its sandbox is stopped", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), steady);
    run.pass(0.1);
    run.remove();
    run.pass(0.1);
    expect(run.finished).toBe(false);
    run.pass(1);
    expect(run.finished).toBe(true);
  });

  test("a pod that never started is removed as Failed", () => {
    const run = runPod(podOf({ containers: [container("nginx:doesnotexist")] }), zeroDelays);
    run.pass(5);
    run.remove();
    run.pass(0);
    expect(run.finished).toBe(true);
    expect(run.pod.status.phase).toBe("Failed");
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: "ContainerStatusUnknown",
    });
  });

  test("a finished pod is removed immediately, without another status write", () => {
    const run = runPod(podOf({ restartPolicy: "Never", containers: [busybox("true")] }), zeroDelays);
    run.pass(5);
    const { writes } = run;
    run.remove();
    run.pass(0);
    expect(run.finished).toBe(true);
    expect(run.writes).toBe(writes);
  });

  test("sidecars are stopped after the other containers, in reverse order", () => {
    const side = (name: string) => ({ ...container("nginx"), name, restartPolicy: "Always" });
    const delays = { ...zeroDelays, stopMs: 3000 };
    const run = runPod(podOf({ initContainers: [side("one"), side("two")], containers: [container("nginx")] }), delays);
    run.pass(10);
    run.remove();
    run.pass(20);
    const ends = [...(run.pod.status.containerStatuses ?? []), ...(run.pod.status.initContainerStatuses ?? [])];
    expect(ends.map((end) => `${end.name} ${end.state.terminated?.finishedAt ?? ""}`)).toEqual([
      "web 2026-01-01T00:00:13Z",
      "one 2026-01-01T00:00:19Z",
      "two 2026-01-01T00:00:16Z",
    ]);
  });
});

function condition(pod: ReturnType<typeof podOf>, type: string) {
  return pod.status.conditions?.find((condition) => condition.type === type);
}

function ready(pod: ReturnType<typeof podOf>): string | undefined {
  return condition(pod, "Ready")?.status;
}
