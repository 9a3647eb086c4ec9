// Software that an image may have and the simulator lacks: programs that a pod names are assumed to exist and to succeed.
import { describe, expect, test } from "vitest";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { zeroDelays } from "../../worker/machine/delays.ts";
import type { ClusterView } from "../../worker/containers/run/world.ts";
import { container, podOf, runPod } from "./pod-run.ts";

const image = "my-company/app:1";

function outcome(
  containerSpec: Partial<Container>,
  spec: Partial<Pod["spec"]> = {},
  view: Partial<ClusterView> = {},
  annotations = {},
) {
  const pod = podOf({ containers: [container(containerSpec.image ?? image, containerSpec)], ...spec }, { annotations });
  const run = runPod(pod, zeroDelays, {}, view);
  run.pass(120);
  const { phase, containerStatuses: [status] = [], initContainerStatuses: [init] = [] } = run.pod.status;
  return {
    state: status?.ready
      ? "ready"
      : (status?.state.waiting?.reason ??
        (status?.state.terminated ? `ended ${status.state.terminated.exitCode}` : phase)),
    init: init?.state.terminated?.exitCode,
    restarts: status?.restartCount,
    told: run.events.filter((event) => event.includes(" Simulated: ")),
  };
}

const text = "Not simulated, assumed to exist in the image and to succeed:";
const sh = (script: string) => ({ command: ["bash", "-ec", script] });

describe("an unknown image", () => {
  test.each<[string, Partial<Container>, string]>([
    ["a program that the simulator lacks", { command: ["vault", "server"] }, "vault"],
    ["a program in a language that is not simulated", { command: ["java", "-jar", "/app.jar"] }, "java"],
    ["a script of the image", { command: ["/opt/app/run.sh"] }, "/opt/app/run.sh"],
    ["a library of shell functions", sh('. /opt/app/lib.sh; set -u; start_app "$HOME_OF_LIB"'), "/opt/app/lib.sh"],
    ["a failure that follows", sh('[ -n "$(app-version)" ]; exit 7'), "app-version"],
    ["a Python program of the image", { command: ["python", "/app/main.py"] }, "/app/main.py, python"],
    ["a Python library", { command: ["python", "-c", "import nowhere.to_be_found"] }, "nowhere"],
    ["a Python module that is run", { command: ["python", "-m", "celery", "worker"] }, "celery"],
    ["a Node library", { command: ["node", "-e", "require('nowhere')"] }, "nowhere"],
    [
      "a file of the image",
      sh("cp /opt/app/default.yaml /tmp; grep x /opt/app/default.yaml; sleep 1000"),
      "/opt/app/default.yaml",
    ],
  ])("runs with an assumption about %s, and an event reports it", (_, containerSpec, what) => {
    const { state, restarts, told: eventLines } = outcome(containerSpec);
    expect({ state, restarts }).toEqual({ state: "ready", restarts: 0 });
    expect(eventLines).toEqual([`+0 Simulated: ${text} ${what}`]);
  });

  test("passes a probe with an unknown program, and a probe of an unknown server", () => {
    const probe = (...command: string[]) => ({ readinessProbe: { exec: { command }, periodSeconds: 5 } });
    expect(outcome({ command: ["sleep", "1000"], ...probe("rabbitmq-diagnostics", "ping") })).toMatchObject({
      state: "ready",
      told: [`+0.05 Simulated: ${text} rabbitmq-diagnostics`],
    });
    expect(outcome(probe("bash", "-c", "test \"$(mongosh --quiet --eval 'db.hello().ok')\" = 1")).state).toBe("ready");
  });

  test("answers probes at any port after a script that the simulator can run", () => {
    const readinessProbe = { httpGet: { port: 9000, path: "/ready" } };
    expect(outcome({ ...sh(". /opt/lib.sh; while true; do work; sleep 10; done"), readinessProbe }).state).toBe(
      "ready",
    );
  });

  test("ends an init container with 0 after a plausible time, whatever its script does", () => {
    const initContainers = [container(image, { name: "init", ...sh("init-db; exit 9") })];
    expect(outcome({ image: "nginx:1.27" }, { initContainers })).toMatchObject({ state: "ready", init: 0 });
  });

  test("ends a Python init container with 0 if the simulator lacks its module", () => {
    const initContainers = [container(image, { name: "init", command: ["python", "-m", "mlflow.server.auth", "db"] })];
    expect(outcome({ image: "nginx:1.27" }, { initContainers })).toMatchObject({ state: "ready", init: 0 });
  });

  test("has one event for each unknown program name over any number of syncs", () => {
    const { told: eventLines } = outcome({ ...sh("app-a; sleep 5; app-b; sleep 1000") });
    expect(eventLines).toEqual([`+0 Simulated: ${text} app-a`, `+6 Simulated: ${text} app-b`]);
  });

  test("listens on the container's ports with a well-known server program", () => {
    const containerSpec = { image: "bitnami/nginx:1.29", ports: [{ containerPort: 8080, name: "http" }] };
    const run = outcome({ ...containerSpec, readinessProbe: { httpGet: { port: "http" } } });
    expect(run).toMatchObject({ state: "ready", told: [`+0 Simulated: ${text} the image's own program`] });
  });
});

test("a container runs a program that an init container wrote into their volume", () => {
  const volumeMounts = [{ name: "tools", mountPath: "/tools" }];
  const volumes = [{ name: "tools", emptyDir: {} }];
  const write = `printf '#!/bin/sh\\nsleep 1000' > /tools/run.sh; chmod 555 /tools/run.sh`;
  const initContainers = [container("busybox:1.36", { name: "init", volumeMounts, command: ["sh", "-c", write] })];
  const spec = { image: "busybox:1.36", command: ["/tools/run.sh"], volumeMounts };
  expect(outcome(spec, { volumes, initContainers })).toMatchObject({ state: "ready", restarts: 0 });
  expect(outcome(spec, { volumes }).state).toBe("CrashLoopBackOff");
});

test.each([
  ["a privileged container", { privileged: true }, "ready"],
  ["a container with SYS_ADMIN", { capabilities: { add: ["SYS_ADMIN"] } }, "ready"],
  ["any other", {}, "CrashLoopBackOff"],
])("%s decides whether a container may mount file systems", (_, securityContext, state) => {
  const spec = { image: "busybox:1.36", ...sh("mount -t bpf bpf /sys/fs/bpf; sleep 1000"), securityContext };
  expect(outcome({ ...spec, command: ["sh", "-ec", spec.command[2] ?? ""] }).state).toBe(state);
});

test.each([
  ["httpd:2.4", "/usr/local/apache2/conf/httpd.conf"],
  ["wordpress:6.8-apache", "/etc/apache2/ports.conf"],
  ["registry.k8s.io/hpa-example", "/etc/apache2/ports.conf"],
])("%s listens on the ports of a mounted configuration", (name, mountPath) => {
  const write = `printf 'ServerName x\\nListen 0.0.0.0:8000\\n' > /etc/apache-volume/${mountPath.split("/").at(-1)}`;
  const volumes = [{ name: "apache", emptyDir: {} }];
  const init = [{ name: "apache", mountPath: "/etc/apache-volume" }];
  const initContainers = [
    container("busybox:1.36", { name: "init", volumeMounts: init, command: ["sh", "-c", write] }),
  ];
  const volumeMounts = [{ name: "apache", mountPath: mountPath.slice(0, mountPath.lastIndexOf("/")) }];
  const stateAt = (port: number) =>
    outcome(
      { image: name, volumeMounts, readinessProbe: { tcpSocket: { port }, periodSeconds: 5 } },
      { volumes, initContainers },
    ).state;
  expect([stateAt(8000), stateAt(80)]).toEqual(["ready", "Running"]);
});

test("a node has the folders of the kernel's settings for volumes", () => {
  const volumes = [{ name: "net", hostPath: { path: "/proc/sys/net", type: "Directory" as const } }];
  const containerSpec = { image: "nginx:1.27", volumeMounts: [{ name: "net", mountPath: "/host/net" }] };
  expect(outcome(containerSpec, { volumes }).state).toBe("ready");
});

describe("assumptions about unknown programs", () => {
  test.each<[string, Partial<Container>]>([
    [
      "a program that a known image does not have",
      { image: "busybox:1.36", command: ["sh", "-c", "vault status; exit 1"] },
    ],
    ["a script that fails of itself", { ...sh("echo no; exit 1") }],
    ["a file of a volume or of /tmp", { ...sh("cat /tmp/state") }],
  ])("are not made for %s", (_, containerSpec) => {
    expect(outcome(containerSpec)).toMatchObject({ state: "CrashLoopBackOff", told: [] });
  });

  test("are disabled by an annotation of the pod, or by the sandbox", () => {
    const containerSpec = { command: ["vault", "server"] };
    const annotation = "sandbar.dev/unknown";
    expect(outcome(containerSpec, {}, {}, { [annotation]: "fail" })).toMatchObject({
      state: "CrashLoopBackOff",
      told: [],
    });
    expect(outcome(containerSpec, {}, { unknown: "fail" })).toMatchObject({ state: "CrashLoopBackOff", told: [] });
    expect(outcome(containerSpec, {}, { unknown: "fail" }, { [annotation]: "succeed" })).toMatchObject({
      state: "ready",
    });
  });

  test("need no event if an unknown image runs its own program", () => {
    expect(outcome({})).toEqual({ state: "ready", init: undefined, restarts: 0, told: [] });
  });
});
