// `kubeadm upgrade`: patch releases of the control plane's static pods. The API of the sandbox stays what it is.
import type { Task } from "../../../../../shared/shell/task.ts";
import { nodes } from "../../../../kinds/core/node/node.ts";
import { manifestFolder } from "../../../../machine/control-plane.ts";
import { newestRelease } from "../../../../../shared/k8s/settings/release.ts";
import { availableVersions, releaseOf } from "../../../node/packages.ts";
import { isTyped, takeLine } from "../../input.ts";
import { edit, type Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { inspect, sleep } from "../../system-call.ts";
import { errorText, parseFlags } from "./kubeadm-flags.ts";
import { send } from "./kubeadm-token.ts";
import { isOnNode, nodeName } from "./on-node.ts";
import { tabbed } from "./table.ts";

const components = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;
/** The image of a manifest: what precedes its name, the name and the release. */
const imagePattern = /(image: *[^\s/]+\/)([a-z-]+):(v[\d.]+)/g;

export function upgrade(call: ProgramCall): number | Task<number> {
  const [verb = "", ...args] = call.args;
  if (verb === "plan") return plan(call, args);
  if (verb === "apply") return apply(call, args);
  if (verb === "node") return upgradeNode(call, args);
  call.err(
    errorText(
      verb === "" ? 'missing subcommand; "upgrade" is not meant to be run on its own' : `invalid subcommand: "${verb}"`,
    ),
  );
  return 1;
}

function fail({ err }: ProgramCall, message: string): number {
  err(errorText(message));
  return 1;
}

/** Returns the release that a manifest of the node names (`v1.36.0`). */
function releaseOfManifest({ files }: Process, component: string): string | undefined {
  const text = files.get(`${manifestFolder}/${component}.yaml`)?.text ?? "";
  return [...text.matchAll(imagePattern)].find(([, , name]) => name === component)?.[3];
}

function newestAvailable(process: Process): string | undefined {
  const [newest] = availableVersions(process.files);
  return newest === undefined ? undefined : `v${newest.split("-", 1)[0] ?? ""}`;
}

function compare(left: string, right: string): number {
  const numbersOf = (text: string) => text.replace(/^v/, "").split(".").map(Number);
  const [a, b] = [numbersOf(left), numbersOf(right)];
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0);
}

const configuration = (topic: string) =>
  `[${topic}] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...\n[${topic}] Use 'kubeadm init phase upload-config kubeadm --config your-config-file' to re-upload it.\n`;

function* plan(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { operands, unknown } = parseFlags(
    args,
    ["config", "kubeconfig", "feature-gates", "ignore-preflight-errors", "o", "output"],
    ["allow-experimental-upgrades", "allow-release-candidate-upgrades", "print-config"],
  );
  if (unknown !== undefined) return fail(call, unknown);
  const before = releaseOfManifest(process, "kube-apiserver");
  if (before === undefined)
    return fail(
      call,
      'couldn\'t create a Kubernetes client from file "/etc/kubernetes/admin.conf": failed to load admin kubeconfig: open /etc/kubernetes/admin.conf: no such file or directory',
    );
  const tool = releaseOf(process.files, "kubeadm") ?? before;
  const target = operands[0] ?? newestAvailable(process) ?? before;
  const minor = target.split(".").slice(0, 2).join(".");
  out(
    `[preflight] Running pre-flight checks.\n${configuration("upgrade/config")}[upgrade] Running cluster health checks\n[upgrade] Fetching available versions to upgrade to\n[upgrade/versions] Cluster version: ${before.slice(1)}\n[upgrade/versions] kubeadm version: ${tool}\n[upgrade/versions] Target version: ${target}\n[upgrade/versions] Latest version in the ${minor} series: ${target}\n\n`,
  );
  if (compare(target, before) > 0) {
    const kubelets =
      (yield* inspect(process, ({ client }) =>
        client
          .list(nodes)
          .map(({ metadata, status }) => [metadata.name ?? "", status.nodeInfo?.kubeletVersion ?? ""] as const),
      )) ?? [];
    const node = nodeName(process);
    const { coreDns, etcd } = process.world.node?.release ?? newestRelease;
    out(
      "Components that must be upgraded manually after you have upgraded the control plane with 'kubeadm upgrade apply':\n",
    );
    out(
      tabbed([
        ["COMPONENT", "NODE", "CURRENT", "TARGET"],
        ...kubelets.map(([name, version]) => ["kubelet", name, version, target]),
      ]),
    );
    out(`\nUpgrade to the latest version in the ${minor} series:\n\n`);
    out(
      tabbed([
        ["COMPONENT", "NODE", "CURRENT", "TARGET"],
        ...components.map((name) => [name, node, releaseOfManifest(process, name) ?? before, target]),
        ["kube-proxy", "", before.slice(1), target],
        ["CoreDNS", "", coreDns, coreDns],
        ["etcd", node, etcd, etcd],
      ]),
    );
    out(`\nYou can now apply the upgrade by executing the following command:\n\n\tkubeadm upgrade apply ${target}\n\n`);
    if (compare(tool, target) < 0)
      out(`Note: Before you can perform this upgrade, you have to update kubeadm to ${target}.\n\n`);
    out("_____________________________________________________________________\n\n\n");
  }
  out(
    `The table below shows the current state of component configs as understood by this version of kubeadm.\nConfigs that have a "yes" mark in the "MANUAL UPGRADE REQUIRED" column require manual config upgrade or\nresetting to kubeadm defaults before a successful upgrade can be performed. The version to manually\nupgrade to is denoted in the "PREFERRED VERSION" column.\n\n`,
  );
  out(
    tabbed([
      ["API GROUP", "CURRENT VERSION", "PREFERRED VERSION", "MANUAL UPGRADE REQUIRED"],
      ["kubeproxy.config.k8s.io", "v1alpha1", "v1alpha1", "no"],
      ["kubelet.config.k8s.io", "v1beta1", "v1beta1", "no"],
    ]),
  );
  out("_____________________________________________________________________\n\n");
  return 0;
}

function* apply(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { operands, flags, unknown } = parseFlags(
    args,
    ["config", "kubeconfig", "feature-gates", "ignore-preflight-errors", "patches", "skip-phases"],
    [
      "y",
      "yes",
      "f",
      "force",
      "dry-run",
      "etcd-upgrade",
      "certificate-renewal",
      "allow-experimental-upgrades",
      "allow-release-candidate-upgrades",
      "print-config",
    ],
  );
  if (unknown !== undefined) return fail(call, unknown);
  const before = releaseOfManifest(process, "kube-apiserver");
  if (before === undefined || !isOnNode(process))
    return fail(
      call,
      'couldn\'t create a Kubernetes client from file "/etc/kubernetes/admin.conf": failed to load admin kubeconfig: open /etc/kubernetes/admin.conf: no such file or directory',
    );
  const [operand] = operands;
  if (operand === undefined) return fail(call, "missing one or more required arguments. Required arguments: [version]");
  const target = operand.startsWith("v") ? operand : `v${operand}`;
  const tool = releaseOf(process.files, "kubeadm") ?? before;
  out(
    `${configuration("upgrade")}[upgrade/preflight] Running preflight checks\n[upgrade] Running cluster health checks\n[upgrade/preflight] You have chosen to upgrade the cluster version to "${target}"\n[upgrade/versions] Cluster version: ${before}\n[upgrade/versions] kubeadm version: ${tool}\n`,
  );
  const problem = versionProblem(target, before, tool, availableVersions(process.files));
  if (problem !== undefined)
    return fail(
      call,
      `error execution phase preflight: [upgrade/version] FATAL: the --version argument is invalid due to these fatal errors:\n\n\t- ${problem}\nPlease fix the misalignments highlighted above and try upgrading again`,
    );
  const isConfirmed = ["y", "yes", "f", "force", "dry-run"].some((name) => flags.has(name));
  if (!isConfirmed && !(yield* confirmed(call)))
    return fail(call, "won't proceed; the user didn't answer (Y|y) in order to continue");
  out(
    "[upgrade/preflight] Pulling images required for setting up a Kubernetes cluster\n[upgrade/preflight] This might take a minute or two, depending on the speed of your internet connection\n[upgrade/preflight] You can also perform this action beforehand using 'kubeadm config images pull'\n",
  );
  if (flags.has("dry-run")) {
    out("[dryrun] Finished dryrunning successfully!\n");
    return 0;
  }
  yield* sleep(process, 5_000);
  yield* upgradeManifests(call, target);
  yield* send(process, { kind: "set-version", version: target });
  out(
    `[upload-config] Storing the configuration used in ConfigMap "kubeadm-config" in the "kube-system" Namespace\n[kubelet] Creating a ConfigMap "kubelet-config" in namespace kube-system with the configuration for the kubelets in the cluster\n[upgrade/kubeconfig] The kubeconfig files for this node were successfully upgraded!\n[upgrade/kubelet-config] The kubelet configuration for this node was successfully upgraded!\n[upgrade/bootstrap-token] Configuring bootstrap token and cluster-info RBAC rules\n[addons] Applied essential addon: CoreDNS\n[addons] Applied essential addon: kube-proxy\n\n[upgrade] SUCCESS! A control plane node of your cluster was upgraded to "${target}".\n\n[upgrade] Now please proceed with upgrading the rest of the nodes by following the right order.\n`,
  );
  return 0;
}

/** Returns why a version cannot be chosen. */
function versionProblem(
  target: string,
  before: string,
  tool: string,
  available: readonly string[],
): string | undefined {
  if (!/^v1\.\d+\.\d+$/.test(target)) return `Specified version to upgrade to "${target}" is not a semantic version`;
  const minorOf = (version: string) => Number(version.split(".")[1]);
  if (minorOf(target) > minorOf(before) + 1)
    return `Specified version to upgrade to "${target}" is too high; kubeadm can upgrade only 1 minor version at a time`;
  if (minorOf(target) < minorOf(before))
    return `Specified version to upgrade to "${target}" is lower than the cluster version "${before}"`;
  if (compare(target, tool) > 0)
    return `Specified version to upgrade to "${target}" is higher than the kubeadm version "${tool}". Upgrade kubeadm first using the tool you used to install kubeadm`;
  if (!available.some((version) => `v${version.split("-", 1)[0] ?? ""}` === target))
    return `the images of "${target}" do not exist in this sandbox`;
  return undefined;
}

function* confirmed({ process, out, input }: ProgramCall): Task<boolean> {
  out("[upgrade] Are you sure you want to proceed? [y/N]: ");
  if (!input) return false;
  const line = isTyped(input) ? yield* takeLine(process, input) : input.rest;
  return /^y(es)?$/i.test((line ?? "").trim());
}

/** Writes the manifests of a release, and lets the kubelet restart each component. */
function* upgradeManifests({ process, out }: ProgramCall, target: string): Task<void> {
  const stamp = process.clockMs;
  const backup = `/etc/kubernetes/tmp/kubeadm-backup-manifests-${new Date(stamp).toISOString().slice(0, 19).replace("T", "-").replaceAll(":", "-")}`;
  out(
    `[upgrade/control-plane] Upgrading your static Pod-hosted control plane to version "${target}" (timeout: 5m0s)...\n[upgrade/staticpods] Writing new Static Pod manifests to "/etc/kubernetes/tmp/kubeadm-upgraded-manifests${stamp % 1_000_000_000}"\n[upgrade/staticpods] Preparing for "etcd" upgrade\n[upgrade/staticpods] Current and new manifests of etcd are equal, skipping upgrade\n`,
  );
  for (const component of components) {
    const path = `${manifestFolder}/${component}.yaml`;
    const text = process.files.get(path)?.text ?? "";
    out(`[upgrade/staticpods] Preparing for "${component}" upgrade\n`);
    const next = text.replace(imagePattern, (image, before: string, name: string) =>
      name === component ? `${before}${name}:${target}` : image,
    );
    if (next === text) {
      out(`[upgrade/staticpods] Current and new manifests of ${component} are equal, skipping upgrade\n`);
      continue;
    }
    edit(process, { path: `${backup}/${component}.yaml`, text });
    edit(process, { path, text: next });
    out(
      `[upgrade/staticpods] Moving new manifest to "${path}" and backing up old manifest to "${backup}/${component}.yaml"\n[upgrade/staticpods] Waiting for the kubelet to restart the component\n[upgrade/staticpods] This can take up to 5m0s\n`,
    );
    yield* sleep(process, 5_000);
    out(
      `[apiclient] Found 1 Pods for label selector component=${component}\n[upgrade/staticpods] Component "${component}" upgraded successfully!\n`,
    );
  }
  out("[upgrade/control-plane] The control plane instance for this node was successfully upgraded!\n");
}

function* upgradeNode(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { unknown } = parseFlags(
    args,
    ["kubeconfig", "ignore-preflight-errors", "patches", "skip-phases", "config"],
    ["dry-run", "etcd-upgrade", "certificate-renewal"],
  );
  if (unknown !== undefined) return fail(call, unknown);
  out(`${configuration("upgrade")}[upgrade/preflight] Running pre-flight checks\n`);
  const isControlPlane = releaseOfManifest(process, "kube-apiserver") !== undefined;
  if (isControlPlane) {
    const version = yield* inspect(
      process,
      ({ client, controlPlane }) =>
        controlPlane && client.get(nodes, "", controlPlane.name)?.status.nodeInfo?.kubeletVersion,
    );
    yield* upgradeManifests(call, releaseOf(process.files, "kubeadm") ?? version ?? newestRelease.tag);
  } else
    out(
      "[upgrade/control-plane] Skipping phase. Not a control plane node.\n[upgrade/kubeconfig] Skipping phase. Not a control plane node.\n",
    );
  yield* sleep(process, 1_000);
  out(
    `[upgrade/kubelet-config] Backing up kubelet config file to /etc/kubernetes/tmp/kubeadm-kubelet-config${process.clockMs % 1_000_000_000}/config.yaml\n[upgrade/kubelet-config] The kubelet configuration for this node was successfully upgraded!\n[upgrade/addon] Skipping the addon/coredns phase. Not a control plane node.\n[upgrade/addon] Skipping the addon/kube-proxy phase. Not a control plane node.\n`,
  );
  return 0;
}
