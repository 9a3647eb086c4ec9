// Nodes as cards, with a dot for each pod.
import { messages } from "../messages.ts";
import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { summarize } from "../../shared/k8s/pod-summary.ts";
import { compareNumbered, compareText } from "../live/order.ts";
import { nodeStatus, podStatus } from "../live/status.ts";
import { Age } from "../parts/age.tsx";
import { usageOf } from "../objects/node-sums.ts";
import { Chip } from "../parts/chip.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { toggle, useLive } from "./context.ts";
import { ObjectButton } from "./object-button.tsx";

const cardsAtFirst = 24;
const dotsAtMost = 110;

export function NodeCards() {
  const { cluster } = useLive();
  const [limit, setLimit] = useState(cardsAtFirst);
  const nodes = useComputed(() => [...cluster.nodes.all.value].sort(byName));
  const podsOf = useComputed(() => Map.groupBy(cluster.pods.all.value, ({ spec }) => spec.nodeName ?? ""));
  if (nodes.value.length === 0) return <p class="empty">{messages.overview.noNodes}</p>;
  return (
    <>
      <ul class="cards">
        {nodes.value.slice(0, limit).map((node) => (
          <NodeCard key={node.metadata.uid} node={node} pods={podsOf.value.get(node.metadata.name ?? "") ?? []} />
        ))}
      </ul>
      <MoreButton
        more={nodes.value.length > limit ? () => setLimit(limit * 4) : undefined}
        label={messages.common.showMore(nodes.value.length - limit)}
      />
    </>
  );
}

function NodeCard({ node, pods }: { readonly node: Node; readonly pods: readonly Pod[] }) {
  const { metadata, status } = node;
  const address = status.addresses?.find(({ type }) => type === "InternalIP")?.address;
  return (
    <li class="card" data-kind="Node" data-name={metadata.name}>
      <div class="top">
        <ObjectButton kind="Node" object={node} />
        <Chip status={nodeStatus(node)} />
      </div>
      <p class="facts">
        <span>{address}</span>
        <span>{status.nodeInfo.kubeletVersion}</span>
        <span>
          <Age time={metadata.creationTimestamp} />
        </span>
      </p>
      <Requests node={node} pods={pods} />
      <Dots pods={pods} />
    </li>
  );
}

/** The requests of a node's pods relative to its capacity. */
function Requests({ node, pods }: { readonly node: Node; readonly pods: readonly Pod[] }) {
  const [cpu, memory] = usageOf(node, pods, undefined).map(
    ({ requestedShare }) => `${Math.round(requestedShare * 100)} %`,
  );
  return <p class="facts">{messages.overview.requested(cpu ?? "", memory ?? "")}</p>;
}

function Dots({ pods }: { readonly pods: readonly Pod[] }) {
  const live = useLive();
  const count = messages.overview.podCount(pods.length);
  const dots = [...pods].sort(byBirth).slice(0, dotsAtMost);
  return (
    <div class="dots">
      {dots.map((pod) => {
        const { text, tone } = podStatus(pod, summarize(pod));
        const label = `${pod.metadata.name ?? ""}: ${text}`;
        const choose = () => toggle(live, "Pod", pod);
        // The tree above offers the same to keyboard users.
        return <span key={pod.metadata.uid} class={`dot ${tone}`} title={label} onClick={choose} aria-hidden="true" />;
      })}
      <span class="count">{count}</span>
    </div>
  );
}

function byName({ metadata: left }: Node, { metadata: right }: Node): number {
  return compareNumbered(left.name ?? "", right.name ?? "");
}

function byBirth({ metadata: left }: Pod, { metadata: right }: Pod): number {
  return (
    compareText(left.creationTimestamp ?? "", right.creationTimestamp ?? "") ||
    compareText(left.name ?? "", right.name ?? "")
  );
}
