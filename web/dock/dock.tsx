// The dock below a sandbox's page: tabs with terminals, logs and events. Its height can be dragged up to the full height, and is
// remembered.
import { useComputed } from "@preact/signals";
import {
  type IconNode,
  ChevronDown,
  ChevronUp,
  Columns2,
  Maximize2,
  Minimize2,
  Plus,
  ScrollText,
  SquareTerminal,
  X,
  Zap,
} from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { timeline } from "../live/timeline.ts";
import { Icon } from "../parts/icon.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { isNumber, remembered } from "../parts/remembered.ts";
import { Splitter } from "../parts/splitter.tsx";
import { useLive } from "../view/context.ts";
import { EventList } from "../view/event-list.tsx";
import { texts } from "../messages/dock.ts";
import type { DockTab, DockTabs } from "./tabs.ts";
import { TerminalTab } from "./terminal-tab.tsx";

const LogsTab = onDemand(async () => (await import("./logs-tab.tsx")).LogsTab);

const initialShare = 0.52;
const share = remembered("dock-share", initialShare, isNumber);
/** The minimum share of the height. A terminal needs more than a list of events. */
const minShares = { terminal: 0.5, logs: 0.25, events: 0.2 } as const;
const maxShare = 0.85;

const icons: Readonly<Record<DockTab["kind"], IconNode>> = {
  terminal: SquareTerminal,
  logs: ScrollText,
  events: Zap,
};

/** The breakpoint of the style sheet. */
const narrow = "(max-width: 63.99rem)";

interface Props {
  readonly tabs: DockTabs;
  /** The sandbox's name. */
  readonly name: string;
  readonly hasTerminals: boolean;
  readonly isFull: boolean;
  setFull(isFull: boolean): void;
  /** The page above the dock. */
  readonly children: ComponentChildren;
}

export function Docked({ tabs, name, hasTerminals, isFull, setFull, children }: Props) {
  const { cluster } = useLive();
  const all = tabs.all.value;
  const shownTab = all.find(({ id }) => id === tabs.shownId.value);
  const besideTab = shownTab && all.find(({ id }) => id === tabs.besideId.value);
  useToggleKey(tabs, hasTerminals, () => close());
  // If there is no room below the page, the dock replaces it.
  useEffect(() => {
    if (shownTab && !isFull && matchMedia(narrow).matches) setFull(true);
  }, [shownTab?.id]);
  const close = () => {
    setFull(false);
    tabs.show(undefined);
  };
  const minShare = shownTab ? minShares[shownTab.kind] : 0;
  const height = isFull ? 1 : Math.min(maxShare, Math.max(minShare, share.value.value));
  return (
    <div class={`docked${shownTab ? " open" : ""}${isFull ? " full" : ""}`} style={{ "--dock": `${height * 100}%` }}>
      <div class="docked-page" hidden={isFull}>
        {children}
      </div>
      {shownTab && !isFull && (
        <Splitter
          label={texts.height}
          direction="column"
          share={share}
          initial={initialShare}
          least={minShare}
          most={maxShare}
        />
      )}
      <section class="dock" aria-label={texts.dock}>
        <Bar
          tabs={tabs}
          shownTab={shownTab}
          hasTerminals={hasTerminals}
          isFull={isFull}
          setFull={setFull}
          close={close}
        />
        <div class={besideTab ? "dock-panes split" : "dock-panes"} hidden={!shownTab}>
          {all.map((tab) => (
            <div
              key={tab.id}
              id={`dock-${tab.id}`}
              class={`dock-pane of-${tab.kind}${tab === besideTab ? " beside" : ""}`}
              role="tabpanel"
              aria-label={tab.title}
              hidden={tab !== shownTab && tab !== besideTab}
            >
              {tab.kind === "terminal" && (
                <TerminalTab access={cluster.access} name={name} line={tab.line} isShown={tab === shownTab} />
              )}
              {tab.kind === "logs" && <LogsTab of={tab.of} />}
              {tab.kind === "events" && tab === shownTab && <AllEvents />}
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}

/** Toggles the dock with Ctrl+J. */
function useToggleKey(tabs: DockTabs, hasTerminals: boolean, close: () => void): void {
  const last = useRef(close);
  last.current = close;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "j" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      if (tabs.shownId.value !== undefined) last.current();
      else openDock(tabs, hasTerminals);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [tabs, hasTerminals]);
}

function openDock(tabs: DockTabs, hasTerminals: boolean): void {
  if (hasTerminals) tabs.showTerminal();
  else tabs.show("events");
}

type BarProps = Pick<Props, "tabs" | "hasTerminals" | "isFull" | "setFull"> & {
  readonly shownTab: DockTab | undefined;
  readonly close: () => void;
};

function Bar({ tabs, shownTab, hasTerminals, isFull, setFull, close }: BarProps) {
  return (
    <div class="dock-bar">
      <div class="dock-tabs" role="tablist" aria-label={texts.tabs}>
        {tabs.all.value.map((tab) => (
          <TabHead
            key={tab.id}
            tab={tab}
            isShown={tab === shownTab}
            show={() => (tab === shownTab ? close() : tabs.show(tab.id))}
          />
        ))}
      </div>
      {shownTab && shownTab.kind !== "events" && (
        <button
          type="button"
          class="quiet icon"
          aria-label={texts.closeTab(shownTab.title)}
          onClick={() => tabs.close(shownTab.id)}
        >
          <Icon of={X} />
        </button>
      )}
      {hasTerminals && (
        <button type="button" class="quiet small" onClick={() => tabs.addTerminal()}>
          <Icon of={Plus} /> <span class="label">{texts.newTerminal}</span>
        </button>
      )}
      <span class="space" />
      {shownTab && hasTerminals && (
        <button
          type="button"
          class="quiet icon wide-only"
          aria-label={texts.split}
          title={texts.split}
          aria-pressed={tabs.besideId.value !== undefined}
          onClick={() => tabs.split()}
        >
          <Icon of={Columns2} />
        </button>
      )}
      {shownTab && (
        <button
          type="button"
          class="quiet icon"
          aria-label={isFull ? texts.lessHigh : texts.fullHeight}
          onClick={() => setFull(!isFull)}
        >
          <Icon of={isFull ? Minimize2 : Maximize2} />
        </button>
      )}
      <button
        type="button"
        class="quiet icon"
        aria-label={shownTab ? texts.close : texts.open}
        aria-expanded={shownTab !== undefined}
        onClick={() => (shownTab ? close() : openDock(tabs, hasTerminals))}
      >
        <Icon of={shownTab ? ChevronDown : ChevronUp} />
      </button>
    </div>
  );
}

interface TabProps {
  readonly tab: DockTab;
  readonly isShown: boolean;
  readonly show: () => void;
}

function TabHead({ tab: { id, kind, title }, isShown, show }: TabProps) {
  return (
    <button
      type="button"
      role="tab"
      class="dock-tab"
      aria-selected={isShown}
      aria-controls={`dock-${id}`}
      onClick={show}
    >
      <Icon of={icons[kind]} /> {title}
    </button>
  );
}

function AllEvents() {
  const { cluster, namespace } = useLive();
  const events = useComputed(() => timeline(cluster.events.all.value, namespace.value));
  return cluster.events.loaded.value ? <EventList events={events.value} /> : null;
}
