// The main step: makes the sandbox and leaves its kubeconfig for the steps that follow.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { labelsOf, numberOf, secondsOf } from "../client/cli/values.ts";
import { manifestsOf, sending } from "../client/cli/manifests.ts";
import { type KubernetesVersion, supportedVersions } from "../shared/contract/cluster/kubernetes-version.ts";
import { isRefusal } from "../client/ask.ts";
import type { CreateSandbox } from "../client/index.ts";
import { client, fail, input, lines, mask, runLabel, runStep, set } from "./inputs.ts";

await runStep(async () => {
  const sandbar = client();
  const manifests = manifestsOf(input("snapshot") || input("template") ? [] : lines("manifests"));
  const creating = { wait: input("wait") === "true", waitSeconds: numberOf(input("wait-seconds"), "wait-seconds") };
  // The post step deletes by the label if this step is cancelled before it knows the id.
  const run = crypto.randomUUID();
  set("GITHUB_STATE", "run", run);
  const sandbox = await sending(manifests, () => sandbar.createSandbox(beginning(manifests.text, run), creating)).catch(
    (error: unknown) => {
      // After a refusal the post step has nothing to look for.
      if (isRefusal(error)) set("GITHUB_STATE", "refused", "true");
      throw error;
    },
  );
  set("GITHUB_STATE", "id", sandbox.id);
  for (const token of [sandbox.token, ...(sandbox.users ?? []).map((one) => one.token)]) mask(token);
  const kubeconfig = join(process.env["RUNNER_TEMP"] ?? "", `sandbar-${sandbox.id}.kubeconfig`);
  writeFileSync(kubeconfig, await sandbar.getKubeconfig(sandbox.id), { mode: 0o600 });
  set("GITHUB_OUTPUT", "id", sandbox.id);
  set("GITHUB_OUTPUT", "kubeconfig", kubeconfig);
  set("GITHUB_ENV", "KUBECONFIG", kubeconfig);
  // A sandbox whose workloads are not available in time is there, and the steps that run on failure can look into it.
  for (const { kind, namespace, name, reason } of sandbox.notReady ?? [])
    fail(`${kind} ${namespace}/${name} is not ready: ${reason}`);
});

function versionOf(text: string): KubernetesVersion {
  const version = supportedVersions.find((supported) => supported === text);
  if (version === undefined) throw new Error(`kubernetes-version must be one of ${supportedVersions.join(", ")}`);
  return version;
}

function beginning(manifests: string, run: string): CreateSandbox {
  const labels = { ...labelsOf(lines("labels")), [runLabel]: run };
  const common = { ttlSeconds: secondsOf(input("ttl"), "ttl"), labels };
  if (input("snapshot")) return { ...common, snapshot: input("snapshot") };
  if (input("template")) return { ...common, template: input("template") };
  const speed = input("kubelet-speed");
  return {
    ...common,
    nodes: numberOf(input("nodes"), "nodes"),
    version: versionOf(input("kubernetes-version")),
    kubeletSpeed: speed === "real" || speed === "zero" ? speed : Number(speed),
    ...(manifests ? { manifests } : {}),
  };
}
