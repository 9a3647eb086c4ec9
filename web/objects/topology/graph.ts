// The graph of a namespace: traffic from Ingresses over Services to pods, or owners and the objects they own. Independent of the page.
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { compareText } from "../../live/order.ts";
import type { Tone } from "../../live/status.ts";
import type { Workload } from "../../live/workloads.ts";

export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly object: KubeObject;
  readonly tone: Tone;
  /** The column, from 0. */
  readonly layer: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface Traffic {
  readonly ingresses: readonly KubeObject[];
  readonly services: readonly Service[];
  readonly pods: readonly Pod[];
  readonly servicesOf: (ingress: KubeObject) => readonly string[];
  readonly podsOf: (service: Service) => readonly Pod[];
  readonly toneOf: (pod: Pod) => Tone;
}

/** Returns the graph of traffic. Pods without a service are left out. */
export function trafficGraph({ ingresses, services, servicesOf, podsOf, toneOf }: Traffic): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  const put = (kind: string, object: KubeObject, layer: number, tone: Tone): string => {
    const id = `${kind} ${object.metadata.uid ?? ""}`;
    nodes.set(id, { id, kind, object, layer, tone });
    return id;
  };
  const ids = new Map<string, string>();
  for (const service of [...services].sort(byPlace)) {
    const pods = podsOf(service);
    const isReached = pods.some((pod) => toneOf(pod) === "ok");
    const hasSelector = Object.keys(service.spec.selector ?? {}).length > 0;
    const id = put("Service", service, 1, isReached ? "ok" : hasSelector ? "bad" : "idle");
    ids.set(`${service.metadata.namespace}/${service.metadata.name}`, id);
    for (const pod of [...pods].sort(byPlace)) edges.push({ from: id, to: put("Pod", pod, 2, toneOf(pod)) });
  }
  for (const ingress of [...ingresses].sort(byPlace)) {
    const to = servicesOf(ingress).flatMap((name) => ids.get(`${ingress.metadata.namespace}/${name}`) ?? []);
    const from = put("Ingress", ingress, 0, to.length > 0 ? "ok" : "bad");
    for (const target of to) edges.push({ from, to: target });
  }
  return { nodes: [...nodes.values()], edges };
}

/** Returns the graph of owners from the tree of workloads, without earlier revisions. */
export function ownersGraph(tree: readonly Workload[]): Graph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const visit = ({ kind, object, status, children }: Workload, layer: number): string => {
    const id = `${kind} ${object.metadata.uid ?? ""}`;
    nodes.push({ id, kind, object, layer, tone: status.tone });
    for (const child of children) if (!child.isHistory) edges.push({ from: id, to: visit(child, layer + 1) });
    return id;
  };
  for (const root of tree) visit(root, 0);
  return { nodes, edges };
}

export interface Placed {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly placed: ReadonlyMap<string, Placed>;
  readonly columns: number;
  readonly rows: number;
}

/** Places each node in its column, near its predecessors: `x` counts columns, `y` rows. */
export function layoutOf({ nodes, edges }: Graph): Layout {
  const placed = new Map<string, Placed>();
  const layers = [...new Set(nodes.map(({ layer }) => layer))].sort((a, b) => a - b);
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
  }
  const widest = layers.reduce((most, layer) => {
    const count = (of: number) => nodes.filter((node) => node.layer === of).length;
    return count(layer) > count(most) ? layer : most;
  }, layers[0] ?? 0);
  // Starts at the fullest column and continues to both sides.
  const order = [...layers].sort((a, b) => Math.abs(a - widest) - Math.abs(b - widest));
  let rows = 0;
  for (const layer of order) {
    const layerNodes = nodes.filter((node) => node.layer === layer);
    const desired = layerNodes.map((node, at) => ({ node, y: middleOf(neighbours.get(node.id) ?? [], placed) ?? at }));
    let next = 0;
    for (const { node, y } of desired.sort((a, b) => a.y - b.y)) {
      const row = Math.max(next, y);
      placed.set(node.id, { node, x: layers.indexOf(layer), y: row });
      next = row + 1;
    }
    rows = Math.max(rows, next);
  }
  return { placed, columns: layers.length, rows };
}

function middleOf(ids: readonly string[], placed: ReadonlyMap<string, Placed>): number | undefined {
  const all = ids.flatMap((id) => placed.get(id)?.y ?? []);
  return all.length === 0 ? undefined : all.reduce((sum, y) => sum + y, 0) / all.length;
}

function byPlace({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compareText(a.namespace ?? "", b.namespace ?? "") || compareText(a.name ?? "", b.name ?? "");
}
