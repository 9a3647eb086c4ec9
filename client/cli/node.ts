// The commands about machines that are nodes: join one, and serve its kubelet to the sandbox.
import { isAbsolute, resolve } from "node:path";
import { parse } from "yaml";
import { newBootstrapToken } from "../node/bootstrap-token.ts";
import { newKubeletClient } from "../node/certificates.ts";
import { type JoinOptions, joinPlan, type Taint } from "../node/plan.ts";
import { runKubelet, serveKubelet, writeFiles } from "../node/run.ts";
import { askSandbox } from "../node/sandbox-api.ts";
import { joinScript } from "../node/script.ts";
import { type Target, targetOf } from "../tunnel/kubeconfig.ts";
import type { Run } from "./command-run.ts";
import { idOf } from "./find-sandbox.ts";
import { requiredWord, runSubcommand } from "./print.ts";
import { labelsOf, numberOf, UsageError } from "./values.ts";

const kubeletPort = 10_250;
const kubeletFailed = 1;

export function nodeCommand(run: Run): Promise<number | undefined | void> {
  return runSubcommand(run, { join, serve });
}

async function join(run: Run): Promise<number | undefined> {
  const sandbox = await idOf(run.client, requiredWord(run, "the sandbox"));
  const node = nameOf(run.text("name"));
  const port = portOf(run);
  const isRun = run.has("run");
  const written = run.text("folder") ?? (isRun ? `sandbar-node-${node}` : `/var/lib/sandbar/${node}`);
  const folder = isRun ? resolve(run.folder, written) : written;
  if (!isAbsolute(folder)) throw new UsageError("--folder must be an absolute path of the machine");
  const target = targetOf(parse(await run.client.getKubeconfig(sandbox)), run.folder);
  const plan = joinPlan({
    ...{ node, folder, target, port },
    nodeToken: await nodeTokenOf(run, sandbox, node),
    bootstrapToken: await bootstrapTokenOf(run, target, node),
    kubeletClient: newKubeletClient(Date.now()),
    dns: await dnsOf(target),
    labels: labelsOf(run.texts("label")),
    taints: run.texts("taint").map(taintOf),
    hasServingCertificate: run.has("serving-certificate"),
    runtime: run.text("runtime") ?? "unix:///run/containerd/containerd.sock",
  });
  if (!isRun) {
    run.print(joinScript({ ...plan, sandbox, node, folder, port }));
    return undefined;
  }
  writeFiles(folder, plan);
  const stop = new AbortController();
  const around = { say: run.say, signal: AbortSignal.any([run.signal, stop.signal]) };
  const kubelet = runKubelet(run.text("kubelet") ?? "kubelet", [...plan.kubelet, ...run.words.slice(1)], around);
  const tunnel = serveKubelet(node, { folder, port }, around);
  void kubelet.then(() => stop.abort());
  await tunnel.finally(() => stop.abort());
  const ending = await kubelet;
  if (run.signal.aborted) return undefined;
  run.say(ending);
  return kubeletFailed;
}

async function serve(run: Run): Promise<void> {
  const node = nameOf(requiredWord(run, "the node"));
  const folder = resolve(run.folder, run.text("folder") ?? `sandbar-node-${node}`);
  await serveKubelet(node, { folder, port: portOf(run) }, run);
}

/** Creates a token of the node itself. */
async function nodeTokenOf(run: Run, sandbox: string, node: string): Promise<string> {
  const { token } = await run.client.createToken(sandbox, { user: `system:node:${node}`, groups: ["system:nodes"] });
  return token;
}

/** Creates a bootstrap token. Without https the kubelet could not send its certificate, so it uses the node's token. */
async function bootstrapTokenOf(run: Run, target: Target, node: string): Promise<string | undefined> {
  if (run.has("token") || !target.server.startsWith("https:")) return undefined;
  const token = newBootstrapToken(node, Date.now());
  await askSandbox(target, "POST", "/api/v1/namespaces/kube-system/secrets", token.secret);
  return token.text;
}

async function dnsOf(target: Target): Promise<JoinOptions["dns"]> {
  const service = await askSandbox(target, "GET", "/api/v1/namespaces/kube-system/services/kube-dns");
  // A Service has a spec.
  return (service as { spec?: { clusterIP?: string } } | undefined)?.spec?.clusterIP;
}

function nameOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError("--name is required: the name of the node");
  if (!/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text))
    throw new UsageError(
      "the name of a node has lower-case letters, digits, dots and dashes: laptop, edge-1.example.org",
    );
  return text;
}

function portOf(run: Run): number {
  const text = run.text("port");
  const port = text === undefined ? kubeletPort : numberOf(text, "--port");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UsageError("--port must be a port");
  return port;
}

function taintOf(text: string): Taint {
  const [, key = "", value = "", effect] =
    /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (effect === undefined) throw new UsageError(`--taint must be key=value:effect, such as real=true:NoSchedule`);
  return { key, value, effect };
}
