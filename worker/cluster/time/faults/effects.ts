// The effects of faults on the cluster itself: its history, controllers, nodes, containers and clock. The controller of the faults applies
// them when a fault begins and takes them back when it ends.
import type { FaultAction } from "../../../../shared/contract/cluster/faults.ts";
import type { ContainerStatus, Node, NodeCondition } from "../../../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { nodes } from "../../../kinds/core/node/node.ts";
import { isSimulated, simulatedAnnotation } from "../../../kinds/core/node/simulated.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Store } from "../../../store/store.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { FaultEngine } from "./engine.ts";
import type { ActiveFault } from "./fault-record.ts";

export interface EffectHost {
  readonly store: Store;
  readonly clock: ClusterClock;
  readonly runtime: Pick<Runtime, "stopControllers">;
  readonly client: Client;
  readonly nowMs: number;
}

/** Applies what is due. */
export function applyEffects(engine: FaultEngine, host: EffectHost): void {
  for (const entry of engine.takeDue()) {
    const isBeginning = entry.progress.state === "active";
    const effect = apply(entry, host, isBeginning);
    if (isBeginning) engine.noteEffect(entry, effect, aboutOf(entry));
  }
  stopControllers(engine, host.runtime);
}

/** Stops the controllers that active faults name, by their own name or by that of the component they belong to. */
export function stopControllers(engine: FaultEngine, runtime: EffectHost["runtime"]): void {
  const names = new Set(engine.active.flatMap(({ fault: { action } }) => ("stop" in action ? [action.stop] : [])));
  runtime.stopControllers((controller) => namesOf(controller).some((name) => names.has(name)));
}

/** Returns the names by which a controller is stopped. */
export function namesOf({ name, user }: { readonly name: string; readonly user?: string | undefined }): string[] {
  return [
    name,
    ...(user?.startsWith("system:node:") ? ["kubelet"] : []),
    ...(user ? [user.split(":").at(-1) ?? ""] : []),
  ];
}

function apply({ fault: { action, selector } }: ActiveFault, host: EffectHost, isBeginning: boolean): string {
  if ("stop" in action) return `${action.stop} is stopped`;
  if ("compact" in action) return isBeginning ? compact(host) : "";
  if ("clock" in action) return isBeginning ? jump(host, action.clock) : "";
  if ("container" in action) return isBeginning ? endContainers(host, selector, action) : "";
  if ("node" in action) return changeNodes(host, selector.name, action.node, isBeginning);
  return "";
}

function compact({ store }: EffectHost): string {
  store.compact(store.revision);
  return `the history is compacted at revision ${store.revision}`;
}

function jump({ clock }: EffectHost, ms: number): string {
  clock.set({ nowMs: clock.nowMs() + ms });
  return `the clock jumps by ${ms} ms`;
}

type ContainerAction = Extract<FaultAction, { container: string }>;

/** Ends the running containers of the selected pods as the kernel does: without their consent. */
function endContainers(
  { client, nowMs }: EffectHost,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  action: ContainerAction,
): string {
  let ended = 0;
  for (const pod of client.list(pods, { namespace })) {
    if (name !== undefined && pod.metadata.name !== name) continue;
    const containerStatuses = pod.status.containerStatuses?.map((status) =>
      action.of === undefined || action.of === status.name ? endedStatus(status, action, nowMs) : status,
    );
    const changed =
      containerStatuses?.filter((status, at) => status !== pod.status.containerStatuses?.[at]).length ?? 0;
    if (changed === 0 || !containerStatuses) continue;
    client.updateStatus(pods, { ...pod, status: { ...pod.status, containerStatuses } });
    ended += changed;
  }
  return `${ended} containers are ${action.container === "oom" ? "out of memory" : "killed"}`;
}

function endedStatus(status: ContainerStatus, { container }: ContainerAction, nowMs: number): ContainerStatus {
  const { running } = status.state;
  if (!running) return status;
  const reason = container === "oom" ? "OOMKilled" : "Error";
  const finishedAt = rfc3339(nowMs);
  const terminated = {
    exitCode: 137,
    reason,
    startedAt: running.startedAt,
    finishedAt,
    containerID: status.containerID,
  };
  return { ...status, ready: false, started: false, state: { terminated } };
}

/** The annotation that keeps the original mark of a simulated node whose kubelet a fault has stopped. */
const stoppedAnnotation = "faults.sandbar.dev/stopped";
const pressures = { diskPressure: "DiskPressure", memoryPressure: "MemoryPressure" } as const;

function changeNodes(
  { client, nowMs }: EffectHost,
  name: string | undefined,
  state: Extract<FaultAction, { node: string }>["node"],
  isBeginning: boolean,
): string {
  const selected = client.list(nodes).filter(({ metadata }) => name === undefined || metadata.name === name);
  for (const node of selected) {
    if (state === "gone" && isBeginning) client.tryDelete(nodes, "", node.metadata.name ?? "", {});
    else if (state === "partitioned") client.update(nodes, isBeginning ? stopNode(node) : resumeNode(node));
    else if (state !== "gone") changeCondition(client, node, state, { isBeginning, nowMs });
  }
  return `${selected.length} nodes are ${state}`;
}

/** Returns a node whose kubelet is not heard of any more. */
function stopNode(node: Node): Node {
  if (!isSimulated(node)) return node;
  const { [simulatedAnnotation]: mark = "", ...annotations } = node.metadata.annotations ?? {};
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, [stoppedAnnotation]: mark } } };
}

function resumeNode(node: Node): Node {
  const { [stoppedAnnotation]: mark, ...annotations } = node.metadata.annotations ?? {};
  if (mark === undefined) return node;
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, [simulatedAnnotation]: mark } } };
}

function changeCondition(
  client: Client,
  node: Node,
  state: "notReady" | keyof typeof pressures,
  { isBeginning, nowMs }: { readonly isBeginning: boolean; readonly nowMs: number },
): void {
  const type = state === "notReady" ? "Ready" : pressures[state];
  const status = (type === "Ready") !== isBeginning ? "True" : "False";
  const at = rfc3339(nowMs);
  const condition = {
    ...{ type, status, lastHeartbeatTime: at, lastTransitionTime: at },
    ...(isBeginning
      ? { reason: state === "notReady" ? "KubeletNotReady" : `KubeletHas${type}`, message: "an injected fault" }
      : {
          reason: state === "notReady" ? "KubeletReady" : `KubeletHasNo${type}`,
          message: "the injected fault has ended",
        }),
  } as NodeCondition;
  const conditions = [...(node.status.conditions ?? []).filter((entry) => entry.type !== type), condition];
  client.updateStatus(nodes, { ...node, status: { ...node.status, conditions } });
}

function aboutOf({ fault: { action, selector } }: ActiveFault) {
  const resource = "node" in action ? nodes.resource : "container" in action ? pods.resource : undefined;
  if (resource === undefined) return {};
  return { resource, ...optional("namespace", selector.namespace), ...optional("name", selector.name) };
}

function optional<N extends string>(key: N, value: string | undefined): Partial<Record<N, string>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<N, string>>);
}
