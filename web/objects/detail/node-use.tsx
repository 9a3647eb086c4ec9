// Requests and usage of a node's pods as bars, and the list of these pods.
import { useEffect, useState } from "preact/hooks";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { quantityMilliValue, quantityValue } from "../../../shared/k8s/quantity.ts";
import { ask } from "../../api/cluster.ts";
import { messages } from "../../messages.ts";
import { useLive } from "../../view/context.ts";
import { type ResourceUsage, usageOf } from "../node-sums.ts";

const mebibyte = 1024 * 1024;
const againMs = 15_000;

export function NodeUse({ node, pods }: { readonly node: KubeObject; readonly pods: readonly Pod[] }) {
  const usage = useUsage(node.metadata.name ?? "");
  return (
    <>
      <h3>{messages.nodes.use}</h3>
      <dl class="uses">
        {usageOf(node, pods, usage).map((use) => (
          <div key={use.name}>
            <dt>{messages.nodes.of[use.name]}</dt>
            <dd>
              <Bar
                share={use.requestedShare}
                label={messages.nodes.requested(use.requested, use.allocatable)}
                isUse={false}
              />
              {use.used !== undefined && (
                <Bar share={use.usedShare ?? 0} label={messages.nodes.used(shortOf(use))} isUse />
              )}
              {use.limitsShare > 0 && <span class="muted">{messages.nodes.limits(percent(use.limitsShare))}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function shortOf({ name, used = "", usedShare = 0 }: ResourceUsage): string {
  const text = name === "cpu" ? `${quantityMilliValue(used)}m` : `${Math.round(quantityValue(used) / mebibyte)}Mi`;
  return `${text} (${percent(usedShare)})`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function Bar({ share, label, isUse }: { readonly share: number; readonly label: string; readonly isUse: boolean }) {
  const tone = share > 0.95 ? "bad" : share > 0.8 ? "busy" : "ok";
  return (
    <p class={`bar-of ${tone}${isUse ? " used" : ""}`}>
      <span class="bar-box" aria-hidden="true">
        <span style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      <span>
        {label} {!isUse && <span class="muted">({percent(share)})</span>}
      </span>
    </p>
  );
}

/** Reads the node's usage periodically while it is shown. Undefined if the cluster has no metrics. */
function useUsage(name: string): Readonly<Record<string, string>> | undefined {
  const { cluster } = useLive();
  const [usage, setUsage] = useState<Readonly<Record<string, string>>>();
  const isMeasured = cluster.served.value?.groups.some(({ group }) => group === "metrics.k8s.io") ?? false;
  useEffect(() => {
    if (!isMeasured) return;
    const look = async () => {
      if (document.hidden || cluster.access.gate.ended.value) return;
      // The list is requested because a missing node would be a failed request.
      const answer = await ask(cluster.access, "/apis/metrics.k8s.io/v1beta1/nodes").catch(() => undefined);
      if (!answer?.ok) return;
      const { items } = (await answer.json()) as {
        items: { metadata: { name: string }; usage: Record<string, string> }[];
      };
      setUsage(items.find(({ metadata }) => metadata.name === name)?.usage);
    };
    void look();
    const timer = setInterval(() => void look(), againMs);
    return () => clearInterval(timer);
  }, [isMeasured, name]);
  return usage;
}
