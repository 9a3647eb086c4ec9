// A sandbox: its facts, its actions, and its tabs. The address says which tab is open.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Scope } from "../../shared/contract/scope.ts";
import type { Sandbox, ShownSandbox } from "../../shared/contract/sandbox.ts";
import { type Control } from "../api/control.ts";
import { messageOf } from "../api/control-failure.ts";
import { statesOf } from "../api/states.ts";
import { may } from "../api/session.ts";
import { type ConnectionGate } from "../live/ended.ts";
import { Docked } from "../dock/dock.tsx";
import { type DockTabs, newDockTabs } from "../dock/tabs.ts";
import { addressPlace, type Place } from "../live/place.ts";
import { messages } from "../messages.ts";
import { CreateObjects } from "../objects/create/create-objects.tsx";
import { sandboxAccess } from "./sandbox-access.ts";
import { SandboxHead } from "./sandbox-head.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { isNumber, remembered } from "../parts/remembered.ts";
import { type LiveContext, LiveProvider } from "../view/context.ts";
import { Frame, initialDetail, Overview, useCluster } from "../view/live-view.tsx";
import { ActionDialog } from "../objects/action-dialog.tsx";
import { KeyboardShortcuts } from "../objects/keys.tsx";
import { chosenAction, sandboxSource } from "../objects/palette-source.ts";
import { dockLogs, terminal } from "../objects/terminal.ts";
import { type Entry, offer } from "../palette/entries.ts";
import { texts as createTexts } from "../messages/create.ts";
import { texts as dockTexts } from "../messages/dock.ts";
import { texts as paletteTexts } from "../messages/palette.ts";
import { createText } from "../objects/create/create-text.ts";
import { CommandOutput } from "../objects/command-output.tsx";
import { WithTree } from "./with-tree.tsx";
import { TimelineBar } from "./timeline/timeline-bar.tsx";
import { Loading } from "../parts/loading.tsx";

/** The tabs of a sandbox's page in order. Each loads when it is first shown. */
const tabPages = {
  overview: Overview,
  // The terminal tab shows the dock at full height.
  terminal: () => null,
  objects: onDemand(async () => (await import("../objects/list/objects-page.tsx")).ObjectsPage),
  topology: onDemand(async () => (await import("../objects/topology/topology-page.tsx")).TopologyPage),
  access: onDemand(async () => (await import("../objects/access/access-page.tsx")).AccessPage),
  history: onDemand(async () => (await import("../objects/states/history-page.tsx")).HistoryPage),
  snapshots: onDemand(async () => (await import("../objects/states/snapshots-page.tsx")).SnapshotsPage),
} as const;

type PageTab = keyof typeof tabPages;

const detailShare = remembered("detail-share", initialDetail, isNumber);

const pageTabs = Object.keys(tabPages) as PageTab[];

/** The scopes that tabs need because they use the control API. */
const tabScopes: Partial<Record<PageTab, Scope>> = {
  terminal: "sandboxes:connect",
  history: "sandboxes:connect",
  snapshots: "snapshots:read",
};

interface Props {
  readonly control: Control;
  readonly id: string;
}

export function SandboxPage({ control, id }: Props) {
  const [sandbox, setSandbox] = useState<ShownSandbox>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    control.find(id).then(
      (foundSandbox) => {
        if (!foundSandbox) return setFailure(messages.ended.gone);
        setSandbox(foundSandbox);
        document.title = `${foundSandbox.name} · Sandbar`;
      },
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [control, id]);
  if (failure) {
    return (
      <p class="notice" role="alert">
        {failure} <a href="#/">{messages.ended.all}</a>
      </p>
    );
  }
  return sandbox ? <LoadedSandbox control={control} sandbox={sandbox} /> : <Loading />;
}

function LoadedSandbox({ control, sandbox }: { readonly control: Control; readonly sandbox: ShownSandbox }) {
  const place = useMemo(addressPlace, []);
  const access = useMemo(() => sandboxAccess(control, sandbox, place), [control, sandbox, place]);
  const states = useMemo(() => statesOf(control, sandbox), [control, sandbox]);
  const moment = place.get("at");
  const preview = useMemo(() => previews(control, sandbox.id), [control, sandbox]);
  const live = useCluster(access, place, { states, preview, moment });
  useExpiry(sandbox, access.gate);
  const isOver = access.gate.ended.value !== undefined;
  const visibleTabs = pageTabs.filter((tabName) => {
    const scope = tabScopes[tabName];
    return scope === undefined || may(scope);
  });
  const tab = visibleTabs.find((tabName) => tabName === place.get("tab")) ?? "overview";
  const Shown = tabPages[tab];
  const hasTerminals = visibleTabs.includes("terminal");
  const dockTabs = useDockTabs(sandbox.id, hasTerminals);
  const isFull = tab === "terminal";
  const fill = (is: boolean) => {
    if (is !== isFull) place.go({ tab: is ? "terminal" : "", from: "", to: "" });
  };
  useEffect(() => {
    if (isFull && dockTabs.shownId.peek() === undefined) dockTabs.showTerminal();
  }, [isFull, dockTabs]);
  useEffect(() => offer(sandboxSource(live, tabEntries(visibleTabs, place, dockTabs))), [live]);
  return (
    <LiveProvider value={live}>
      <div class="workspace">
        <SandboxHead control={control} sandbox={sandbox} isOver={isOver} mayWrite={access.mayWrite} />
        {/* A sandbox that had expired before the page was opened has nothing to show. */}
        {isOver && live.cluster.served.value === undefined ? null : (
          <PageTabs visibleTabs={visibleTabs} tab={tab} place={place} />
        )}
        {isOver ? (
          <div class="docked-page">
            <Frame detailShare={detailShare}>
              <Shown />
            </Frame>
          </div>
        ) : (
          <Docked tabs={dockTabs} name={sandbox.name} hasTerminals={hasTerminals} isFull={isFull} setFull={fill}>
            {/* Computed signals keep what they computed from the previous moment's cluster, so the page is mounted again. */}
            <WithTree key={moment}>
              <Frame detailShare={detailShare}>
                <Shown />
              </Frame>
            </WithTree>
          </Docked>
        )}
        {!isOver && (
          <TimelineBar control={control} id={sandbox.id} place={place} canChangeClock={may("sandboxes:write")} />
        )}
      </div>
      <CommandOutput />
      {!isOver && <KeyboardShortcuts />}
      {!isOver && <ChosenAction />}
      {!isOver && access.mayWrite && <CreateObjects />}
    </LiveProvider>
  );
}

/** Returns the source of addresses of previews, if the user may have one. */
function previews(control: Control, id: string): LiveContext["preview"] {
  if (!may("sandboxes:connect")) return undefined;
  return async ({ resource, namespace, name, port }) => {
    const kind = resource === "pods" ? "pods" : "services";
    return (await control.preview(id, { kind, namespace, name, port: String(port) })).url;
  };
}

interface PageTabsProps {
  readonly visibleTabs: readonly PageTab[];
  readonly tab: PageTab;
  readonly place: Place;
}

/** The links of the page's tabs. The overview is the page's own address. */
function PageTabs({ visibleTabs, tab, place }: PageTabsProps) {
  return (
    <nav class="tabs page-tabs" aria-label={messages.tabs.of}>
      {visibleTabs.map((tabName) => {
        const addressed = { tab: tabName === "overview" ? "" : tabName, from: "", to: "" };
        return (
          <a
            key={tabName}
            href={place.href(addressed)}
            aria-current={tabName === tab ? "page" : undefined}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              place.go(addressed);
            }}
          >
            {messages.tabs[tabName]}
          </a>
        );
      })}
    </nav>
  );
}

/** Returns the tabs of the sandbox's dock, in which the pages of objects open terminals and logs. */
function useDockTabs(id: string, hasTerminals: boolean): DockTabs {
  const tabs = useMemo(() => newDockTabs(dockTexts, [{ id: "events", kind: "events", title: dockTexts.events }]), [id]);
  useEffect(() => {
    if (hasTerminals) terminal.value = (line) => tabs.addTerminal(line);
    dockLogs.value = (of) => tabs.addLogs(of);
    return () => {
      terminal.value = undefined;
      dockLogs.value = undefined;
    };
  }, [tabs, hasTerminals]);
  return tabs;
}

/** The dialog of an action that was chosen in the palette. */
function ChosenAction() {
  const action = chosenAction.value;
  if (!action) return null;
  const close = () => void (chosenAction.value = undefined);
  return <ActionDialog key={action.subject} {...action} close={close} done={() => undefined} />;
}

/** Returns the palette entries of the sandbox's tabs and of a new terminal. */
function tabEntries(visibleTabs: readonly PageTab[], place: Place, dockTabs: DockTabs): Entry[] {
  const entries = visibleTabs.map(
    (tab): Entry => ({
      id: `part/${tab}`,
      group: paletteTexts.sandbox,
      label: messages.tabs[tab],
      run: () => place.go({ tab: tab === "overview" ? "" : tab, from: "", to: "" }),
    }),
  );
  if (!visibleTabs.includes("terminal")) return entries;
  const create: Entry = {
    id: "action/create",
    group: paletteTexts.actions,
    label: createTexts.title,
    line: "kubectl apply --server-side -f manifests.yaml",
    run: () => void (createText.value = ""),
  };
  const terminalEntry: Entry = {
    id: "action/terminal",
    group: paletteTexts.actions,
    label: paletteTexts.newTerminal,
    run: () => dockTabs.addTerminal(),
  };
  return [...entries, terminalEntry, create];
}

/** The maximum delay of a browser timer. */
const timerMs = 2 ** 31 - 1;

/** Ends all requests when the sandbox expires, without asking the service. */
function useExpiry({ expiresAt }: Sandbox, gate: ConnectionGate): void {
  useEffect(() => {
    const leftMs = Date.parse(expiresAt) - Date.now();
    if (leftMs > timerMs) return;
    const timer = setTimeout(() => gate.end({ status: 410, message: messages.ended.expired }), Math.max(0, leftMs));
    return () => clearTimeout(timer);
  }, [expiresAt, gate]);
}
