// The bar of a dock: its tabs, and buttons that open, close and split them.
import { type IconNode, Activity, Columns2, FileKey, Plus, ScrollText, SquareTerminal, X, Zap } from "lucide";
import type { ComponentChildren } from "preact";
import { Icon } from "../parts/icon.tsx";
import { texts } from "../messages/dock.ts";
import { type DockTab, type DockTabs, isClosable } from "./tabs.ts";

const icons: Readonly<Record<DockTab["kind"], IconNode>> = {
  terminal: SquareTerminal,
  logs: ScrollText,
  events: Zap,
  live: Activity,
  kubectl: FileKey,
};

interface Props {
  readonly tabs: DockTabs;
  readonly shownTab: DockTab | undefined;
  readonly hasTerminals: boolean;
  /** Called when a tab is pressed. */
  readonly press: (tab: DockTab) => void;
  /** The buttons at the end of the bar. */
  readonly children?: ComponentChildren;
}

export function DockBar({ tabs, shownTab, hasTerminals, press, children }: Props) {
  return (
    <div class="dock-bar">
      <TabList tabs={tabs} shownTab={shownTab} press={press} />
      {shownTab && isClosable(shownTab) && (
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
      {children}
    </div>
  );
}

/** The tabs. Arrow keys move between them. */
function TabList({ tabs, shownTab, press }: Pick<Props, "tabs" | "shownTab" | "press">) {
  const all = tabs.all.value;
  const step = (by: number) => {
    const at = all.findIndex((tab) => tab === shownTab);
    const next = all[(at + by + all.length) % all.length];
    if (!next) return;
    tabs.show(next.id);
    document.getElementById(headId(next))?.focus();
  };
  return (
    <div class="dock-tabs" role="tablist" aria-label={texts.tabs}>
      {all.map((tab) => (
        <button
          key={tab.id}
          id={headId(tab)}
          type="button"
          role="tab"
          class="dock-tab"
          aria-selected={tab === shownTab}
          aria-controls={`dock-${tab.id}`}
          tabIndex={shownTab === undefined || tab === shownTab ? 0 : -1}
          onClick={() => press(tab)}
          onKeyDown={({ key }) => {
            if (shownTab && key === "ArrowRight") step(1);
            if (shownTab && key === "ArrowLeft") step(-1);
          }}
        >
          <Icon of={icons[tab.kind]} /> {tab.title}
        </button>
      ))}
    </div>
  );
}

function headId({ id }: DockTab): string {
  return `dock-tab-${id}`;
}
