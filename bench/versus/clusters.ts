// The two compared clusters: this service as `npm start` runs it, and a real control plane with kwok's nodes.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/build.ts";
import { stagesFile } from "./build.ts";
import { startControlPlane } from "../../scripts/parity/control-plane.ts";

export interface Cluster {
  /** The path of a file. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const host = "127.0.0.1";
/** The first of the used ports. The default is after those of `npm start`. */
const firstPort = Number(process.env.SANDBAR_VERSUS_PORT ?? 18_500);
/** The number of nodes. Each of ours has room for 110 pods. */
const nodes = 15;
const startMs = 120_000;
const readyWord = "Sandbar ready";

/** This service, as `npm start` runs it. */
export interface OwnService {
  /** The origin over plain http. */
  readonly base: string;
  /** The headers of a request to the control API. */
  readonly headers: Readonly<Record<string, string>>;
  readonly data: string;
  /** The id of the process that `npm start` runs. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts this service, with kubelets without delays, as kwok has none. */
export async function startService(environment: NodeJS.ProcessEnv = {}): Promise<OwnService> {
  const data = mkdtempSync(join(tmpdir(), "versus-ours-"));
  const [httpPort, httpsPort] = [firstPort, firstPort + 1];
  const service = spawn(process.execPath, [join(root, "scripts/start.cjs")], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      SANDBAR_HTTP_PORT: String(httpPort),
      SANDBAR_HTTPS_PORT: String(httpsPort),
      SANDBAR_DATA: data,
      SANDBAR_KUBELET_DELAYS: "zero",
      ...environment,
    },
  });
  const stop = async () => {
    if (service.exitCode === null && service.kill("SIGTERM")) await once(service, "exit");
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await untilPrinted(service, readyWord);
  } catch (error) {
    await stop();
    throw error;
  }
  const key = readFileSync(join(data, "api-key"), "utf8").trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return { base: `http://${host}:${httpPort}`, headers, data, pid: service.pid ?? 0, stop };
}

/** Starts this service with one sandbox. */
export async function startOurs(): Promise<Cluster> {
  const { base, headers, data, stop } = await startService();
  const response = await fetch(`${base}/v1/sandboxes`, {
    method: "POST",
    headers: { ...headers, accept: "application/yaml" },
    body: JSON.stringify({ nodes }),
  });
  const text = await response.text();
  if (response.status === 201) return { kubeconfig: fileOf(data, text), stop };
  await stop();
  throw new Error(`a sandbox was answered ${response.status}: ${text}`);
}

/** Starts the real cluster. `folder` holds the programs. */
export async function startReal(folder: string): Promise<Cluster> {
  const port = firstPort + 10;
  const plane = await startControlPlane(folder, port);
  const kubeconfig = fileOf(plane.folder, realKubeconfig(port));
  const key = join(plane.folder, "accounts.key");
  const children: ChildProcess[] = [];
  const start = (program: string, flags: readonly string[]) =>
    children.push(spawn(join(folder, program), [`--kubeconfig=${kubeconfig}`, ...flags], { stdio: "ignore" }));
  const unlimited = ["--kube-api-qps=5000", "--kube-api-burst=10000", "--leader-elect=false"];
  start("kube-controller-manager", [
    ...unlimited,
    `--service-account-private-key-file=${key}`,
    "--use-service-account-credentials=false",
    `--secure-port=${port + 3}`,
  ]);
  start("kube-scheduler", [...unlimited, `--secure-port=${port + 4}`]);
  start("kwok", ["--manage-all-nodes=true", `--config=${join(folder, stagesFile)}`]);
  const stop = async () => {
    for (const child of children) if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    await plane.stop();
  };
  for (let at = 0; at < nodes; at++) {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(nodeOf(`node-${at}`));
    await plane.send({ name: "node", method: "POST", path: "/api/v1/nodes", headers, token: "admin-token", body });
  }
  return { kubeconfig, stop };
}

function nodeOf(name: string) {
  const room = { cpu: "1k", memory: "1Ti", pods: "5k" };
  return { metadata: { name }, status: { allocatable: room, capacity: room } };
}

function realKubeconfig(port: number): string {
  const cluster = { server: `https://${host}:${port}`, "insecure-skip-tls-verify": true };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real", cluster }],
    users: [{ name: "admin", user: { token: "admin-token" } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "admin" } }],
    "current-context": "real",
  });
}

function fileOf(folder: string, text: string): string {
  const path = join(folder, "versus-kubeconfig");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Resolves once a process has printed a word. */
async function untilPrinted(child: ChildProcess, word: string): Promise<void> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const endMs = Date.now() + startMs;
  while (!text.includes(word)) {
    if (child.exitCode !== null || Date.now() > endMs) throw new Error(`it never said ${word}`);
    await sleep(100);
  }
}
