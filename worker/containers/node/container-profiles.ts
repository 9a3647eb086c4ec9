// The node's part of a pod's security: profiles of AppArmor that are loaded, files of seccomp, and handlers of containerd.
import type { AppArmorProfile, Container, Pod, SeccompProfile } from "../../../shared/k8s/api/core-v1.ts";
import { runtimeClasses } from "../../kinds/node/runtime-class.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import { filesOf } from "../run/host-path.ts";
import type { ClusterView } from "../run/world.ts";
import { containerdConfig, containerdConfigPath, loadedProfiles } from "./node-defaults.ts";
import type { NodeFiles } from "./node-files.ts";
import { unitAt } from "./units.ts";

/** The work of reading the files of a node. */
const filesWork = 100;
const seccompFolder = "/var/lib/kubelet/seccomp";

function appArmorOf({ spec }: Pod, { securityContext }: Container): AppArmorProfile | undefined {
  return securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile ?? undefined;
}

function seccompOf({ spec }: Pod, { securityContext }: Container): SeccompProfile | undefined {
  return securityContext?.seccompProfile ?? spec.securityContext?.seccompProfile ?? undefined;
}

/** Returns why containerd cannot create a container with its profiles. */
export function profileProblem(pod: Pod, container: Container, view: ClusterView): string | undefined {
  const [appArmor, seccomp] = [appArmorOf(pod, container), seccompOf(pod, container)];
  if (appArmor?.type !== "Localhost" && seccomp?.type !== "Localhost") return undefined;
  view.account(filesWork);
  const files = filesOf(pod, view);
  const name = appArmor?.type === "Localhost" ? appArmor.localhostProfile : undefined;
  if (name && !loadedProfiles(files).some((profile) => profile.name === name))
    return `failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found ${name}`;
  const file = seccomp?.type === "Localhost" ? seccomp.localhostProfile : undefined;
  return file ? seccompProblem(`${seccompFolder}/${file}`, files) : undefined;
}

function seccompProblem(path: string, files: NodeFiles): string | undefined {
  const failed = (why: string) => `failed to create containerd container: ${why}`;
  const text = files.get(path)?.text;
  if (text === undefined)
    return failed(`cannot load seccomp profile ${JSON.stringify(path)}: open ${path}: no such file or directory`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return failed(`decoding seccomp profile failed: ${path} is no JSON object`);
}

/** Returns why containerd cannot create the sandbox of a pod with a RuntimeClass: its configuration lacks the handler. */
export function handlerProblem(pod: Pod, view: ClusterView): string | undefined {
  const name = pod.spec.runtimeClassName;
  const handler = name ? view.client?.get(runtimeClasses, "", name)?.handler : undefined;
  if (handler === undefined) return undefined;
  const config = loadedConfig(pod, view);
  const tables = config
    .split("\n")
    .map((line) => /^\[plugins\..*\.runtimes\.["']?([\w.-]+?)["']?\]$/.exec(line.trim()));
  const handlers = tables.map((table) => table?.[1]);
  if (handlers.includes(handler)) return undefined;
  return `rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for ${JSON.stringify(handler)} is configured`;
}

/** Returns the configuration that the running containerd read at its start. */
function loadedConfig(pod: Pod, view: ClusterView): string {
  view.account(filesWork);
  const files = filesOf(pod, view);
  const changes = view
    .edits(podOnNode(pod.spec.nodeName ?? ""), wholeNode)
    .filter(({ path }) => path === containerdConfigPath);
  if (changes.length === 0) return files.get(containerdConfigPath)?.text ?? "";
  const { sinceMs = 0 } = unitAt(files, "containerd", 0);
  const loaded = changes.findLast(({ atMs }) => atMs <= sinceMs);
  return loaded ? (loaded.text ?? "") : containerdConfig;
}
