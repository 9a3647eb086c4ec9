// The same command lines run by the real kubectl and by the one of the page, each in a namespace of its own, and their outputs compared.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { systemClock } from "../../../shared/base/clock.ts";
import { systemRandom } from "../../../shared/base/random.ts";
import { memoryFiles } from "../../../web/kubectl/files.ts";
import { type Kubectl, newKubectl } from "../../../web/kubectl/kubectl.ts";
import type { TestSandbox } from "../sandbox.ts";

export interface Step {
  readonly line: string;
  readonly input?: string;
  /** Both read the first namespace, so that names, addresses and widths are the same. */
  readonly isShared?: boolean;
  /** What this version of the real one writes that 1.36 does not; applied to its output. */
  readonly since136?: (text: string) => string;
  /** What standard output and error are compared as, after the common normalising. */
  readonly as?: (text: string) => string;
}

export interface Scene {
  readonly name: string;
  /** Files beside which the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Lines that the real one runs in both namespaces first. */
  readonly setup?: readonly string[];
  readonly steps: readonly (string | Step)[];
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Difference {
  readonly scene: string;
  readonly line: string;
  readonly real: Outcome;
  readonly ours: Outcome;
}

export interface Stage {
  readonly sandbox: TestSandbox;
  readonly kubectlPath: string;
}

const lineMs = 60_000;

/** Plays a scene; gives what differs. */
export async function play(scene: Scene, { sandbox, kubectlPath }: Stage): Promise<Difference[]> {
  const slug = scene.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  const [left, right] = [`l-${slug}`, `r-${slug}`];
  for (const name of [left, right]) await makeNamespace(sandbox, name);
  const folder = mkdtempSync(join(sandbox.service.data, "scene-"));
  for (const [name, text] of Object.entries(scene.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const real = (line: string, namespace: string, input = "") =>
    runReal(line, input, { path: kubectlPath, folder, config: configFor(sandbox, folder, namespace) });
  const files = Object.fromEntries(Object.entries(scene.files ?? {}).map(([name, text]) => [`/home/${name}`, text]));
  const ours = (namespace: string) => kubectlOfPage(sandbox, namespace, files);
  const own = { [left]: ours(left), [right]: ours(right) };
  for (const line of scene.setup ?? []) {
    for (const name of [left, right]) {
      const { code, stderr } = await real(line, name);
      if (code !== 0) throw new Error(`setup of ${scene.name}: ${line}\n${stderr}`);
    }
  }
  const found: Difference[] = [];
  for (const one of scene.steps) {
    const step: Step = typeof one === "string" ? { line: one } : one;
    const place = step.isShared ? left : right;
    const theirs = await real(step.line.replaceAll("$NS", left), left, step.input?.replaceAll("$NS", left));
    const mine = await runOurs(
      step.line.replaceAll("$NS", place),
      (step.input ?? "").replaceAll("$NS", place),
      own[place] ?? ours(place),
    );
    const a = normalOutcome(theirs, step, left, true);
    const b = normalOutcome(mine, step, place, false);
    if (JSON.stringify(a) !== JSON.stringify(b)) found.push({ scene: scene.name, line: step.line, real: a, ours: b });
  }
  return found;
}

/** From the list of subcommands on: what stands before is in words of our own. */
export function fromCommands(text: string): string {
  return (
    text
      .slice(Math.max(0, text.indexOf("Available Commands:")))
      .split("\nUse ")[0]
      ?.trimEnd() ?? ""
  );
}

/** For what comes in no order. */
export function sortedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, "  ").trimEnd())
    .sort()
    .join("\n");
}

export function reads(...lines: readonly string[]): Step[] {
  return lines.map((line) => ({ line, isShared: true }));
}

async function makeNamespace(sandbox: TestSandbox, name: string): Promise<void> {
  const answer = await sandbox.fetch("/api/v1/namespaces", {
    method: "POST",
    body: JSON.stringify({ metadata: { name } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  for (let tries = 0; tries < 100; tries++) {
    const account = await sandbox.fetch(`/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`);
    if (account.ok) return;
    await new Promise((done) => void setTimeout(done, 50));
  }
}

function configFor(sandbox: TestSandbox, folder: string, namespace: string): string {
  const path = join(folder, `.${namespace}.kubeconfig`);
  const config = parse(readFileSync(sandbox.kubeconfig, "utf8")) as { contexts: { context: { namespace?: string } }[] };
  for (const { context } of config.contexts) context.namespace = namespace;
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

export function kubectlOfPage(
  sandbox: TestSandbox,
  namespace: string,
  files: Readonly<Record<string, string>>,
): Kubectl {
  const config = parse(readFileSync(sandbox.kubeconfig, "utf8")) as {
    "current-context": string;
    clusters: { name: string; cluster: { server: string } }[];
    users: { name: string }[];
  };
  return newKubectl({
    fetch: (path, init) => sandbox.fetch(path, init),
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

export async function runOurs(line: string, input: string, kubectl: Kubectl): Promise<Outcome> {
  const text = { stdout: "", stderr: "" };
  const signal = AbortSignal.timeout(lineMs);
  const code = await kubectl.run(split(line), {
    out: (part) => void (text.stdout += part),
    err: (part) => void (text.stderr += part),
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
    child.stdout.on("data", (part: Buffer) => void (text.stdout += part.toString()));
    child.stderr.on("data", (part: Buffer) => void (text.stderr += part.toString()));
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

function normalOutcome({ code, stdout, stderr }: Outcome, step: Step, namespace: string, isReal: boolean): Outcome {
  const change = (text: string) => {
    const fitted = isReal ? (step.since136?.(since136(text)) ?? since136(text)) : text;
    const common = normal(fitted.replaceAll(namespace, "NS"), step.isShared ?? false);
    return step.as ? step.as(common) : common;
  };
  return { code, stdout: change(stdout), stderr: change(stderr) };
}

/** What 1.36 prints otherwise, whatever the command. */
function since136(text: string): string {
  return text
    .replaceAll(/^[IWE]\d{4} \d\d:.*\n/gm, "")
    .replaceAll(/^ *"?creationTimestamp"?: null,?\n/gm, "")
    .replaceAll(/,"creationTimestamp":null/g, "")
    .replaceAll(/,(\s*[}\]])(?=,?$)/gm, "$1")
    .replaceAll(/(": )\{\s+\}/g, "$1{}")
    .replaceAll(/(allowed formats are: .*json,jsonpath,jsonpath-as-json,jsonpath-file),name/g, "$1,kyaml,name");
}

/** Without what no two runs have in common: ages, times, and in other namespaces names, addresses and uids. */
function normal(text: string, isShared: boolean): string {
  const timed = text
    .replaceAll(/\b(\d+[smhd]){1,2}\b *(?=\s|$|\))/gm, "<age> ")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>");
  if (isShared) return timed;
  return timed
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "<uid>")
    .replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"<rv>"')
    .replaceAll(/(Resource Version: +)\d+/g, "$1<rv>")
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, "<ip>")
    .replaceAll(/\bnode-\d+\b/g, "<node>")
    .replaceAll(/:3\d{4}\/TCP/g, ":<port>/TCP")
    .replaceAll(/Expected resource version to be 1, was \d+/g, "Expected resource version to be 1, was <rv>")
    .replaceAll(/(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=[\s"'/:,]|$)/gm, "<rnd>")
    .replaceAll(/[ \t]{2,}/g, "  ");
}

/** As a shell splits: quotes hold words together. */
export function split(line: string): string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  );
}
