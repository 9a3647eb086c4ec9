// The effects of faults on the cluster itself: its history, controllers, nodes, containers and clock. The controller of the faults applies
// them when a fault begins and takes them back when it ends.
import type { FaultAction } from "../../../../shared/contract/cluster/faults.ts";
import type { Node } from "../../../../shared/k8s/api/core-v1.ts";
import { nodes } from "../../../kinds/core/node/node.ts";
import { isSimulated, simulatedAnnotation } from "../../../kinds/core/node/simulated.ts";
import { pods } from "../../../kinds/core/pod/pod.ts";
import { kubeletController } from "../../../kubelet/kubelet.ts";
import { killRequest } from "../../../kubelet/node-faults.ts";
import { nodeLifecycleController } from "../../../kubelet/node-lifecycle.ts";
import type { Client } from "../../../registry/client.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { Store } from "../../../store/store.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { FaultEngine } from "./engine.ts";
import { type ActiveFault, endRenewal, isRenewalDue } from "./fault-record.ts";

export interface EffectHost {
  readonly store: Store;
  readonly clock: ClusterClock;
  readonly runtime: Pick<Runtime, "stopControllers" | "request">;
  readonly client: Client;
  readonly nowMs: number;
}

type Host = EffectHost & { readonly engine: FaultEngine };
type NodeFault = Extract<FaultAction, { node: string }>["node"];

/** Applies what is due. */
export function applyEffects(engine: FaultEngine, host: EffectHost): void {
  if (isRenewalDue(engine.sql)) renewNodes({ ...host, engine });
  for (const entry of engine.takeDue()) {
    const isBeginning = entry.progress.state === "active";
    const effect = apply(entry, { ...host, engine }, isBeginning);
    if (isBeginning) engine.noteEffect(entry, effect, aboutOf(entry));
  }
  stopControllers(engine, host.runtime);
}

/** Stops the controllers that active faults name, by their own name or by that of the component they belong to. */
export function stopControllers(engine: FaultEngine, runtime: Pick<Runtime, "stopControllers">): void {
  const names = new Set(engine.active.flatMap(({ fault: { action } }) => ("stop" in action ? [action.stop] : [])));
  runtime.stopControllers("faults", (controller) => namesOf(controller).some((name) => names.has(name)));
}

/** Returns the names by which a controller is stopped. */
export function namesOf({ name, user }: { readonly name: string; readonly user?: string | undefined }): string[] {
  return [
    name,
    ...(user?.startsWith("system:node:") ? ["kubelet"] : []),
    ...(user ? [user.split(":").at(-1) ?? ""] : []),
  ];
}

function apply(entry: ActiveFault, host: Host, isBeginning: boolean): string {
  const { action } = entry.fault;
  if ("stop" in action) return `${action.stop} is stopped`;
  if ("compact" in action) return isBeginning ? compact(host) : "";
  if ("clock" in action) return isBeginning ? jump(host, action.clock) : "";
  if ("container" in action) return isBeginning ? killContainers(entry, action, host) : "";
  if ("node" in action) return changeNodes(entry, action.node, host, isBeginning);
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

/** Has the kubelets end the running containers of the selected pods as the kernel does: without their consent. */
function killContainers(entry: ActiveFault, action: ContainerAction, { engine, client, runtime }: Host): string {
  const { namespace, name } = entry.fault.selector;
  const reason = action.container === "oom" ? "OOMKilled" : "Error";
  let killed = 0;
  for (const pod of client.list(pods, { namespace })) {
    const { metadata, status } = pod;
    if ((name !== undefined && metadata.name !== name) || !engine.isInShare(entry, metadata.uid ?? "")) continue;
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const running = all.filter(({ state, name }) => state.running && (action.of ?? name) === name);
    if (running.length === 0) continue;
    killed += running.length;
    runtime.request(kubeletController, killRequest(pod, { reason, ...(action.of ? { container: action.of } : {}) }));
  }
  const verb = reason === "OOMKilled" ? "out of memory" : "killed";
  return killed === 1 ? `a container is ${verb}` : `${killed} containers are ${verb}`;
}

/** The annotation that keeps the original mark of a simulated node whose kubelet a fault has stopped. */
const stoppedAnnotation = "faults.sandbar.dev/stopped";

const nodeEffects: Record<NodeFault, string> = {
  notReady: "not ready",
  gone: "gone",
  partitioned: "partitioned",
  diskPressure: "short of disk",
  memoryPressure: "short of memory",
};

function changeNodes({ fault, progress }: ActiveFault, state: NodeFault, host: Host, isBeginning: boolean): string {
  const { client, runtime } = host;
  const { name } = fault.selector;
  const selected = client.list(nodes).filter(({ metadata }) => name === undefined || metadata.name === name);
  const names = selected.map(({ metadata }) => metadata.name ?? "");
  if (state === "gone") {
    if (isBeginning) progress.nodes = names;
    for (const node of isBeginning ? names : (progress.nodes ?? [])) moveNode(node, host, isBeginning);
  } else if (state === "partitioned") {
    for (const node of selected) client.update(nodes, isBeginning ? stopNode(node) : resumeNode(node));
  } else {
    // The kubelets read the faults: see `FaultyNodes`.
    for (const node of names) {
      runtime.request(state === "notReady" ? nodeLifecycleController : kubeletController, {
        namespace: "",
        name: node,
      });
      if (state === "notReady") syncPods(node, host);
    }
  }
  const subject = names.length === 1 ? `${names[0]} is` : `${names.length} nodes are`;
  return `${subject} ${nodeEffects[state]}`;
}

/** Has the nodes of a state that the cluster was set to be as the active faults say: those of its own faults are over. */
function renewNodes(host: Host): void {
  const { engine, client, runtime } = host;
  const isPartitioned = (name: string) =>
    engine.active.some(
      ({ fault: { action, selector } }) =>
        "node" in action && action.node === "partitioned" && (selector.name ?? name) === name,
    );
  for (const node of client.list(nodes)) {
    const { name = "" } = node.metadata;
    client.update(nodes, isPartitioned(name) ? stopNode(node) : resumeNode(node));
    if (!node.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"))
      syncPods(name, host);
    for (const controller of [nodeLifecycleController, kubeletController])
      runtime.request(controller, { namespace: "", name });
  }
  endRenewal(engine.sql);
}

/** Deletes a node as a cloud controller does when its machine is gone, or has the kubelet of a machine that is back register it. */
function moveNode(name: string, { client }: Host, isBeginning: boolean): void {
  if (isBeginning) client.tryDelete(nodes, "", name, {});
  else if (!client.get(nodes, "", name))
    client.create(nodes, { metadata: { name, annotations: { [simulatedAnnotation]: "true" } }, spec: {} });
}

/** Has the kubelet look at the pods of a node whose container runtime responds again. */
function syncPods(node: string, { client, runtime }: Host): void {
  for (const { metadata } of client.byIndexValue(pods, node))
    runtime.request(kubeletController, { namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
}

/** Returns a node whose kubelet is not heard of any more. */
function stopNode(node: Node): Node {
  if (!isSimulated(node)) return node;
  const { [simulatedAnnotation]: mark = "", ...annotations } = node.metadata.annotations ?? {};
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, [stoppedAnnotation]: mark } } };
}

/** Returns a node whose kubelet is heard of again. */
export function resumeNode(node: Node): Node {
  const { [stoppedAnnotation]: mark, ...annotations } = node.metadata.annotations ?? {};
  if (mark === undefined) return node;
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, [simulatedAnnotation]: mark } } };
}

function aboutOf({ fault: { action, selector } }: ActiveFault) {
  const resource = "node" in action ? nodes.resource : "container" in action ? pods.resource : undefined;
  if (resource === undefined) return {};
  return { resource, ...optional("namespace", selector.namespace), ...optional("name", selector.name) };
}

function optional<N extends string>(key: N, value: string | undefined): Partial<Record<N, string>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<N, string>>);
}
