// Mistakes that fail on a real cluster fail here as well, despite assumptions about unknown images.
import { expect, test } from "vitest";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { parseImage } from "../../worker/containers/images/reference.ts";
import { pullProblem } from "../../worker/containers/images/registry.ts";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { container, podOf, runPod } from "./pod-run.ts";

/** Returns the reason that a pull fails for, in short. */
function pulled(image: string): string {
  const reference = parseImage(image);
  if ("error" in reference) return "invalid name";
  const problem = pullProblem(reference, () => false);
  if (problem === undefined) return "there";
  return problem.includes("pull access denied") ? "denied" : problem.endsWith(": not found") ? "no tag" : problem;
}

test.each([
  ["ngnix", "denied"],
  ["nginxx:1.27", "denied"],
  ["busybocks", "denied"],
  ["rediss", "denied"],
  ["postgress:17", "denied"],
  ["pyton:3.12", "denied"],
  ["noed:22", "denied"],
  ["my-app", "denied"],
  ["bitnami/ngnix", "denied"],
  ["bitnmai/redis", "denied"],
  ["grafan/grafana", "denied"],
  ["grafana/grafanna", "denied"],
  ["prom/promtheus", "denied"],
  ["stefanprodan/podinof", "denied"],
  ["doesnotexist/app", "denied"],
  ["a/b/c", "denied"],
  ["Nginx", "invalid name"],
  ["nginx:1:2", "invalid name"],
  ["nginx:", "invalid name"],
  ["nginx:latst", "no tag"],
  ["nginx:1.161", "no tag"],
  ["nginx:3", "no tag"],
  ["nginx:1.27-alpin", "no tag"],
  ["redis:7.99", "no tag"],
  ["python:3.99", "no tag"],
  ["postgres:lates", "no tag"],
  ["grafana/grafana:lastest", "no tag"],
  ["quay.io/someone/app:latst", "no tag"],
  ["my-company/app:404", "no tag"],
])("the image %s fails: %s", (image, expected) => {
  expect(pulled(image)).toBe(expected);
});

test.each(["my-company/app:1", "valkey/valkey:9", "mychart/worker", "ghcr.io/a/b:v1", "registry.example.com/shop:1"])(
  "the image %s of an unknown organisation exists",
  (image) => {
    expect(pulled(image)).toBe("there");
  },
);

/** Returns the state of a container after two minutes. */
function stateOf(containerSpec: Partial<Container> & { image: string }, spec: Partial<Pod["spec"]> = {}): string {
  const run = runPod(podOf({ containers: [container(containerSpec.image, containerSpec)], ...spec }), zeroDelays);
  run.pass(120);
  const { initContainerStatuses: [init] = [], containerStatuses: [main] = [] } = run.pod.status;
  const status = init && init.state.terminated?.exitCode !== 0 ? init : main;
  const { waiting, running, terminated } = status?.state ?? {};
  const ended = terminated ?? status?.lastState.terminated;
  if (waiting) return `${waiting.reason ?? ""} ${ended?.exitCode ?? ""}`.trim();
  if (ended) return `ended ${ended.exitCode}`;
  return running ? (status?.ready ? "ready" : "not ready") : "unknown";
}

const sh = (image: string, script: string, more: Partial<Container> = {}) => ({
  image,
  command: ["sh", "-c", script],
  ...more,
});
const dataVariable = { name: "PATH_TO_DATA", value: "/data" };

test.each<[string, Partial<Container> & { image: string }, string, Partial<Pod["spec"]>?]>([
  ["a typo in a command", { image: "nginx:1.27", command: ["ngnix"] }, "CrashLoopBackOff 128"],
  [
    "a typo in a shell's name",
    { image: "busybox:1.36", command: ["/bin/bsh", "-c", "sleep 1"] },
    "CrashLoopBackOff 128",
  ],
  ["a shell that the image does not have", { image: "alpine:3.20", command: ["bash"] }, "CrashLoopBackOff 128"],
  ["curl in busybox", { image: "busybox:1.36", command: ["curl", "example.com"] }, "CrashLoopBackOff 128"],
  ["a shell in an image without one", { image: "hashicorp/http-echo", command: ["sh"] }, "CrashLoopBackOff 128"],
  ["a typo in a script", sh("busybox:1.36", "ecoh hello"), "CrashLoopBackOff 127"],
  ["curl in a script", sh("busybox:1.36", "curl -f http://example.com"), "CrashLoopBackOff 127"],
  ["ps in debian", sh("debian:12", "ps aux"), "CrashLoopBackOff 127"],
  ["a script that exits with 3", sh("busybox:1.36", "echo no; exit 3"), "CrashLoopBackOff 3"],
  ["a script with a syntax error", sh("busybox:1.36", "if true; then"), "CrashLoopBackOff 2"],
  ["a script that ends", sh("busybox:1.36", "echo done"), "CrashLoopBackOff 0"],
  ["a missing file", sh("busybox:1.36", "cat /etc/app.conf"), "CrashLoopBackOff 1"],
  ["a file that is not sourced", sh("busybox:1.36", ". /opt/lib.sh"), "CrashLoopBackOff 2"],
  ["a variable that is not set", sh("busybox:1.36", "set -u; echo $MISSING"), "CrashLoopBackOff 2"],
  ["a failure under set -e", sh("alpine:3.20", "set -e; ls /missing; sleep 1000"), "CrashLoopBackOff 1"],
  [
    "a read-only root",
    sh("busybox:1.36", "echo x > /x && sleep 1000", { securityContext: { readOnlyRootFilesystem: true } }),
    "CrashLoopBackOff 1",
  ],
  ["a name that does not resolve", sh("busybox:1.36", "wget -q -O- http://no-such-service"), "CrashLoopBackOff 1"],
  ["a missing command in an unknown image's script", sh("my-company/app:1", "echo no; exit 3"), "CrashLoopBackOff 3"],
  ["a syntax error in an unknown image", sh("my-company/app:1", "if true; then"), "CrashLoopBackOff 2"],
  ["a missing Python program", { image: "python:3.12", command: ["python", "/app.py"] }, "CrashLoopBackOff 2"],
  [
    "a module that is not installed",
    { image: "python:3.12", command: ["python", "-c", "import flask"] },
    "CrashLoopBackOff 1",
  ],
  ["an exception", { image: "python:3.12", command: ["python", "-c", "raise SystemExit(4)"] }, "CrashLoopBackOff 4"],
  ["a typo in an interpreter's name", { image: "python:3.12", command: ["pyhton", "-c", "1"] }, "CrashLoopBackOff 128"],
  ["a missing Node.js program", { image: "node:22", command: ["node", "server.js"] }, "CrashLoopBackOff 1"],
  [
    "a Node program that throws",
    { image: "node:22", command: ["node", "-e", "throw new Error('x')"] },
    "CrashLoopBackOff 1",
  ],
  [
    "an exception in an unknown image",
    { image: "my-company/app:1", command: ["python", "-c", "1 / 0"] },
    "CrashLoopBackOff 1",
  ],
  ["PostgreSQL without a password", { image: "postgres:17" }, "CrashLoopBackOff 1"],
  [
    "PostgreSQL with a variable misspelled",
    { image: "postgres:17", env: [{ name: "POSTGRES_PASWORD", value: "x" }] },
    "CrashLoopBackOff 1",
  ],
  ["MySQL without a password", { image: "mysql:9" }, "CrashLoopBackOff 1"],
  ["MariaDB without a password", { image: "mariadb:11" }, "CrashLoopBackOff 1"],
  ["Redis with a missing file", { image: "redis:7", args: ["redis-server", "/etc/redis.conf"] }, "CrashLoopBackOff 1"],
  ["a typo in Redis' name", { image: "redis:7", args: ["redis-sever"] }, "CrashLoopBackOff 128"],
  [
    "nginx with a folder in place of its configuration",
    sh("nginx:1.27", "echo 'server {' > /etc/nginx/conf.d/x.conf; nginx -t"),
    "CrashLoopBackOff 1",
  ],
  [
    "more memory than the limit",
    {
      image: "polinux/stress",
      command: ["stress", "--vm", "1", "--vm-bytes", "250M"],
      resources: { limits: { memory: "100Mi" } },
    },
    "CrashLoopBackOff 137",
  ],
  ["a probe of the wrong port", { image: "nginx:1.27", readinessProbe: { httpGet: { port: 8080 } } }, "not ready"],
  [
    "a probe of a missing page",
    { image: "nginx:1.27", readinessProbe: { httpGet: { port: 80, path: "/healthz" } } },
    "not ready",
  ],
  ["a probe of a closed port", { image: "redis:7", readinessProbe: { tcpSocket: { port: 6380 } } }, "not ready"],
  [
    "a probe of a missing file",
    sh("busybox:1.36", "sleep 1000", { readinessProbe: { exec: { command: ["cat", "/tmp/ready"] } } }),
    "not ready",
  ],
  [
    "a probe with a program that the image has not",
    { image: "nginx:1.27", readinessProbe: { exec: { command: ["wget", "-q", "localhost"] } } },
    "not ready",
  ],
  [
    "a liveness probe that fails",
    { image: "nginx:1.27", livenessProbe: { httpGet: { port: 81 }, periodSeconds: 5 } },
    "ended 0",
  ],
  [
    "a missing key of a Secret",
    { image: "nginx:1.27", env: [{ name: "X", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
    "CreateContainerConfigError",
  ],
  [
    "a missing ConfigMap",
    { image: "nginx:1.27", envFrom: [{ configMapRef: { name: "c" } }] },
    "CreateContainerConfigError",
  ],
  [
    "root where it is forbidden",
    { image: "nginx:1.27", securityContext: { runAsNonRoot: true } },
    "CreateContainerConfigError",
  ],
  [
    "an init container that fails",
    { image: "nginx:1.27" },
    "CrashLoopBackOff 1",
    { initContainers: [container("busybox:1.36", { name: "init", command: ["sh", "-c", "exit 1"] })] },
  ],
  [
    "an init container of an unknown image",
    { image: "nginx:1.27" },
    "CrashLoopBackOff 5",
    { initContainers: [container("my-company/app:1", { name: "init", command: ["sh", "-c", "exit 5"] })] },
  ],
  [
    "a variable that is not expanded",
    { image: "busybox:1.36", command: ["cat", "$PATH_TO_DATA/x"], env: [dataVariable] },
    "CrashLoopBackOff 1",
  ],
])("%s", (_, containerSpec, expected, spec) => {
  expect(stateOf(containerSpec, spec)).toBe(expected);
});
