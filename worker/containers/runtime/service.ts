// The runtime of a node in a view of the cluster. The kubelet's calls are answered from runs of containers.
import { stableHex } from "../../../shared/base/stable.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type Delays, delayOf } from "../../machine/delays.ts";
import type {
  ContainerConfig,
  ContainerStatusResponse,
  CreateContainerResponse,
  NodeDisk,
  PodSandboxConfig,
  RuntimeService,
  StopContainerRequest,
  StopContainerResponse,
} from "../cri.ts";
import { handlerProblem, profileProblem } from "../node/container-profiles.ts";
import { filesAt } from "../run/files-at.ts";
import { hostFiles, hostPathEdits } from "../run/host-path.ts";
import { userOf } from "../run/identity.ts";
import { startProblem } from "../run/run.ts";
import { durableEdits, type PodView, presentRun, runFrom, type RunOptions } from "../run/shared.ts";
import { subPathProblem } from "../run/volume-mounts.ts";
import { type ClusterView, startingNow } from "../run/world.ts";
import type { Trace } from "../shell/trace.ts";
import { execSync, podNetwork } from "./calls.ts";
import { traceOf } from "./handles.ts";
import { containerStats } from "./stats.ts";

/** The addresses of a node's pods. */
export interface PodAddresses {
  /** Returns a free address of the node; undefined if none is left. */
  allocate(): string | undefined;
  /** Returns the address of the other family that belongs to an address, if the node has a range of that family. */
  second?(first: string): string | undefined;
}

export function runtimeService(view: ClusterView, addresses: PodAddresses, delays: Delays): RuntimeService {
  return {
    runPodSandbox: (pod) => {
      if (pod.spec.hostNetwork) return { ip: undefined };
      const missing = handlerProblem(pod, view);
      if (missing !== undefined) return { error: missing };
      const ip = addresses.allocate();
      return ip === undefined ? { error: noAddress(pod) } : { ip };
    },
    stopPodSandbox: (pod) => ({ tookMs: delayOf(delays, pod, delays.createMs, "teardown") }),
    podSandboxStatus: (ip) => {
      const second = addresses.second?.(ip);
      return { additionalIps: second === undefined ? [] : [second] };
    },
    createContainer: (pod, container, attempt) => createContainer(pod, container, attempt, view),
    startContainer: (pod, container) => ({ error: startProblem(pod, container, view) }),
    containerStatus: (sandbox, container, { startMs, ...options }) => {
      if (startMs === undefined) return followed(sandbox, container, options, view);
      return { status: runFrom(podView(sandbox, view), container, startMs, options, []) };
    },
    stopContainer: (sandbox, container, request) => stopContainer(sandbox, container, request, view, delays),
    execSync: (container, request) => execSync(view, container, request),
    listContainerStats: (pod, containers) => containerStats(pod, containers, view),
    containerUser: (pod, container) => userOf(pod, container, view),
    latency: {
      runPodSandbox: (pod) => delayOf(delays, pod, delays.createMs, "sandbox"),
      startContainer: (pod, { name }) => delayOf(delays, pod, delays.startMs, `start/${name}`),
      updateContainerResources: (pod, generation) => delayOf(delays, pod, delays.startMs, `resize/${generation}`),
    },
    network: podNetwork(view),
    disk: nodeDisk(view),
  };
}

function noAddress({ metadata }: Pod): string {
  const sandbox = stableHex(`${metadata.uid ?? ""}/sandbox`, 64);
  return `rpc error: code = Unknown desc = failed to setup network for sandbox "${sandbox}": plugin type="ptp" failed (add): failed to allocate for range 0: no IP addresses available in range set`;
}

function createContainer(pod: Pod, container: Container, attempt: number, view: ClusterView): CreateContainerResponse {
  const error = subPathProblem(pod, container, view);
  if (error !== undefined) return { error };
  const refused = profileProblem(pod, container, view);
  if (refused !== undefined) return { error: refused, isRefused: true };
  const name = `${pod.metadata.uid ?? ""}/${container.name}/${attempt}`;
  return {
    get containerId() {
      return `containerd://${stableHex(name, 64)}`;
    },
  };
}

function podView({ pod, containers, alone }: PodSandboxConfig, view: ClusterView): PodView {
  // The statuses that a kubelet keeps during a sync are traces of this runtime.
  return { pod, view, containers, alone: alone as Map<string, Trace> };
}

/** Follows the present run of a container. */
function followed(
  sandbox: PodSandboxConfig,
  container: ContainerConfig,
  options: RunOptions,
  view: ClusterView,
): (ContainerStatusResponse & { readonly status: Trace }) | undefined {
  const present = startingNow(view, sandbox.pod, sandbox.nowMs);
  const status = presentRun(podView(sandbox, present), container, options);
  return status && { status };
}

const killedCode = 137;

function stopContainer(
  sandbox: PodSandboxConfig,
  container: ContainerConfig,
  { atMs, timeoutMs }: StopContainerRequest,
  view: ClusterView,
  delays: Delays,
): StopContainerResponse | undefined {
  const killMs = container.spec.lifecycle?.stopSignal === "SIGKILL" ? atMs : atMs + timeoutMs;
  const response = followed(sandbox, container, { untilMs: killMs, termMs: atMs }, view);
  if (!response) return undefined;
  const { end, heedsTerm } = response.status;
  if (end && end.atMs <= killMs) return { ...response, end };
  const handledMs = atMs + delayOf(delays, sandbox.pod, delays.stopMs, `stop/${container.spec.name}`);
  if (heedsTerm && handledMs < killMs) return { ...response, end: { atMs: handledMs, exitCode: 0, oom: false } };
  return { ...response, end: { atMs: killMs, exitCode: killedCode, oom: false } };
}

function nodeDisk(view: ClusterView): NodeDisk {
  return {
    hostFiles: (pod) => hostFiles(pod, view),
    makeHostPaths: (pod, atMs) => hostPathEdits(pod, view, atMs),
    readFile: (status, path, atMs) => {
      const run = traceOf(status);
      return run.edits.some((edit) => edit.path === path) ? (filesAt(run, atMs).get(path)?.text ?? "") : "";
    },
    readLog: (status, atMs) =>
      traceOf(status)
        .chunks.filter((chunk) => chunk.atMs <= atMs)
        .map((chunk) => chunk.text)
        .join(""),
    volumeChanges: (sandbox, container, status, startMs, untilMs) => {
      const { pod } = sandbox;
      const edits = durableEdits(podView(sandbox, view), container, traceOf(status), startMs, untilMs);
      return edits.length === 0 ? [] : [{ pod, container: container.spec.name, edits }];
    },
  };
}
