// Plays a scene with the real kubectl or the console's in its own sandbox, and returns the output of each step.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { systemClock } from "../../../shared/base/clock.ts";
import { systemRandom } from "../../../shared/base/random.ts";
import { memoryFiles } from "../../../web/kubectl/files.ts";
import { type Kubectl, newKubectl } from "../../../web/kubectl/kubectl.ts";
import type { TestSandbox } from "../sandbox.ts";
import { normal, since136 } from "./normal.ts";

export interface Step {
  readonly line: string;
  readonly input?: string;
  /** Repeats the command until standard output matches this. */
  readonly until?: RegExp;
  /** Rewrites the output of the real kubectl to what version 1.36 writes. */
  readonly since136?: (text: string) => string;
  /** Rewrites standard output and standard error before they are compared, after the common normalization. */
  readonly as?: (text: string) => string;
}

export interface Scene {
  readonly name: string;
  /** Files beside which the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Command lines that run before the steps and must succeed. */
  readonly setup?: readonly string[];
  readonly steps: readonly (string | Step)[];
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The cluster of a scene, as far as its commands and its players need it. */
export interface SceneCluster {
  readonly id: string;
  readonly name: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Waits before a command is repeated. */
  pause(ms: number): Promise<void>;
}

/** Runs one command line. `$NS` in the line and in the input is replaced already. */
export type Runner = (line: string, input: string) => Promise<Outcome>;

const lineMs = 150_000;

export function slugOf({ name }: Scene): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
}

export function stepsOf({ steps }: Scene): Step[] {
  return steps.map((step) => (typeof step === "string" ? { line: step } : step));
}

/** Milliseconds that a process of the real kubectl takes to start: controllers have acted on one line when the next is sent. */
const processMs = 150;

/** Plays a scene with the page's kubectl. Returns the normalized outcome of each step. */
export async function playOurs(scene: Scene, sandbox: TestSandbox): Promise<Outcome[]> {
  const files = Object.entries(scene.files ?? {}).map(([name, text]) => [`/home/${name}`, text] as const);
  const namespace = `l-${slugOf(scene)}`;
  const kubectl = kubectlOfPage(sandbox, namespace, Object.fromEntries(files));
  const outcomes = await play(scene, clusterOf(sandbox), async (line, input) => {
    const outcome = await runOurs(line, input, kubectl);
    // Revisions are what controllers make of each line; other scenes are recorded without their having acted.
    if (scene.name === "rollouts") await new Promise((done) => void setTimeout(done, processMs));
    return outcome;
  });
  return outcomes.map((outcome) => normalOutcome(outcome, sandbox, namespace));
}

/** Plays a scene with the real kubectl. Returns the outcome of each step as version 1.36 writes it, normalized. */
export async function playReal(scene: Scene, sandbox: TestSandbox, path: string): Promise<Outcome[]> {
  const folder = mkdtempSync(join(sandbox.service.data, "scene-"));
  for (const [name, text] of Object.entries(scene.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const namespace = `l-${slugOf(scene)}`;
  const config = configFor(sandbox, folder, namespace);
  const outcomes = await play(scene, clusterOf(sandbox), (line, input) =>
    runReal(line, input, { path, folder, config }),
  );
  const steps = stepsOf(scene);
  return outcomes.map(({ code, stdout, stderr }, at) => {
    const newest = (text: string) => {
      const common = since136(text);
      return steps[at]?.since136?.(common) ?? common;
    };
    return normalOutcome({ code, stdout: newest(stdout), stderr: newest(stderr) }, sandbox, namespace);
  });
}

function clusterOf(sandbox: TestSandbox): SceneCluster {
  return { ...sandbox, pause: (ms) => new Promise((done) => void setTimeout(done, ms)) };
}

export async function play(scene: Scene, cluster: SceneCluster, run: Runner): Promise<Outcome[]> {
  const namespace = `l-${slugOf(scene)}`;
  await makeNamespace(cluster, namespace);
  for (const line of scene.setup ?? []) {
    const { code, stderr } = await run(line, "");
    if (code !== 0) throw new Error(`setup of ${scene.name}: ${line}\n${stderr}`);
  }
  const outcomes: Outcome[] = [];
  for (const { line, input = "", until } of stepsOf(scene)) {
    const once = () => run(line.replaceAll("$NS", namespace), input.replaceAll("$NS", namespace));
    let outcome = await once();
    const deadlineMs = Date.now() + lineMs;
    while (until && !until.test(outcome.stdout) && Date.now() < deadlineMs) {
      await cluster.pause(500);
      outcome = await once();
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Removes the text before the list of subcommands, which is this project's own. */
export function fromCommands(text: string): string {
  return (
    text
      .slice(Math.max(0, text.indexOf("Available Commands:")))
      .split("\nUse ")[0]
      ?.trimEnd() ?? ""
  );
}

/** Sorts lines of output without a fixed order. */
export function sortedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, "  ").trimEnd())
    .sort()
    .join("\n");
}

export function reads(...lines: readonly string[]): Step[] {
  return lines.map((line) => ({ line }));
}

async function makeNamespace(cluster: SceneCluster, name: string): Promise<void> {
  const answer = await cluster.fetch("/api/v1/namespaces", {
    method: "POST",
    body: JSON.stringify({ metadata: { name } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  for (let tries = 0; tries < 100; tries++) {
    const account = await cluster.fetch(`/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`);
    if (account.ok) return;
    await cluster.pause(50);
  }
}

function configFor(sandbox: TestSandbox, folder: string, namespace: string): string {
  const path = join(folder, `.${namespace}.kubeconfig`);
  const config = parse(readFileSync(sandbox.kubeconfig, "utf8")) as { contexts: { context: { namespace?: string } }[] };
  for (const { context } of config.contexts) context.namespace = namespace;
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

function kubectlOfPage(sandbox: TestSandbox, namespace: string, files: Readonly<Record<string, string>>): Kubectl {
  const config = parse(readFileSync(sandbox.kubeconfig, "utf8")) as {
    "current-context": string;
    clusters: { name: string; cluster: { server: string } }[];
    users: { name: string }[];
  };
  return newKubectl({
    fetch: (path, init) => patientFetch(sandbox, path, init),
    socket: (path, protocols) => {
      const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(sandbox.token).toString("base64url")}`;
      const socket = new WebSocket(`${sandbox.http.replace(/^http/, "ws")}${path}`, [...protocols, bearer]);
      // What it has more than is used here.
      return socket;
    },
    context: {
      name: config["current-context"],
      cluster: config.clusters[0]?.name ?? "",
      user: config.users[0]?.name ?? "",
      server: config.clusters[0]?.cluster.server ?? "",
      namespace,
    },
    files: memoryFiles(files, "/home"),
    clock: systemClock,
    random: systemRandom,
    wait: (ms, signal) =>
      new Promise((done) => {
        const timer = setTimeout(done, ms);
        signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
      }),
  });
}

/** Sends a request again if the server is too busy, as client-go does. */
async function patientFetch(sandbox: TestSandbox, path: string, init?: RequestInit): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await sandbox.fetch(path, init);
    const isBusy = answer.status === 429 && answer.headers.has("retry-after");
    if (!isBusy || tries === 10) return answer;
    await new Promise((done) => void setTimeout(done, Number(answer.headers.get("retry-after")) * 1000));
  }
}

export async function runOurs(line: string, input: string, kubectl: Kubectl): Promise<Outcome> {
  const text = { stdout: "", stderr: "" };
  const signal = AbortSignal.timeout(lineMs);
  const code = await kubectl.run(split(line), {
    out: (chunk) => void (text.stdout += chunk),
    err: (chunk) => void (text.stderr += chunk),
    input: () => Promise.resolve(input),
    signal,
  });
  return { code: signal.aborted ? null : code, ...text };
}

interface Real {
  readonly path: string;
  readonly folder: string;
  readonly config: string;
}

function runReal(line: string, input: string, { path, folder, config }: Real): Promise<Outcome> {
  const home = join(folder, ".home");
  mkdirSync(home, { recursive: true });
  return new Promise((done, failed) => {
    const child = spawn(path, split(line), {
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"],
      argv0: "kubectl",
      env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: config },
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => void (text.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => void (text.stderr += chunk.toString()));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const timer = setTimeout(() => child.kill("SIGKILL"), lineMs);
    child.once("error", failed);
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code, ...text });
    });
  });
}

export function normalOutcome(
  { code, stdout, stderr }: Outcome,
  { id, name }: Pick<SceneCluster, "id" | "name">,
  namespace: string,
): Outcome {
  const change = (text: string) =>
    normal(text.replaceAll(namespace, "NS").replaceAll(id, "SANDBOX").replaceAll(name, "SANDBOX"));
  return { code, stdout: change(stdout), stderr: change(stderr) };
}

/** As a shell splits: quotes hold words together. */
function split(line: string): string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  );
}
