// The live view of a sandbox, in the console or alone in a frame.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { ClusterAccess } from "../api/cluster.ts";
import type { States } from "../api/states.ts";
import { type ClusterState, followCluster } from "../live/cluster-state.ts";
import type { LinkState } from "../live/informer.ts";
import { type Place, memoryPlace } from "../live/place.ts";
import { refText } from "../live/reference.ts";
import { messages } from "../messages.ts";
import { onDemand } from "../parts/on-demand.tsx";
import { LinkIndicator } from "../parts/link-indicator.tsx";
import { texts as dockTexts } from "../messages/dock.ts";
import type { Remembered } from "../parts/remembered.ts";
import { Splitter } from "../parts/splitter.tsx";
import { type LiveContext, LiveProvider, isLoaded, newLiveContext, useLive } from "./context.ts";
import { Events } from "./events.tsx";
import { NamespaceFilter } from "./namespace-filter.tsx";
import { NodeCards } from "./node-cards.tsx";
import { ServiceTable } from "./service-table.tsx";
import { Summary } from "./summary.tsx";
import { WorkloadTable } from "./workload-table.tsx";
import { Loading } from "../parts/loading.tsx";

const Detail = onDemand(async () => (await import("../objects/detail/detail.tsx")).Detail);

export const initialDetail = 0.44;
const leastDetail = 0.25;
const mostDetail = 0.7;

interface Props {
  /** The access, the same object for the lifetime of the sandbox. */
  readonly access: ClusterAccess;
  readonly namespace?: string;
  /** The state of the cluster, if it is followed already. */
  readonly cluster?: ClusterState;
}

/** A live view alone in a frame. It stores nothing in the address. */
export function LiveView({ access, namespace = "", cluster }: Props) {
  const live = useCluster(
    access,
    useMemo(() => memoryPlace({ ns: namespace }), []),
    { cluster },
  );
  return (
    <LiveProvider value={live}>
      <Frame>
        <Overview />
      </Frame>
    </LiveProvider>
  );
}

interface Followed {
  readonly states?: States | undefined;
  readonly preview?: LiveContext["preview"];
  /** The state of the cluster, if it is followed already. */
  readonly cluster?: ClusterState | undefined;
  /** The past moment that is shown: another one is another state. */
  readonly moment?: string;
}

/** Follows a sandbox while the component is mounted. */
export function useCluster(
  access: ClusterAccess,
  place: Place,
  { states, preview, cluster, moment }: Followed = {},
): LiveContext {
  const { live, stop } = useMemo(() => {
    const stop = new AbortController();
    return { stop, live: newLiveContext(cluster ?? followCluster(access, stop.signal), place, { states, preview }) };
  }, [access, place, cluster, moment]);
  useEffect(() => () => stop.abort(), [stop]);
  return live;
}

interface FrameProps {
  readonly children: ComponentChildren;
  /** The share of the detail's width, if the user can change it. */
  readonly detailShare?: Remembered<number>;
}

/** Shows the children with the detail of the opened object, or the reason why nothing can be shown. */
export function Frame({ children, detailShare }: FrameProps) {
  const { cluster, opened } = useLive();
  const link = cluster.link.value;
  const of = opened.value;
  const refused = link.phase === "refused" ? link : undefined;
  if (refused && cluster.served.value === undefined) return <Refused state={refused} />;
  return (
    <div class={refused ? "live past" : "live"}>
      {refused && <Refused state={refused} />}
      <div
        class={of ? "columns with-detail" : "columns"}
        style={{ "--detail": `${(detailShare?.value.value ?? initialDetail) * 100}%` }}
      >
        {children}
        {of && detailShare && (
          <Splitter
            label={dockTexts.detailWidth}
            direction="row"
            share={detailShare}
            initial={initialDetail}
            least={leastDetail}
            most={mostDetail}
          />
        )}
        {of && (
          <div class="side of-detail">
            <Detail key={refText(of)} of={of} />
          </div>
        )}
      </div>
    </div>
  );
}

/** The workloads as a tree, with nodes, services and events. */
export function Overview() {
  const { cluster, opened } = useLive();
  const isThere = isLoaded(cluster);
  return (
    <>
      <div class="main" aria-busy={!isThere}>
        <div class="bar">
          {cluster.access.moment?.() ? null : <LinkIndicator state={cluster.link.value} />}
          <NamespaceFilter />
          {isThere && <Summary />}
        </div>
        <section class="panel">
          <h2>{messages.overview.workloads}</h2>
          {isThere ? <WorkloadTable /> : <Loading />}
        </section>
        <section class="panel">
          <h2>{messages.overview.nodes}</h2>
          {isThere ? <NodeCards /> : <Loading rows={2} />}
        </section>
        <section class="panel">
          <h2>{messages.overview.services}</h2>
          {isThere ? <ServiceTable /> : <Loading rows={2} />}
        </section>
      </div>
      {!opened.value && (
        <div class="side">
          <Events />
        </div>
      )}
    </>
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
  if (status === 410) return messages.ended.gone;
  if (status === 404) return messages.ended.notThere;
  return status === 401 ? messages.ended.viewOver : messages.ended.notShown;
}
