// The panes of a dock: the visible tab, and the one beside or below it. The others stay mounted, so that their programs keep running.
import type { ComponentChildren } from "preact";
import { texts } from "../messages/dock.ts";
import { isNumber, remembered } from "../parts/remembered.ts";
import { Splitter } from "../parts/splitter.tsx";
import type { DockTab, DockTabs } from "./tabs.ts";

const initialShare = 0.5;
const besideShare = remembered("dock-beside-share", initialShare, isNumber);
const minShare = 0.2;
const maxShare = 0.8;

interface Props {
  readonly tabs: DockTabs;
  /** `column` places the second tab below the first. */
  readonly direction?: "row" | "column";
  /** Returns the content of a tab. `isVisible` is true of the visible tab and the one beside it. */
  readonly content: (tab: DockTab, isVisible: boolean) => ComponentChildren;
}

export function DockPanes({ tabs, direction = "row", content }: Props) {
  const all = tabs.all.value;
  const shownTab = all.find(({ id }) => id === tabs.shownId.value);
  const besideTab = shownTab && all.find(({ id }) => id === tabs.besideId.value);
  const share = Math.min(maxShare, Math.max(minShare, besideShare.value.value));
  return (
    <div
      class={besideTab ? `dock-panes split ${direction}` : "dock-panes"}
      style={{ "--beside": `${share * 100}%` }}
      hidden={!shownTab}
    >
      {all.map((tab) => (
        <div
          key={tab.id}
          id={`dock-${tab.id}`}
          class={`dock-pane of-${tab.kind}${tab === besideTab ? " beside" : ""}`}
          role="tabpanel"
          aria-label={tab.title}
          hidden={tab !== shownTab && tab !== besideTab}
        >
          {content(tab, tab === shownTab || tab === besideTab)}
        </div>
      ))}
      {besideTab && (
        <Splitter
          key="splitter"
          label={texts.besideSize}
          direction={direction}
          share={besideShare}
          initial={initialShare}
          least={minShare}
          most={maxShare}
        />
      )}
    </div>
  );
}
