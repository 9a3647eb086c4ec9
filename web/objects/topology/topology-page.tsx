// A namespace as a graph of traffic or of owners.
import { useComputed } from "@preact/signals";
import { summarize } from "../../../shared/k8s/pod-summary.ts";
import { podStatus } from "../../live/status.ts";
import { workloadTree } from "../../live/workloads.ts";
import { messages } from "../../messages.ts";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { refOf, refText } from "../../live/reference.ts";
import type { ClusterState } from "../../live/cluster-state.ts";
import { NamespaceFilter } from "../../view/namespace-filter.tsx";
import { isLoaded, isOpened, open, useLive } from "../../view/context.ts";
import { selectedBy, servicesOf } from "../related.ts";
import { type Graph, type GraphNode, type Layout, layoutOf, ownersGraph, trafficGraph } from "./graph.ts";
import { Loading } from "../../parts/loading.tsx";

const columnPx = 250;
const rowPx = 38;
const nodePx = 200;
const maxNodes = 300;
const resources: Readonly<Record<string, string>> = {
  Ingress: "ingresses.networking.k8s.io",
  Service: "services",
  Pod: "pods",
  Deployment: "deployments.apps",
  ReplicaSet: "replicasets.apps",
  StatefulSet: "statefulsets.apps",
  DaemonSet: "daemonsets.apps",
  Job: "jobs.batch",
  CronJob: "cronjobs.batch",
};

export function TopologyPage() {
  const { cluster, namespace, place } = useLive();
  const isOwners = place.get("from") === "owners";
  const graph = useComputed(() =>
    place.get("from") === "owners" ? ownersGraphOf(cluster, namespace.value) : trafficGraphOf(cluster, namespace.value),
  ).value;
  const hasLoaded = isLoaded(cluster);
  return (
    <section class="panel list" aria-label={messages.tabs.topology}>
      <div class="tools">
        <h2>{messages.tabs.topology}</h2>
        <select
          aria-label={messages.topology.what}
          value={isOwners ? "owners" : ""}
          onChange={({ currentTarget }) => place.go({ from: currentTarget.value }, "replace")}
        >
          <option value="">{messages.topology.traffic}</option>
          <option value="owners">{messages.topology.owners}</option>
        </select>
        <NamespaceFilter />
      </div>
      {!hasLoaded && <Loading />}
      {hasLoaded && graph.nodes.length === 0 && (
        <p class="empty">{isOwners ? messages.topology.noOwners : messages.topology.noTraffic}</p>
      )}
      {graph.nodes.length > maxNodes && <p class="empty">{messages.topology.tooMany(graph.nodes.length)}</p>}
      {hasLoaded && graph.nodes.length > 0 && graph.nodes.length <= maxNodes && <Drawing graph={graph} />}
    </section>
  );
}

function trafficGraphOf(cluster: ClusterState, namespace: string): Graph {
  const inNamespace = <T extends { metadata: { namespace?: string } }>(all: readonly T[]) =>
    all.filter(({ metadata }) => namespace === "" || metadata.namespace === namespace);
  const pods = inNamespace(cluster.pods.all.value);
  return trafficGraph({
    ingresses: inNamespace(cluster.collection("/apis/networking.k8s.io/v1/ingresses").all.value),
    services: inNamespace(cluster.services.all.value),
    pods,
    servicesOf,
    podsOf: ({ metadata, spec }) =>
      selectedBy(
        spec.selector,
        pods.filter((pod) => pod.metadata.namespace === metadata.namespace),
      ),
    toneOf: (pod) => podStatus(pod, summarize(pod)).tone,
  });
}

function ownersGraphOf(cluster: ClusterState, namespace: string): Graph {
  const { deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs, pods } = cluster;
  const objects = {
    deployments: deployments.all.value,
    replicaSets: replicaSets.all.value,
    statefulSets: statefulSets.all.value,
    daemonSets: daemonSets.all.value,
    cronJobs: cronJobs.all.value,
    jobs: jobs.all.value,
    pods: pods.all.value,
  };
  return ownersGraph(workloadTree(objects, namespace));
}

function Drawing({ graph }: { readonly graph: Graph }) {
  const layout = layoutOf(graph);
  const size = { width: layout.columns * columnPx, height: layout.rows * rowPx + rowPx };
  return (
    <div class="scroll drawing" tabIndex={0} role="group" aria-label={messages.topology.drawing}>
      <div class="canvas" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        <svg {...size} aria-hidden="true">
          {graph.edges.map(({ from, to }) => (
            <path key={`${from} ${to}`} d={pathOf(layout, from, to)} />
          ))}
        </svg>
        <ul>
          {[...layout.placed.values()].map(({ node, x, y }) => (
            <li
              key={node.id}
              style={{ left: `${x * columnPx + 16}px`, top: `${y * rowPx + 12}px`, width: `${nodePx}px` }}
            >
              <NodeLink node={node} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function NodeLink({ node: { kind, object, tone } }: { readonly node: GraphNode }) {
  const live = useLive();
  const ref = refOf(resources[kind] ?? "", object);
  return (
    <a
      class={isOpened(live, ref) ? `node-box ${tone} chosen` : `node-box ${tone}`}
      href={live.place.href({ open: refText(ref), pane: "" })}
      title={`${kind} ${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        open(live, ref);
      }}
    >
      <KindBadge kind={kind} />
      <span class="name">{object.metadata.name}</span>
    </a>
  );
}

function pathOf({ placed }: Layout, from: string, to: string): string {
  const [start, end] = [placed.get(from), placed.get(to)];
  if (!start || !end) return "";
  const middlePx = (y: number) => y * rowPx + 12 + 15;
  const [x1, x2] = [start.x * columnPx + 16 + nodePx, end.x * columnPx + 16];
  const bendPx = (x1 + x2) / 2;
  return `M ${x1} ${middlePx(start.y)} C ${bendPx} ${middlePx(start.y)}, ${bendPx} ${middlePx(end.y)}, ${x2} ${middlePx(end.y)}`;
}
