// The kubelet's `/metrics` and `/metrics/resource`, in the text format of OpenMetrics. All figures are computed from the node's present pods,
// so counters do not include deleted pods.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { controllerOf } from "../../kinds/metrics/samples.ts";
import { systemUsage, usageNanos } from "../../kinds/metrics/usage.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";

type Client = ReconcileContext["client"];
type Labels = Readonly<Record<string, string>>;
type Family = readonly [
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: readonly (readonly [Labels, number])[],
];

export interface ScrapeOptions {
  readonly atMs: number;
  readonly pays?: ((units: number) => void) | undefined;
}

/** The work of one pod: of reading its statuses, and of finding its controller. */
const podWork = 20;
/** Nanounits of a quantity in one unit. */
const billion = 1e9;
/** The annotation of a mirror pod. */
const mirror = "kubernetes.io/config.mirror";

/** Returns the metrics at a path; undefined for other paths. */
export function kubeletMetrics(client: Client, node: string, path: string, options: ScrapeOptions): string | undefined {
  if (path === "/metrics") return textOf(kubeletFamilies(client, node, options));
  if (path === "/metrics/resource") return textOf(resourceFamilies(client, node, options));
  return undefined;
}

function kubeletFamilies(client: Client, node: string, { pays }: ScrapeOptions): Family[] {
  const count = { running: 0, desired: 0, active: 0, static: 0 };
  const containers = { created: 0, running: 0, exited: 0 };
  const ended = new Map<string, [Labels, number]>();
  for (const pod of podsOf(client, node, pays)) {
    const isStatic = pod.metadata.annotations?.[mirror] !== undefined;
    const isActive = pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed";
    if (isStatic) count.static++;
    else count.desired++;
    if (isActive && !isStatic) count.active++;
    if (pod.status.phase === "Running") count.running++;
    for (const { type, status } of statusesOf(pod)) {
      const { running, terminated, waiting } = status.state;
      if (running) containers.running++;
      if (terminated) containers.exited++;
      if (waiting && status.containerID) containers.created++;
      const earlier = status.lastState.terminated;
      if (terminated) addEnd(ended, type, terminated, 1);
      if (earlier) addEnd(ended, type, earlier, Math.max(status.restartCount, 1));
    }
  }
  const object = client.get(nodes, "", node);
  const kubeletVersion = object?.status.nodeInfo.kubeletVersion ?? "";
  const [major = "", minor = ""] = kubeletVersion.slice(1).split(".");
  const build = { git_version: kubeletVersion, major, minor, platform: "linux/amd64" };
  const created = object?.metadata.creationTimestamp;
  return [
    ["kubernetes_build_info", "gauge", "The version of the kubelet. The value is always 1.", [[build, 1]]],
    ["kubelet_node_name", "gauge", "The name of the node. The value is always 1.", [[{ node }, 1]]],
    ["kubelet_running_pods", "gauge", "The number of pods with a sandbox that runs.", [[{}, count.running]]],
    [
      "kubelet_running_containers",
      "gauge",
      "The number of containers, by state.",
      Object.entries(containers).map(([container_state, value]) => [{ container_state }, value]),
    ],
    [
      "kubelet_desired_pods",
      "gauge",
      "The number of pods that the kubelet is to run.",
      byStatic(count.desired, count.static),
    ],
    ["kubelet_active_pods", "gauge", "The number of pods that have not ended.", byStatic(count.active, count.static)],
    ["kubelet_mirror_pods", "gauge", "The number of mirror pods.", [[{}, count.static]]],
    ["kubelet_terminated_containers_total", "counter", "The number of containers that ended.", [...ended.values()]],
    [
      "process_start_time_seconds",
      "gauge",
      "When the kubelet started, in seconds since 1970.",
      created ? [[{}, parseTime(created) / 1000]] : [],
    ],
  ];
}

function byStatic(regularCount: number, staticCount: number): readonly (readonly [Labels, number])[] {
  return [
    [{ static: "" }, regularCount],
    [{ static: "true" }, staticCount],
  ];
}

function addEnd(
  ended: Map<string, [Labels, number]>,
  container_type: string,
  { exitCode, reason = "" }: { readonly exitCode: number; readonly reason?: string },
  times: number,
): void {
  const key = `${container_type}/${exitCode}/${reason}`;
  const sample = ended.get(key) ?? [{ container_type, exit_code: String(exitCode), reason }, 0];
  sample[1] += times;
  ended.set(key, sample);
}

function resourceFamilies(client: Client, node: string, { atMs, pays }: ScrapeOptions): Family[] {
  const system = systemUsage(node);
  const created = client.get(nodes, "", node)?.metadata.creationTimestamp;
  let nodeCpu = created ? (toUnits(system.cpu) * Math.max(atMs - parseTime(created), 0)) / 1000 : 0;
  let nodeMemory = toUnits(system.memory);
  const containers = { starts: newSamples(), cpu: newSamples(), memory: newSamples() };
  const sums = { cpu: newSamples(), memory: newSamples() };
  for (const pod of podsOf(client, node, pays)) {
    const { namespace = "", name = "" } = pod.metadata;
    const controller = controllerOf(pod, client);
    const sum = { cpu: 0, memory: 0, isRunning: false };
    for (const { container, status } of statusesOf(pod)) {
      const startedAt = status.state.running?.startedAt;
      if (!startedAt || !container) continue;
      const startMs = parseTime(startedAt);
      const labels = { container: container.name, namespace, pod: name };
      const cpu = (toUnits(usageNanos(pod, container, controller, "cpu")) * Math.max(atMs - startMs, 0)) / 1000;
      const memory = toUnits(usageNanos(pod, container, controller, "memory"));
      containers.starts.push([labels, startMs / 1000]);
      containers.cpu.push([labels, cpu]);
      containers.memory.push([labels, memory]);
      sum.cpu += cpu;
      sum.memory += memory;
      sum.isRunning = true;
    }
    if (!sum.isRunning) continue;
    sums.cpu.push([{ namespace, pod: name }, sum.cpu]);
    sums.memory.push([{ namespace, pod: name }, sum.memory]);
    nodeCpu += sum.cpu;
    nodeMemory += sum.memory;
  }
  return [
    ["container_cpu_usage_seconds_total", "counter", "CPU time of a container, in core seconds.", containers.cpu],
    ["container_memory_working_set_bytes", "gauge", "The working set of a container.", containers.memory],
    ["container_start_time_seconds", "gauge", "When a container started, in seconds since 1970.", containers.starts],
    ["node_cpu_usage_seconds_total", "counter", "CPU time of the node, in core seconds.", [[{}, nodeCpu]]],
    ["node_memory_working_set_bytes", "gauge", "The working set of the node.", [[{}, nodeMemory]]],
    ["pod_cpu_usage_seconds_total", "counter", "CPU time of a pod, in core seconds.", sums.cpu],
    ["pod_memory_working_set_bytes", "gauge", "The working set of a pod.", sums.memory],
    ["resource_scrape_error", "gauge", "1 if the measuring of containers failed.", [[{}, 0]]],
    ["scrape_error", "gauge", "The same, under its older name.", [[{}, 0]]],
  ];
}

function newSamples(): [Labels, number][] {
  return [];
}

function toUnits(nanos: bigint): number {
  return Number(nanos) / billion;
}

function* podsOf(client: Client, node: string, pays: ScrapeOptions["pays"]): Generator<Pod> {
  for (const pod of client.byIndexValue(pods, node)) {
    pays?.(podWork);
    yield pod;
  }
}

function statusesOf({ spec, status }: Pod) {
  const lists = [
    ["container", spec.containers, status.containerStatuses],
    ["init_container", spec.initContainers, status.initContainerStatuses],
  ] as const;
  return lists.flatMap(([type, containers = [], statuses = []]) =>
    statuses.map((containerStatus) => ({
      type,
      status: containerStatus,
      container: containers.find(({ name }) => name === containerStatus.name),
    })),
  );
}

function textOf(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText([name, type, help, samples]: Family): string {
  if (samples.length === 0) return "";
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
