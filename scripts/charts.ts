// Reports which rendered charts become ready: `node scripts/charts.ts FOLDER [NAME ...]` applies each `FOLDER/NAME.yaml` (the output of `helm
// template`) with kubectl to a sandbox of its own and prints `ready` or `not ready` with the reasons. The service is SANDBAR_URL with
// SANDBAR_API_KEY. SANDBAR_CHART_SECONDS (120) is the time that a chart has, SANDBAR_CHART_SPEED (10) its `kubeletSpeed`,
// SANDBAR_CHARTS_AT_ONCE (1) the number of charts that run at a time. Exits with 1 if a chart is not ready.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments, stringify } from "yaml";
import { Sandbar } from "../client/index.ts";

const run = promisify(execFile);
const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Name the folder with the rendered manifests.");
  process.exit(2);
}
const secondsPerChart = numberFrom("SANDBAR_CHART_SECONDS", 120);
const kubeletSpeed = numberFrom("SANDBAR_CHART_SPEED", 10);
const atOnce = numberFrom("SANDBAR_CHARTS_AT_ONCE", 1);
const pollMs = 2_000;
const maxOutputBytes = 64 * 1024 * 1024;

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
}

interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Metadata;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
  };
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number } };
}

interface Workload {
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: { readonly replicas?: number; readonly completions?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly succeeded?: number;
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

const client = new Sandbar();
const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).map((file) => file.slice(0, -5));
const queue = (names.length > 0 ? names : files).sort();
const total = queue.length;
let readyCount = 0;

await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const beganMs = Date.now();
      const reasons = await tryChart(name).catch((error: unknown) => [String(error).slice(0, 600)]);
      if (reasons.length === 0) readyCount++;
      const seconds = ((Date.now() - beganMs) / 1000).toFixed(0);
      console.log(`${reasons.length === 0 ? "ready    " : "not ready"} ${name} (${seconds} s)`);
      for (const reason of reasons) console.log(`            ${reason}`);
    }
  }),
);
console.log(`${readyCount} of ${total} ready`);
process.exitCode = readyCount === total ? 0 : 1;

async function tryChart(name: string): Promise<string[]> {
  const work = await mkdtemp(join(tmpdir(), "charts-"));
  const sandbox = await client.createSandbox({
    name: `chart-${name}`.slice(0, 60),
    ttlSeconds: 3600,
    nodes: 3,
    kubeletSpeed,
  });
  const kubeconfig = join(work, "kubeconfig");
  const kubectl = async (...args: string[]) =>
    (await run("kubectl", ["--kubeconfig", kubeconfig, ...args], { maxBuffer: maxOutputBytes })).stdout;
  try {
    await writeFile(kubeconfig, await client.getKubeconfig(sandbox.id));
    const refusals = await apply(
      kubectl,
      work,
      await readFile(join(folder ?? "", `${name}.yaml`), "utf8"),
      `c-${name}`,
    );
    const untilMs = Date.now() + secondsPerChart * 1000;
    let problems = await problemsOf(kubectl);
    let isSettled = problems.length === 0;
    while (Date.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      problems = await problemsOf(kubectl);
      // Operators add workloads, so the cluster has to be ready in two checks in a row.
      if (problems.length === 0 && isSettled) break;
      isSettled = problems.length === 0;
    }
    return problems.length === 0 ? refusals : [...refusals, ...problems];
  } finally {
    await client.deleteSandbox(sandbox.id);
    await rm(work, { recursive: true });
  }
}

type Kubectl = (...args: string[]) => Promise<string>;

/** Applies definitions and namespaces first, then the rest, as `helm install` does. Returns the refusals of the API server. */
async function apply(kubectl: Kubectl, work: string, text: string, namespace: string): Promise<string[]> {
  const manifests = parseAllDocuments(text, { version: "1.1" })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest): manifest is Manifest => manifest?.kind !== undefined && isInstalled(manifest));
  const isEarly = ({ kind }: Manifest) => kind === "CustomResourceDefinition" || kind === "Namespace";
  await kubectl("create", "namespace", namespace);
  await kubectl("config", "set-context", "--current", `--namespace=${namespace}`);
  const refusals: string[] = [];
  const stages = [manifests.filter(isEarly), manifests.filter((manifest) => !isEarly(manifest))];
  for (const [at, stage] of stages.entries()) {
    if (stage.length === 0) continue;
    const path = join(work, `stage-${at}.yaml`);
    await writeFile(path, stage.map((manifest) => stringify(manifest, { version: "1.1" })).join("---\n"));
    const args = ["apply", "--server-side", "--force-conflicts", "-f", path];
    const refused = await kubectl(...args).then(
      () => "",
      (error: { stderr?: string; message?: string }) => error.stderr ?? error.message ?? "",
    );
    // A webhook of the chart answers once its pods are ready, so refused manifests are applied again.
    if (refused !== "") refusals.push(...(await retried(kubectl, args)));
  }
  return refusals;
}

async function retried(kubectl: Kubectl, args: readonly string[]): Promise<string[]> {
  let refused = "";
  for (let round = 0; round < 6; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    refused = await kubectl(...args).then(
      () => "",
      (error: { stderr?: string; message?: string }) => error.stderr ?? error.message ?? "",
    );
    if (refused === "") return [];
  }
  const lines = refused.split("\n").filter((line) => line !== "" && !line.startsWith("Warning:"));
  return [`refused: ${lines.slice(0, 3).join(" | ").slice(0, 500)}`];
}

/** Reports whether `helm install` creates the manifest: hooks of tests, upgrades and deletions are left out. */
function isInstalled({ metadata }: Manifest): boolean {
  const hook = metadata?.annotations?.["helm.sh/hook"];
  return hook === undefined || /install|crd-install/.test(hook);
}

async function problemsOf(kubectl: Kubectl): Promise<string[]> {
  const text = await kubectl("get", "deployments,statefulsets,daemonsets,jobs,pods", "-A", "-o", "json");
  const { items } = JSON.parse(text) as { items: readonly Workload[] };
  return items.flatMap((item) => {
    const problem = item.kind === "Pod" ? podProblem(item) : workloadProblem(item);
    return problem === undefined ? [] : [`${item.kind} ${item.metadata.name}: ${problem}`.slice(0, 400)];
  });
}

function workloadProblem({ kind, metadata, spec, status = {} }: Workload): string | undefined {
  if (kind === "Job") {
    const failure = status.conditions?.find(({ type, status: value }) => type === "Failed" && value === "True");
    if (failure) return `failed: ${failure.message ?? ""}`;
    return (status.succeeded ?? 0) >= (spec.completions ?? 1) ? undefined : "not complete";
  }
  if (status.observedGeneration !== metadata.generation) return "not observed";
  const desiredPods = kind === "DaemonSet" ? (status.desiredNumberScheduled ?? 0) : (spec.replicas ?? 1);
  const ready = (kind === "DaemonSet" ? status.numberReady : status.readyReplicas) ?? 0;
  return ready >= desiredPods ? undefined : `${ready} of ${desiredPods} ready`;
}

function podProblem({ status = {} }: Workload): string | undefined {
  if (status.phase === "Succeeded") return undefined;
  const isReady = status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  if (isReady) return undefined;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const details = all.flatMap(({ name, ready, state, lastState }) => {
    if (ready || state?.terminated?.exitCode === 0) return [];
    const { waiting, terminated } = state ?? {};
    if (waiting?.reason === "PodInitializing") return [];
    const code = terminated?.exitCode ?? lastState?.terminated?.exitCode;
    return [
      `${name} ${waiting?.reason ?? terminated?.reason ?? "not ready"}${code === undefined ? "" : ` (exit code ${code})`} ${waiting?.message?.slice(0, 150) ?? ""}`.trim(),
    ];
  });
  const unscheduled = status.conditions?.find(
    ({ type, status: value }) => type === "PodScheduled" && value === "False",
  );
  return unscheduled?.message ?? (details.length > 0 ? details.join("; ") : (status.phase ?? "unknown"));
}

function numberFrom(variable: string, fallback: number): number {
  const value = Number(process.env[variable] ?? fallback);
  if (!(value > 0)) throw new Error(`${variable}: must be a number above 0`);
  return value;
}
