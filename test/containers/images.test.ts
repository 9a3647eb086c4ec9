// Simulated images: references, configurations and commands.
import { describe, expect, test } from "vitest";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { imageConfiguration } from "../../worker/containers/images/configurations.ts";
import { parseImage } from "../../worker/containers/images/reference.ts";
import { goDuration, parseGoDuration } from "../../worker/kubelet/duration.ts";
import { environmentOf } from "../../worker/containers/run/environment.ts";
import { runOf } from "../../worker/containers/run/run.ts";
import { emptyView } from "../../worker/containers/run/world.ts";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { container, containerOutput, podOf, runPod } from "../kubelet/pod-run.ts";

describe("image references", () => {
  test.each([
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["bitnami/redis", "docker.io/bitnami/redis:latest"],
    ["localhost/app:1", "localhost/app:1"],
    ["localhost:5000/app", "localhost:5000/app:latest"],
    ["registry.k8s.io/coredns/coredns:v1.14.2", "registry.k8s.io/coredns/coredns:v1.14.2"],
    ["index.docker.io/nginx", "docker.io/library/nginx:latest"],
    [`nginx@sha256:${"a".repeat(64)}`, `docker.io/library/nginx@sha256:${"a".repeat(64)}`],
    [`nginx:1@sha256:${"a".repeat(64)}`, `docker.io/library/nginx:1@sha256:${"a".repeat(64)}`],
  ])("%s is parsed as %s", (image, text) => {
    expect(parseImage(image)).toMatchObject({ text });
  });

  test.each([
    ["", "invalid reference format"],
    ["nginx:", "invalid reference format"],
    ["nginx:bad tag", "invalid reference format"],
    ["-nginx", "invalid reference format"],
    ["Nginx", "invalid reference format: repository name (library/Nginx) must be lowercase"],
    ["a".repeat(64), `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`],
  ])("%j is refused", (image, error) => {
    expect(parseImage(image)).toEqual({ error });
  });
});

describe("N24: the configuration of an image", () => {
  test.each([
    ["nginx", "", 0, ["80/tcp"], ["nginx", "-g", "daemon off;"]],
    ["nginx:1.29-alpine", "", 0, ["80/tcp"], ["nginx", "-g", "daemon off;"]],
    ["nginxinc/nginx-unprivileged", "101", 101, ["8080/tcp"], ["nginx", "-g", "daemon off;"]],
    ["bitnami/redis:7", "1001", 1001, ["6379/tcp"], ["/opt/bitnami/scripts/redis/run.sh"]],
    ["bitnamilegacy/kafka", "1001", 1001, [], []],
    ["prom/prometheus", "nobody", 65534, ["9090/tcp"], undefined],
    ["quay.io/keycloak/keycloak:26", "1000", 1000, ["8080/tcp", "8443/tcp", "9000/tcp"], []],
    ["docker.elastic.co/elasticsearch/elasticsearch:8.19.0", "1000:0", 1000, ["9200/tcp", "9300/tcp"], ["eswrapper"]],
    ["gcr.io/distroless/static:nonroot", "65532", 65532, [], []],
    ["registry.k8s.io/pause:3.10", "65535:65535", 65535, [], []],
  ])("%s has the configuration of the real image", (image, user, uid, exposedPorts, cmd) => {
    const reference = parseImage(image);
    const configuration = "error" in reference ? undefined : imageConfiguration(reference);
    expect(configuration).toMatchObject({ user, uid, exposedPorts, ...(cmd ? { cmd } : {}) });
  });

  test.each([
    ["redis", {}, "/data"],
    ["httpd", {}, "/usr/local/apache2"],
    ["nginx", {}, "/"],
    ["redis", { workingDir: "/made/for/it" }, "/made/for/it"],
  ])("programs of %s with %j start in the folder %s", (image, more, folder) => {
    const scriptContainer = container(image, { command: ["sh", "-c", "pwd; ls -d . && sleep 1d"], ...more });
    const run = runPod(podOf({ containers: [scriptContainer] }), zeroDelays);
    run.pass(5);
    const lines = containerOutput(run.pod, "web", emptyView, run.nowMs)?.lines.map(({ text }) => text);
    expect(lines).toEqual([folder, "."]);
  });

  test.each(["someone/nginx", "gcr.io/distroless/static", "localhost:5000/redis"])(
    "%s has no known configuration",
    (image) => {
      const reference = parseImage(image);
      expect("error" in reference ? reference : imageConfiguration(reference)).toBeUndefined();
    },
  );
});

describe("processes", () => {
  const forever = Number.POSITIVE_INFINITY;
  test.each([
    [[], 0, 0],
    [["sleep", "90"], 90_000, 0],
    [["sleep", "1m", "30s"], 90_000, 0],
    [["sleep", "infinity"], forever, 0],
    [["true"], 0, 0],
    [["false"], 0, 1],
    [["/bin/sh", "-c", "echo hi; exit 3"], 0, 3],
    [["sh", "-c", "sleep 5 && echo done"], 5_000, 0],
    [["sh", "-c", "false && sleep 5"], 0, 1],
    [["sh", "-c", "false || exit 7"], 0, 7],
    [["sh", "-c", "while true; do date; sleep 5; done"], forever, 0],
    [["sh", "-c", "for i in 1 2 3; do echo $i; sleep 2; done"], 6_000, 0],
    [["sh", "-c", "for i in $(seq 1 10); do sleep 1; done; exit 1"], 10_000, 1],
    [["sh", "-c", "if true; then sleep 3; else exit 1; fi"], 3_000, 0],
    [["sh", "-c", "if false; then exit 1; else sleep 3; fi"], 3_000, 0],
    [["sh", "-c", "echo 'a; exit 1' > /tmp/x # exit 2\nsleep 2"], 2_000, 0],
    [["sh", "-c", "(sleep 1; sleep 1) && { sleep 2; }; exit 4"], 4_000, 4],
    [["sh", "-c", "tail -f /dev/null"], forever, 0],
    [["timeout", "5", "sleep", "60"], 5_000, 143],
  ])("busybox %j runs %d ms and exits %d", (command, runsMs, exitCode) => {
    expect(outcome(container("busybox", command.length > 0 ? { command } : {}))).toMatchObject({ runsMs, exitCode });
  });

  test("a server runs until it is stopped and handles SIGTERM; a shell ignores it unless it traps it", () => {
    expect(outcome(container("nginx"))).toMatchObject({ runsMs: forever, heedsTerm: true });
    expect(outcome(container("example.com/my/app"))).toMatchObject({ runsMs: forever, heedsTerm: true });
    const args = ["-g", "daemon off;"];
    expect(outcome(container("nginx", { args }))).toMatchObject({ runsMs: forever, heedsTerm: true });
    expect(outcome(container("busybox", { command: ["sleep", "1000"] })).heedsTerm).toBe(false);
    const trap = ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 1; done"];
    expect(outcome(container("busybox", { command: trap })).traps).toBe(true);
  });

  test("a shell with a terminal waits for input; arguments of a shell image are a command", () => {
    expect(outcome(container("busybox", { stdin: true, tty: true })).runsMs).toBe(forever);
    expect(outcome(container("busybox", { args: ["sleep", "4"] })).runsMs).toBe(4_000);
  });

  test("a database without its password exits", () => {
    expect(outcome(container("mysql:8"))).toMatchObject({ exitCode: 1 });
    const env = [{ name: "MYSQL_ROOT_PASSWORD", value: "x" }];
    expect(outcome(container("mysql:8", { env })).runsMs).toBe(forever);
  });

  test("an unknown image serves in a pod that runs forever, and exits in a job and as an init container", () => {
    const unknown = container("example.com/my/worker");
    expect(outcome(unknown).runsMs).toBe(forever);
    expect(outcome(unknown, { restartPolicy: "Never" })).toMatchObject({ runsMs: 5_000, exitCode: 0 });
    expect(outcome(unknown, { initContainers: [unknown], containers: [] }).runsMs).toBe(5_000);
  });
});

function outcome(container: Container, spec: Partial<Pod["spec"]> = {}) {
  const pod = podOf({ containers: [container], ...spec });
  const untilMs = Number.POSITIVE_INFINITY;
  const { end, heedsTerm, traps } = runOf({ pod, container, view: emptyView, startMs: 0, untilMs });
  return { runsMs: end?.atMs ?? untilMs, exitCode: end?.exitCode ?? 0, heedsTerm, traps };
}

test.each([
  [0, "0s"],
  [312, "312ms"],
  [1200, "1.2s"],
  [20_000, "20s"],
  [300_000, "5m0s"],
  [3_661_500, "1h1m1.5s"],
])("%d ms is printed as %s, in Go's format", (ms, text) => {
  expect(goDuration(ms)).toBe(text);
  if (ms >= 1000) expect(parseGoDuration(text)).toBe(ms);
});

test.each([
  ["nginx:1.27", "NGINX_VERSION", "1.27.5"],
  ["redis:7.2.4", "REDIS_VERSION", "7.2.4"],
  ["postgres:16-alpine", "PG_MAJOR", "16"],
  ["company.example/nginx:1", "NGINX_VERSION", undefined],
])("programs of %s find %s", (image, name, expected) => {
  const plainContainer = { name: "c", image, resources: {} };
  expect(environmentOf(podOf({ containers: [plainContainer] }), plainContainer, emptyView)[name]).toBe(expected);
  const withVariable = { ...plainContainer, env: [{ name, value: "mine" }] };
  expect(environmentOf(podOf({ containers: [withVariable] }), withVariable, emptyView)[name]).toBe("mine");
});
