// `npm run nodes -- <folder>`: joins upstream's kubelet to a sandbox of a service that runs, and tries what its pods need. The kubelet runs
// processes in place of containers, so that it needs no container runtime of the machine. Needs Go, kubectl and root; no part of `npm test`.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../build.ts";
import { buildClient } from "../client/build.ts";
import { readWords } from "../command-words.ts";
import { buildNode } from "./build.ts";

const usage = "Usage: npm run nodes -- [<folder of the programs and the node>]";
const { positionals } = readWords(usage, { allowPositionals: true });
const folder = resolve(positionals[0] ?? join(root, ".sandbar/nodes"));
/** A running service, as `npm start` starts it. */
const service = process.env.SANDBAR_SERVER ?? "http://localhost:8787";
const data = process.env.SANDBAR_DATA ?? join(root, ".sandbar");
const port = process.env.SANDBAR_KUBELET_PORT ?? "10250";
const kubeconfig = join(folder, "kubeconfig");
const sandbar = join(root, "dist/client/sandbar.js");
const waitSeconds = 90;
const children: ChildProcess[] = [];

/** The settings that a machine without cgroups of its own needs. */
const dropIn = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
localStorageCapacityIsolation: false
healthzPort: 0
podLogsDir: ${folder}/logs
volumePluginDir: ${folder}/plugins
`;

/** The manifests of a pod for the machine, which prints a line each second, and of one for a simulated node. */
const pods = `
apiVersion: v1
kind: Pod
metadata: { name: real }
spec:
  nodeSelector: { real: "true" }
  tolerations: [{ key: real, operator: Exists }]
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox:1.36
    command: [sh, -c, "n=0; while true; do n=$((n+1)); echo line $n; sleep 1; done"]
---
apiVersion: v1
kind: Pod
metadata: { name: simulated }
spec:
  containers: [{ name: main, image: nginx }]
`;

mkdirSync(folder, { recursive: true });
try {
  if (!existsSync(join(folder, "kubelet"))) buildNode(folder);
  await buildClient(root);
  const checks = await tryNode();
  for (const [name, problem] of checks)
    console.log(`${problem === undefined ? "ok  " : "FAIL"} ${name}${problem ?? ""}`);
  process.exitCode = checks.every(([, problem]) => problem === undefined) ? 0 : 1;
} finally {
  for (const child of children) child.kill("SIGTERM");
}

type Check = readonly [name: string, problem: string | undefined];

async function tryNode(): Promise<Check[]> {
  const sandbox = await newSandbox();
  start("runtime", join(folder, "runtime"), [join(folder, "runtime.sock")]);
  mkdirSync(join(folder, "config.d"), { recursive: true });
  writeFileSync(join(folder, "config.d/10-processes.conf"), dropIn);
  const node = join(folder, "node");
  rmSync(node, { recursive: true, force: true });
  const taint = ["--taint", "real=true:NoSchedule", "--label", "real=true", "--serving-certificate"];
  const kubelet = ["--", `--config-dir=${folder}/config.d`, `--root-dir=${folder}/root`];
  const where = ["--run", "--kubelet", join(folder, "kubelet"), "--folder", node, "--port", port];
  const runtime = ["--runtime", `unix://${folder}/runtime.sock`];
  const joined = start("node", process.execPath, [
    ...[sandbar, "node", "join", sandbox, "--name", "machine", "--server", service],
    ...[...where, ...runtime, ...taint, ...kubelet],
  ]);
  const checks: Check[] = [];
  const check = async (name: string, body: () => Promise<void> | void) => {
    try {
      await body();
      checks.push([name, undefined]);
    } catch (error) {
      checks.push([name, `: ${error instanceof Error ? error.message : String(error)}`]);
    }
  };
  await check("the kubelet's request for a certificate is approved and signed", () =>
    until(() =>
      equals(kubectl("get", "csr", "-o", jsonpath("{.items[*].status.conditions[0].reason}")), "AutoApproved"),
    ),
  );
  await check("the node is Ready", () =>
    until(() => void kubectl("wait", "--for=condition=Ready", "node/machine", "--timeout=10s")),
  );
  await check("its serving certificate is signed after kubectl approves it", () =>
    until(() => {
      const pending = kubectl(
        "get",
        "csr",
        "--field-selector=spec.signerName=kubernetes.io/kubelet-serving",
        "-o",
        "name",
      );
      kubectl("certificate", "approve", ...pending.split("\n").filter(Boolean));
      const issued = kubectl("get", "csr", "-o", jsonpath("{.items[*].status.certificate}")).split(" ");
      if (issued.length < 2) throw new Error("it is not issued");
    }),
  );
  kubectlWith(pods, "apply", "-f", "-");
  await check(
    "pods run on both kinds of nodes",
    () => void kubectl("wait", "--for=condition=Ready", "pod/real", "pod/simulated", `--timeout=${waitSeconds}s`),
  );
  await check("the pod is on the machine, the other one on a simulated node", () =>
    equals(kubectl("get", "pods", "real", "simulated", "-o", jsonpath("{.items[*].spec.nodeName}")), "machine node-1"),
  );
  await check("logs", () => until(() => contains(kubectl("logs", "real"), "line 1\n")));
  await check("logs --previous of a container without one is the kubelet's error", () =>
    fails(() => kubectl("logs", "real", "--previous"), "not found"),
  );
  await check("logs --follow", async () => contains(await during(["logs", "-f", "--tail=1", "real"], 4000), "line"));
  await check("exec", () => equals(kubectl("exec", "real", "--", "echo", "hello"), "hello\n"));
  await check("exec passes on input and its end", () =>
    equals(kubectlWith("typed", "exec", "-i", "real", "--", "cat"), "typed"),
  );
  await check("exec carries 8 MiB each way", () => {
    const long = "x".repeat(8 * 1024 * 1024);
    equals(String(kubectlWith(long, "exec", "-i", "real", "--", "cat").length), String(long.length));
  });
  await check("exec reports the exit code", () =>
    fails(() => kubectl("exec", "real", "--", "sh", "-c", "exit 3"), "exit code 3"),
  );
  await check("attach", async () => contains(await during(["attach", "real"], 4000), "line"));
  await check("port-forward", portForward);
  await check("the kubelet's own API by the proxy", () => {
    contains(
      kubectl("get", "--raw", "/api/v1/nodes/machine/proxy/stats/summary?only_cpu_and_memory=true"),
      '"nodeName": "machine"',
    );
    contains(kubectl("get", "--raw", "/api/v1/nodes/machine/proxy/metrics"), "kubelet_running_pods");
    equals(kubectl("get", "--raw", "/api/v1/nodes/machine/proxy/healthz"), "ok");
  });
  await check("top node", () => until(() => contains(kubectl("top", "node", "machine"), "machine")));
  await check("top pod", () => until(() => contains(kubectl("top", "pod", "real", "--containers"), "real")));
  await check("deletion of the pod", () => void kubectl("delete", "pod", "real", "--timeout=60s"));
  joined.kill("SIGTERM");
  await wait(3000);
  await check("without the tunnel the kubelet cannot be reached", () =>
    fails(() => kubectl("get", "--raw", "/api/v1/nodes/machine/proxy/healthz"), "no route to host"),
  );
  return checks;
}

/** Forwards a port of the pod to this script's own service, which answers on it. */
async function portForward(): Promise<void> {
  const target = new URL(service).port;
  const child = start("port-forward", "kubectl", [
    "--kubeconfig",
    kubeconfig,
    "port-forward",
    "real",
    `19299:${target}`,
  ]);
  try {
    await until(async () => contains(String((await fetch("http://127.0.0.1:19299/healthz")).status), "200"));
  } finally {
    child.kill("SIGTERM");
  }
}

function start(name: string, program: string, words: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), "w");
  const env = { ...process.env, SANDBAR_API_KEY: readFileSync(join(data, "api-key"), "utf8").trim() };
  const child = spawn(program, words, { stdio: ["ignore", log, log], env });
  children.push(child);
  return child;
}

/** Creates a sandbox with one simulated node, and writes its kubeconfig. */
async function newSandbox(): Promise<string> {
  const key = readFileSync(join(data, "api-key"), "utf8").trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ nodes: 1, ttlSeconds: 3600, kubeletSpeed: "zero" });
  const created = await fetch(`${service}/v1/sandboxes`, { method: "POST", headers, body });
  if (created.status !== 201) throw new Error(`no sandbox: ${created.status} ${await created.text()}`);
  const { id } = (await created.json()) as { id: string };
  const config = await fetch(`${service}/v1/sandboxes/${id}/kubeconfig`, { headers });
  writeFileSync(kubeconfig, await config.text(), { mode: 0o600 });
  return id;
}

function kubectl(...words: readonly string[]): string {
  return kubectlWith("", ...words);
}

function kubectlWith(input: string, ...words: readonly string[]): string {
  const options = { encoding: "utf8", input, stdio: "pipe", maxBuffer: 64 * 1024 * 1024, timeout: 120_000 } as const;
  return execFileSync("kubectl", ["--kubeconfig", kubeconfig, ...words], options);
}

/** Returns what a command prints within a time. */
async function during(words: readonly string[], ms: number): Promise<string> {
  const child = spawn("kubectl", ["--kubeconfig", kubeconfig, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => void (text += bytes.toString()));
  await wait(ms);
  child.kill("SIGTERM");
  return text;
}

async function until(body: () => Promise<void> | void): Promise<void> {
  for (let second = 0; ; second++) {
    try {
      return await body();
    } catch (error) {
      if (second >= waitSeconds) throw error;
      await wait(1000);
    }
  }
}

function jsonpath(path: string): string {
  return `jsonpath=${path}`;
}

function equals(text: string, expected: string): void {
  if (text !== expected) throw new Error(`${JSON.stringify(text.slice(0, 500))}, not ${JSON.stringify(expected)}`);
}

function contains(text: string, expected: string): void {
  if (!text.includes(expected))
    throw new Error(`no ${JSON.stringify(expected)} in ${JSON.stringify(text.slice(0, 500))}`);
}

function fails(body: () => void, expected: string): void {
  try {
    body();
  } catch (error) {
    return contains(String(error), expected);
  }
  throw new Error("it succeeded");
}
