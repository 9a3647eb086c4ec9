// One sandbox, live: what the console shows of it and what stands alone in a frame.
import { useEffect, useMemo } from "preact/hooks";
import type { ClusterAccess } from "../api/cluster.ts";
import { type ClusterState, followCluster } from "../live/cluster-state.ts";
import type { LinkState } from "../live/informer.ts";
import { LinkIndicator } from "../parts/link-indicator.tsx";
import { LiveProvider, newLiveContext, useLive } from "./context.ts";
import { Detail } from "./detail.tsx";
import { Events } from "./events.tsx";
import { NamespaceFilter } from "./namespace-filter.tsx";
import { NodeCards } from "./node-cards.tsx";
import { ServiceTable } from "./service-table.tsx";
import { Summary } from "./summary.tsx";
import { WorkloadTable } from "./workload-table.tsx";

interface Props {
  /** The same one as long as the sandbox is. */
  readonly access: ClusterAccess;
  readonly namespace?: string;
  /** Where it is followed already. */
  readonly cluster?: ClusterState;
}

export function LiveView({ access, namespace = "", cluster }: Props) {
  const { live, stop } = useMemo(() => {
    const stop = new AbortController();
    return { stop, live: newLiveContext(cluster ?? followCluster(access, stop.signal), namespace) };
  }, [access, cluster]);
  useEffect(() => () => stop.abort(), [stop]);
  return (
    <LiveProvider value={live}>
      <Board />
    </LiveProvider>
  );
}

function Board() {
  const { cluster, selection } = useLive();
  const link = cluster.link.value;
  const chosen = selection.value;
  if (link.phase === "refused" && !cluster.loaded.value) return <Refused state={link} />;
  return (
    <div class={link.phase === "refused" ? "live past" : "live"} aria-busy={!cluster.loaded.value}>
      <div class="bar">
        <LinkIndicator state={link} />
        <NamespaceFilter />
        <Summary />
      </div>
      {link.phase === "refused" && <Refused state={link} />}
      <div class="columns">
        <div class="main">
          <section class="panel">
            <h2>Workloads</h2>
            {cluster.loaded.value ? <WorkloadTable /> : <p class="empty">Loading…</p>}
          </section>
          <section class="panel">
            <h2>Nodes</h2>
            {cluster.loaded.value && <NodeCards />}
          </section>
          <section class="panel">
            <h2>Services</h2>
            {cluster.loaded.value && <ServiceTable />}
          </section>
        </div>
        <div class="side">{chosen ? <Detail key={chosen.uid} selection={chosen} /> : <Events />}</div>
      </div>
    </div>
  );
}

function Refused({ state }: { readonly state: LinkState & { phase: "refused" } }) {
  return (
    <div class="notice" role="alert">
      <strong>{reason(state.status)}</strong>
      {state.status === 403 && <p>{state.message}</p>}
    </div>
  );
}

function reason(status: number): string {
  if (status === 410) return "This sandbox is gone: it has expired or was deleted.";
  if (status === 404) return "There is no such sandbox.";
  if (status === 401) return "This view has expired, or its link is not complete. Ask for a new link.";
  return "This view may not be shown.";
}
