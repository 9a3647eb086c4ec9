// The cluster in three numbers.
import { messages } from "../messages.ts";
import { useComputed } from "@preact/signals";
import { summarize } from "../../shared/k8s/pod-summary.ts";
import { deploymentStatus, nodeStatus, podStatus } from "../live/status.ts";
import { useLive } from "./context.ts";

export function Summary() {
  const { cluster, namespace } = useLive();
  const numbers = useComputed(() => {
    const here = ({ metadata }: { metadata: { namespace?: string } }) =>
      namespace.value === "" || metadata.namespace === namespace.value;
    const isOk = ({ tone }: { tone: string }) => tone === "ok" || tone === "idle";
    const nodes = cluster.nodes.all.value;
    const deployments = cluster.deployments.all.value.filter(here);
    const pods = cluster.pods.all.value.filter(here);
    return [
      { name: messages.overview.nodes, fine: nodes.filter((node) => isOk(nodeStatus(node))).length, all: nodes.length },
      {
        name: messages.overview.deployments,
        fine: deployments.filter((deployment) => isOk(deploymentStatus(deployment))).length,
        all: deployments.length,
      },
      {
        name: messages.overview.pods,
        fine: pods.filter((pod) => isOk(podStatus(pod, summarize(pod)))).length,
        all: pods.length,
      },
    ];
  });
  return (
    <dl class="summary">
      {numbers.value.map(({ name, fine, all }) => (
        <div key={name} class={fine === all ? "fine" : "moving"}>
          <dt>{name}</dt>
          <dd>
            {fine}/{all}
          </dd>
        </div>
      ))}
    </dl>
  );
}
