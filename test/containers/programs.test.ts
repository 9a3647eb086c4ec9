// Containers that run as image, command and volumes say: the examples of the Kubernetes documentation.
import { describe, expect, test } from "vitest";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { container, podOf, runPod, startMs } from "../kubelet/pod-run.ts";

const sh = (name: string, script: string, more: object = {}) => ({
  ...container("busybox:1.28", { command: ["sh", "-c", script], ...more }),
  name,
});

describe("init containers", () => {
  test("continue once the Services that they wait for exist", () => {
    const wait = (service: string) =>
      `until nslookup ${service}.$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace).svc.cluster.local; do echo waiting for ${service}; sleep 2; done`;
    const token = { name: "token", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true };
    const items = [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }];
    const services = new Map<string, number>();
    const run = runPod(
      podOf({
        volumes: [{ name: "token", projected: { sources: [{ downwardAPI: { items } }] } }],
        initContainers: [
          sh("init-myservice", wait("myservice"), { volumeMounts: [token] }),
          sh("init-mydb", wait("mydb"), { volumeMounts: [token] }),
        ],
        containers: [sh("myapp", "echo The app is running! && sleep 3600")],
      }),
      zeroDelays,
      {},
      {
        service: (namespace, name) => {
          const sinceMs = services.get(`${namespace}/${name}`);
          return sinceMs === undefined
            ? undefined
            : { sinceMs, addresses: ["10.96.1.1"], hosts: {}, answersMs: undefined, ports: [] };
        },
      },
    );
    run.pass(60);
    expect(run.pod.status.phase).toBe("Pending");
    expect(
      run.pod.status.initContainerStatuses?.map((initContainerStatus) => Object.keys(initContainerStatus.state)[0]),
    ).toEqual(["running", "waiting"]);
    expect(run.waitsFor).toContain("service/default/myservice");
    services.set("default/myservice", run.nowMs);
    run.pass(3);
    expect(
      run.pod.status.initContainerStatuses?.map((initContainerStatus) => Object.keys(initContainerStatus.state)[0]),
    ).toEqual(["terminated", "running"]);
    services.set("default/mydb", run.nowMs);
    run.pass(3);
    expect(run.pod.status.phase).toBe("Running");
  });

  test("share files with the next container through a volume", () => {
    const volumeMounts = [{ name: "work", mountPath: "/shared-data" }];
    const run = runPod(
      podOf({
        restartPolicy: "Never",
        volumes: [{ name: "work", emptyDir: {} }],
        initContainers: [sh("first", "echo 7 > /shared-data/code", { volumeMounts })],
        containers: [sh("web", "exit $(cat /data/code)", { volumeMounts: [{ name: "work", mountPath: "/data" }] })],
      }),
      zeroDelays,
    );
    run.pass(1);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(7);
  });

  test("keep their volume across restarts: a command succeeds at its third attempt", () => {
    const script = "echo x >> /shared-data/tries; [ $(wc -l < /shared-data/tries) -ge 3 ] && exit 0; exit 1";
    const run = runPod(
      podOf({
        restartPolicy: "OnFailure",
        volumes: [{ name: "work", emptyDir: {} }],
        containers: [sh("web", script, { volumeMounts: [{ name: "work", mountPath: "/shared-data" }] })],
      }),
      zeroDelays,
    );
    run.pass(600);
    expect(run.pod.status.phase).toBe("Succeeded");
    expect(run.pod.status.containerStatuses?.[0]?.restartCount).toBe(2);
  });
});

describe("termination", () => {
  test("the termination message is the text at its path", () => {
    const shellContainer = container("debian", {
      command: ["/bin/sh"],
      args: ["-c", "sleep 10 && echo Sleep expired > /dev/termination-log"],
    });
    const run = runPod(podOf({ restartPolicy: "Never", containers: [shellContainer] }), zeroDelays);
    run.pass(11);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ message: "Sleep expired\n" });
  });

  test("the termination message falls back to the end of the log if the container fails", () => {
    const failingContainer = sh("web", "for i in 1 2 3; do echo line $i; done; exit 1", {
      terminationMessagePolicy: "FallbackToLogsOnError",
    });
    const run = runPod(podOf({ restartPolicy: "Never", containers: [failingContainer] }), zeroDelays);
    run.pass(1);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated?.message).toBe("line 1\nline 2\nline 3\n");
  });

  test("a program that is missing in the image fails with RunContainerError, StartError 128, then the back-off", () => {
    const run = runPod(podOf({ containers: [container("busybox", { command: ["slep", "10"] })] }), zeroDelays);
    run.pass(0);
    const problem =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "slep": executable file not found in $PATH';
    expect(run.events.slice(-2)).toEqual(["+0 Created: Container created", `+0 Failed: Error: ${problem}`]);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({
      reason: "RunContainerError",
      message: problem,
    });
    expect(run.pod.status.containerStatuses?.[0]?.lastState.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
      startedAt: "1970-01-01T00:00:00Z",
    });
    run.pass(200);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting?.reason).toBe("CrashLoopBackOff");
    const tries = run.events
      .filter((event) => event.includes("Created:"))
      .map((event) => Number.parseFloat(event.slice(1)));
    expect(tries).toEqual([0, 0, 10, 30, 70, 150]);
    const once = runPod(
      podOf({ restartPolicy: "Never", containers: [container("nginx", { command: ["nope"] })] }),
      zeroDelays,
    );
    once.pass(1);
    expect(once.pod.status.phase).toBe("Failed");
    expect(once.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
    });
  });

  test.each<[string, object, Record<string, string>]>([
    [
      "variables that double",
      {
        env: [
          { name: "A0", value: "x".repeat(1000) },
          ...Array.from({ length: 40 }, (_, at) => ({ name: `A${at + 1}`, value: `$(A${at})$(A${at})` })),
        ],
      },
      {},
    ],
    [
      "a ConfigMap again and again",
      { envFrom: Array.from({ length: 1000 }, (_, at) => ({ prefix: `P${at}_`, configMapRef: { name: "c" } })) },
      { a: "x".repeat(5000) },
    ],
    ["a variable that is too long", { env: [{ name: "A", value: "x".repeat(128 * 1024) }] }, {}],
    ["arguments", { args: Array.from({ length: 50 }, () => "$(A)"), env: [{ name: "A", value: "x".repeat(1e5) }] }, {}],
  ])("N1: words and variables past the kernel's bound are not expanded and cannot be started: %s", (_, more, data) => {
    const sleepingContainer = container("busybox", { command: ["sleep", "1"], ...more });
    const run = runPod(
      podOf({ containers: [sleepingContainer] }),
      zeroDelays,
      { "configmap/c": Object.keys(data) },
      { data: () => data },
    );
    run.pass(0);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting).toMatchObject({
      reason: "RunContainerError",
      message: expect.stringContaining('exec: "sleep": argument list too long'),
    });
  });

  test("a trap handles SIGTERM between two commands", () => {
    const run = runPod(podOf({ containers: [sh("web", "trap 'exit 3' TERM; while :; do sleep 2; done")] }), zeroDelays);
    run.pass(11);
    run.remove();
    run.pass(2);
    expect(run.finished).toBe(true);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
  });

  test("an annotation of the author defines what a container does", () => {
    const annotations = { "run.sandbar.dev/web": "echo starting; sleep 20; echo failing >&2; exit 9" };
    const run = runPod(
      podOf({ restartPolicy: "Never", containers: [container("my/app")] }, { annotations }),
      zeroDelays,
    );
    run.pass(21);
    expect(run.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 9,
      finishedAt: "2026-01-01T00:00:20Z",
    });
    const served = { "run.sandbar.dev/web": "serve 9000 503" };
    const readinessProbe = { httpGet: { port: 9000, path: "/" } };
    const sick = runPod(
      podOf({ containers: [container("my/app", { readinessProbe })] }, { annotations: served }),
      zeroDelays,
    );
    sick.pass(1);
    expect(sick.events.at(-1)).toBe("+0 Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503");
    const hungry = { "run.sandbar.dev/web": "sleep 5; oom" };
    const oom = runPod(
      podOf({ restartPolicy: "Never", containers: [container("my/app")] }, { annotations: hungry }),
      zeroDelays,
    );
    oom.pass(6);
    expect(oom.pod.status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
    });
  });
});

describe("lifecycle hooks", () => {
  test("a postStart hook runs after the container starts, and probes see the files that it writes", () => {
    const lifecycle = {
      postStart: { exec: { command: ["/bin/sh", "-c", "echo Hello > /usr/share/message"] } },
      preStop: { exec: { command: ["/bin/sh", "-c", "nginx -s quit; while killall -0 nginx; do sleep 1; done"] } },
    };
    const readinessProbe = { exec: { command: ["cat", "/usr/share/message"] } };
    const run = runPod(podOf({ containers: [container("nginx", { lifecycle, readinessProbe })] }), zeroDelays);
    run.pass(1);
    expect(run.pod.status.containerStatuses?.[0]?.ready).toBe(true);
    run.remove();
    run.pass(1);
    expect(run.finished).toBe(true);
    expect(run.events.at(-1)).toBe("+1 Killing: Stopping container web");
  });

  test("a postStart hook that fails ends its container: FailedPostStartHook, PostStartHookError, another attempt", () => {
    const lifecycle = { postStart: { exec: { command: ["sh", "-c", "echo no; exit 4"] } } };
    const run = runPod(podOf({ containers: [container("nginx", { lifecycle })] }), zeroDelays);
    run.pass(5);
    expect(run.events.slice(3, 6)).toEqual([
      "+0 Started: Container started",
      "+0 FailedPostStartHook: PostStartHook failed",
      "+0 Killing: FailedPostStartHook",
    ]);
    expect(run.pod.status.containerStatuses?.[0]?.state.waiting?.reason).toBe("CrashLoopBackOff");
    const failing = runPod(podOf({ containers: [container("nginx", { lifecycle })] }), zeroDelays);
    failing.pass(0.5);
    expect(failing.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({
      reason: "PostStartHookError",
      message: `Exec lifecycle hook ([sh -c echo no; exit 4]) for Container "web" in Pod "web-1_default(0e8a35b0-1111-4222-8333-abcdefabcdef)" failed - error: command 'sh -c echo no; exit 4' exited with 4: no\n, message: "no\\n"`,
    });
  });

  test("a preStop hook that fails is reported, and the container is stopped anyway", () => {
    const lifecycle = { preStop: { exec: { command: ["sh", "-c", "exit 1"] } } };
    const run = runPod(podOf({ containers: [container("nginx", { lifecycle })] }), zeroDelays);
    run.pass(5);
    run.remove();
    run.pass(1);
    expect(run.events.slice(-2)).toEqual([
      "+5 Killing: Stopping container web",
      "+5 FailedPreStopHook: PreStopHook failed",
    ]);
    expect(run.finished).toBe(true);
    expect(run.nowMs).toBe(startMs + 6_000);
  });
});
