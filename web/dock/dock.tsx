// The dock below a sandbox's page: tabs with terminals, logs and events. Its height can be dragged up to the full height, and is
// remembered.
import { useComputed } from "@preact/signals";
import { ChevronDown, ChevronUp, Maximize2, Minimize2 } from "lucide";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { connectionTo } from "../api/connection.ts";
import { timeline } from "../live/timeline.ts";
import { Icon } from "../parts/icon.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { isNumber, remembered } from "../parts/remembered.ts";
import { Splitter } from "../parts/splitter.tsx";
import { useLive } from "../view/context.ts";
import { EventList } from "../view/event-list.tsx";
import { texts } from "../messages/dock.ts";
import { DockBar } from "./dock-bar.tsx";
import { DockPanes } from "./dock-panes.tsx";
import type { DockTabs } from "./tabs.ts";
import { TerminalTab } from "./terminal-tab.tsx";

const LogsTab = onDemand(async () => (await import("./logs-tab.tsx")).LogsTab);

const initialShare = 0.52;
const share = remembered("dock-share", initialShare, isNumber);
/** The minimum share of the height. A terminal needs more than a list of events. */
const minShares = { terminal: 0.5, logs: 0.25, events: 0.2, live: 0.25, kubectl: 0.2 } as const;
const maxShare = 0.85;

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
  useToggleKey(tabs, hasTerminals, () => close());
  // If there is no room below the page, the dock replaces it.
  useEffect(() => {
    if (shownTab && !isFull && matchMedia(narrow).matches) setFull(true);
  }, [shownTab?.id]);
  const close = () => {
    setFull(false);
    tabs.show(undefined);
  };
  const { access } = cluster;
  const connect = useCallback(() => ({ cluster: connectionTo(access, name), storageKey: access.id }), [access, name]);
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
        <DockBar
          tabs={tabs}
          shownTab={shownTab}
          hasTerminals={hasTerminals}
          press={(tab) => (tab === shownTab ? close() : tabs.show(tab.id))}
        >
          <SizeButtons
            tabs={tabs}
            isOpen={shownTab !== undefined}
            hasTerminals={hasTerminals}
            isFull={isFull}
            setFull={setFull}
            close={close}
          />
        </DockBar>
        <DockPanes
          tabs={tabs}
          content={(tab) => (
            <>
              {tab.kind === "terminal" && <TerminalTab connect={connect} line={tab.line} isShown={tab === shownTab} />}
              {tab.kind === "logs" && <LogsTab of={tab.of} />}
              {tab.kind === "events" && tab === shownTab && <AllEvents />}
            </>
          )}
        />
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

interface SizeProps extends Pick<Props, "tabs" | "hasTerminals" | "isFull" | "setFull"> {
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** The buttons that change the height of the dock, and that open or close it. */
function SizeButtons({ tabs, isOpen, hasTerminals, isFull, setFull, close }: SizeProps) {
  return (
    <>
      {isOpen && (
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
        aria-label={isOpen ? texts.close : texts.open}
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : openDock(tabs, hasTerminals))}
      >
        <Icon of={isOpen ? ChevronDown : ChevronUp} />
      </button>
    </>
  );
}

function AllEvents() {
  const { cluster, namespace } = useLive();
  const events = useComputed(() => timeline(cluster.events.all.value, namespace.value));
  return cluster.events.loaded.value ? <EventList events={events.value} /> : null;
}
