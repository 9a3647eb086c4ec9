// The dock of a learner's page: terminals in tabs, the live view, and the kubeconfig. Two tabs are visible beside or below each other on wide
// screens; the layout is remembered.
import { signal } from "@preact/signals";
import { Activity, Rows2 } from "lucide";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import type { ClusterAccess } from "../api/cluster.ts";
import { connectionTo } from "../api/connection.ts";
import { DockBar } from "../dock/dock-bar.tsx";
import { DockPanes } from "../dock/dock-panes.tsx";
import { type DockTab, type DockTabs, newDockTabs } from "../dock/tabs.ts";
import { TerminalTab } from "../dock/terminal-tab.tsx";
import { texts as dockTexts } from "../messages/dock.ts";
import { messages } from "../messages/learn.ts";
import { terminal as openInTerminal } from "../objects/terminal.ts";
import { Icon } from "../parts/icon.tsx";
import { isBoolean, remembered } from "../parts/remembered.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { LearnerApi } from "./learner-api.ts";
import type { PageTerminal, TerminalsListener } from "./page-terminals.ts";
import { type PageRecord, recordPage } from "./terminal-record.ts";

export interface OwnCluster {
  /** The name of its context. */
  readonly name: string;
  readonly access: ClusterAccess;
}

interface Props {
  readonly api: Pick<LearnerApi, "record">;
  readonly clusters: readonly OwnCluster[];
  /** The name under which the browser stores the terminals' files. */
  readonly storageKey: string;
  readonly onTerminalsChange: TerminalsListener;
  readonly onCommand: () => void;
  readonly live: ComponentChildren;
  readonly kubectl: ComponentChildren;
}

const besides = ["", "live", "terminal"] as const;
type Beside = (typeof besides)[number];
const isBeside = (value: unknown): value is Beside => besides.some((name) => name === value);
/** The second tab: none, the live view, or another terminal. */
const besideLayout = remembered<Beside>("learn-beside", "", isBeside);
/** True if the second tab is below the first. */
const isBelow = remembered("learn-below", true, isBoolean);
/** The breakpoint of the style sheet below which one tab is visible. */
const wide = "(min-width: 64rem)";
const firstTerminal = "terminal-1";
const idCharacters = 20;

export function ClusterDock(props: Props) {
  const { api, clusters, storageKey, onTerminalsChange, onCommand, live, kubectl } = props;
  const tabs = useMemo(newLearnersTabs, []);
  const record = useMemo(() => recordPage(api, systemRandom.suffix(idCharacters), systemClock.nowMs), [api]);
  const setTerminal = useOpenTerminals(tabs, onTerminalsChange);
  const section = useRef<HTMLElement>(null);
  useTerminalKey(tabs, section);
  useEffect(() => {
    const closing = ({ persisted }: PageTransitionEvent) => record.closing(persisted);
    addEventListener("pagehide", closing);
    return () => removeEventListener("pagehide", closing);
  }, [record]);
  // The live view opens shells of containers here.
  useEffect(() => {
    openInTerminal.value = (line) => tabs.addTerminal(line);
    return () => void (openInTerminal.value = undefined);
  }, [tabs]);
  const all = tabs.all.value;
  const shownTab = all.find(({ id }) => id === tabs.shownId.value);
  const besideTab = all.find(({ id }) => id === tabs.besideId.value);
  useEffect(() => {
    if (matchMedia(wide).matches) besideLayout.set(layoutOf(shownTab, besideTab));
  }, [shownTab?.kind, besideTab?.kind]);
  return (
    <section class="dock" aria-label={dockTexts.dock} ref={section}>
      <DockBar tabs={tabs} shownTab={shownTab} hasTerminals press={(tab) => tabs.show(tab.id)}>
        <SplitButtons tabs={tabs} />
      </DockBar>
      <DockPanes
        tabs={tabs}
        direction={isBelow.value.value ? "column" : "row"}
        content={(tab, isVisible) => (
          <>
            {tab.kind === "terminal" && (
              <LearnersTerminal
                tab={tab}
                clusters={clusters}
                storageKey={storageKey}
                record={record}
                onCommand={onCommand}
                isShown={tab === shownTab}
                setTerminal={setTerminal}
              />
            )}
            {tab.kind === "live" && isVisible && live}
            {tab.kind === "kubectl" && isVisible && kubectl}
          </>
        )}
      />
    </section>
  );
}

/** Opens the first terminal, and the second tab of the remembered layout if the screen is wide enough. */
function newLearnersTabs(): DockTabs {
  const tabs = newDockTabs(dockTexts, [
    { id: "live", kind: "live", title: messages.live },
    { id: "kubectl", kind: "kubectl", title: messages.kubectl },
  ]);
  tabs.addTerminal();
  if (!matchMedia(wide).matches) return tabs;
  const layout = besideLayout.value.peek();
  if (layout === "live") tabs.split("live");
  if (layout === "terminal") tabs.split();
  return tabs;
}

function layoutOf(shownTab: DockTab | undefined, besideTab: DockTab | undefined): Beside {
  if (!besideTab) return "";
  return shownTab?.kind === "live" || besideTab.kind === "live" ? "live" : "terminal";
}

function SplitButtons({ tabs }: { readonly tabs: DockTabs }) {
  const isWithLive =
    tabs.besideId.value === "live" || (tabs.shownId.value === "live" && tabs.besideId.value !== undefined);
  return (
    <>
      <button
        type="button"
        class="quiet icon wide-only"
        aria-label={messages.liveBeside}
        title={messages.liveBeside}
        aria-pressed={isWithLive}
        onClick={() => tabs.split(isWithLive ? undefined : "live")}
      >
        <Icon of={Activity} />
      </button>
      <button
        type="button"
        class="quiet icon wide-only"
        aria-label={messages.below}
        title={messages.below}
        aria-pressed={isBelow.value.value}
        onClick={() => isBelow.set(!isBelow.value.peek())}
      >
        <Icon of={Rows2} />
      </button>
    </>
  );
}

/** Moves the focus to a terminal with Ctrl+J, and from the dock back to the page. */
function useTerminalKey(tabs: DockTabs, section: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    let before: Element | null = null;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "j" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      const { activeElement } = document;
      if (section.current?.contains(activeElement)) {
        // The step's page can be focused by a script only.
        const target = before?.isConnected ? before : document.querySelector("article");
        if (target instanceof HTMLElement && target !== document.body) target.focus();
        return;
      }
      before = activeElement === document.body ? null : activeElement;
      tabs.showTerminal();
      // A terminal that becomes visible takes the focus; one that is visible is given it.
      section.current?.querySelector<HTMLElement>(".dock-pane:not([hidden], .beside) textarea")?.focus();
    };
    // A terminal would take the key as a line break, so it is handled before.
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, [tabs, section]);
}

type SetTerminal = (tab: DockTab, terminal: Terminal | undefined) => void;

/** Reports the open terminals. Their ids are drawn at random, so that no other page of the run has the same. */
function useOpenTerminals(tabs: DockTabs, onTerminalsChange: TerminalsListener): SetTerminal {
  const open = useMemo(() => signal<readonly (PageTerminal & { readonly tab: string })[]>([]), [tabs]);
  const lastShown = useRef(firstTerminal);
  const shownId = tabs.shownId.value;
  if (open.value.some(({ tab }) => tab === shownId)) lastShown.current = shownId ?? firstTerminal;
  const all = open.value;
  useEffect(() => {
    const current = all.find(({ tab }) => tab === lastShown.current) ?? all.at(-1);
    onTerminalsChange(current ? { current, all } : undefined);
  }, [all, shownId, onTerminalsChange]);
  useEffect(() => () => onTerminalsChange(undefined), [onTerminalsChange]);
  return useCallback<SetTerminal>(
    ({ id: tab, title }, terminal) => {
      const stillOpen = open.peek().filter((opened) => opened.tab !== tab);
      if (!terminal) return void (open.value = stillOpen);
      const show = () => {
        if (tabs.besideId.peek() !== tab) tabs.show(tab);
      };
      const opened = {
        ...{ tab, title, id: systemRandom.suffix(idCharacters) },
        run: (line: string) => {
          show();
          void terminal.run(line);
        },
        interrupt: () => terminal.interrupt(),
      };
      open.value = [...stillOpen, opened];
    },
    [tabs, open],
  );
}

interface TerminalProps extends Pick<Props, "clusters" | "storageKey" | "onCommand"> {
  readonly tab: DockTab & { readonly kind: "terminal" };
  readonly record: PageRecord;
  readonly isShown: boolean;
  readonly setTerminal: SetTerminal;
}

function LearnersTerminal(props: TerminalProps) {
  const { tab, clusters, storageKey, record, onCommand, isShown, setTerminal } = props;
  const recorded = useMemo(() => record.newTerminal(), [record, clusters]);
  useEffect(() => () => recorded.stop(), [recorded]);
  const connect = useCallback(() => {
    const [first, ...further] = clusters.map(({ name, access }) => connectionTo(access, name));
    if (!first) throw new Error("the run has no cluster");
    return {
      cluster: first,
      further,
      storageKey,
      onStart: (line: string) => recorded.started(line),
      onOutput: (text: string) => recorded.write(text),
      onCommand: (line: string, exitCode: number) => {
        recorded.ended(line, exitCode);
        onCommand();
      },
    };
  }, [clusters, storageKey, recorded, onCommand]);
  return (
    <TerminalTab
      connect={connect}
      line={tab.line}
      isShown={isShown}
      opensQuietly={tab.id === firstTerminal}
      onChange={(terminal) => setTerminal(tab, terminal)}
    />
  );
}
