// The detail of one object: its diagnosis, actions and panes.
import { useEffect, useRef } from "preact/hooks";
import type { Mapping } from "../../kubectl/cluster/discovery.ts";
import { mappingOf } from "../../live/cluster-state.ts";
import { type ObjectRef, refText } from "../../live/reference.ts";
import { messages } from "../../messages.ts";
import { Age } from "../../parts/age.tsx";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { open, useLive } from "../../view/context.ts";
import { hasCharts } from "../charts/has-charts.ts";
import { kindsWithLogs } from "../object-keys.ts";
import { previewed } from "../preview/request.ts";
import { Actions } from "./actions.tsx";
import { LogsPane } from "./logs-pane.tsx";
import { SummaryPane } from "./summary-pane.tsx";
import { useObject } from "./use-object.ts";
import { Loading } from "../../parts/loading.tsx";

const YamlPane = onDemand(async () => (await import("../edit/yaml-pane.tsx")).YamlPane);
const ChartsPane = onDemand(async () => (await import("../charts/charts-pane.tsx")).ChartsPane);
const PreviewPane = onDemand(async () => (await import("../preview/preview-pane.tsx")).PreviewPane);
const DescribePane = onDemand(async () => (await import("./describe-pane.tsx")).DescribePane);
const ChangesPane = onDemand(async () => (await import("./changes-pane.tsx")).ChangesPane);

export function Detail({ of }: { readonly of: ObjectRef }) {
  const live = useLive();
  const mapping = mappingOf(live.cluster, of.resource);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Closing the detail returns the focus to the element that opened it.
    const before = document.activeElement;
    heading.current?.focus();
    return () => before instanceof HTMLElement && before.isConnected && before.focus();
  }, []);
  const close = () => open(live, undefined);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    close();
  };
  const kind = mapping?.kind ?? of.resource;
  return (
    <section class="panel detail" aria-label={`${kind} ${of.name}`} onKeyDown={press}>
      <header>
        <h2 tabIndex={-1} ref={heading}>
          <KindBadge kind={kind} /> <span class="name">{of.name}</span>
          {of.namespace && <small class="within">{of.namespace}</small>}
        </h2>
        <button type="button" class="quiet icon" aria-label={messages.detail.close} onClick={close}>
          ✕
        </button>
      </header>
      {mapping && <Body key={mapping.version} mapping={mapping} of={of} />}
      {!mapping &&
        (live.cluster.served.value ? <p class="empty">{messages.list.noSuchKind(of.resource)}</p> : <Loading />)}
    </section>
  );
}

function Body({ mapping, of }: { readonly mapping: Mapping; readonly of: ObjectRef }) {
  const { cluster, place } = useLive();
  const { object, isThere, isLoaded, refused } = useObject(mapping, of);
  if (refused)
    return (
      <p class="notice" role="alert">
        {refused}
      </p>
    );
  if (!object) return isLoaded ? <p class="empty">{messages.detail.notThere(mapping.kind, of.name)}</p> : <Loading />;
  const props = { mapping, of, object, isThere };
  const panes = [
    "summary",
    ...(kindsWithLogs.test(of.resource) ? ["logs"] : []),
    // The proxy connects to containers, which a viewer may not, and which the past does not have.
    ...(previewed.test(of.resource) && cluster.access.mayWrite ? ["preview"] : []),
    ...(hasCharts(of.resource) ? ["charts"] : []),
    "yaml",
    "describe",
    // Changes are read from the control API, which the read-only token of a viewer may not use.
    ...(cluster.access.mayWrite ? ["changes"] : []),
  ] as const;
  const chosen = panes.find((pane) => pane === place.get("pane")) ?? "summary";
  return (
    <>
      <p class="facts">
        <span>
          <Age time={object.metadata.creationTimestamp} /> {messages.detail.old}
        </span>
      </p>
      {!isThere && isLoaded && <p class="notice">{messages.detail.gone(mapping.kind)}</p>}
      {isThere && cluster.access.mayWrite && <Actions {...props} />}
      <Tabs panes={panes} chosen={chosen} of={of} />
      {chosen === "summary" && <SummaryPane {...props} />}
      {chosen === "logs" && <LogsPane {...props} />}
      {chosen === "preview" && <PreviewPane {...props} />}
      {chosen === "charts" && <ChartsPane {...props} />}
      {chosen === "yaml" && <YamlPane {...props} />}
      {chosen === "describe" && <DescribePane {...props} />}
      {chosen === "changes" && <ChangesPane {...props} />}
    </>
  );
}

type Pane = keyof typeof messages.detail.panes;

function Tabs({
  panes,
  chosen,
  of,
}: {
  readonly panes: readonly string[];
  readonly chosen: string;
  readonly of: ObjectRef;
}) {
  const { place } = useLive();
  const addressed = (pane: string) => ({ open: refText(of), pane: pane === "summary" ? "" : pane });
  return (
    <nav class="tabs" aria-label={messages.detail.panesOf}>
      {panes.map((pane) => (
        <a
          key={pane}
          href={place.href(addressed(pane))}
          aria-current={pane === chosen ? "page" : undefined}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            place.go(addressed(pane), "replace");
          }}
        >
          {messages.detail.panes[pane as Pane]}
        </a>
      ))}
    </nav>
  );
}
