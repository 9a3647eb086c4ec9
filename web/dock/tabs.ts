// The tabs of a sandbox's dock: which there are, and which is shown.
import { type ReadonlySignal, signal } from "@preact/signals";
import { type ObjectRef, refText } from "../live/reference.ts";

export type DockTab =
  /** `line` runs as soon as the terminal is open. */
  | { readonly id: string; readonly kind: "terminal"; readonly title: string; readonly line: string }
  | { readonly id: string; readonly kind: "logs"; readonly title: string; readonly of: ObjectRef }
  | { readonly id: "events"; readonly kind: "events"; readonly title: string };

export interface DockTabs {
  readonly all: ReadonlySignal<readonly DockTab[]>;
  /** The id of the tab that is shown; undefined while the dock is closed. */
  readonly shown: ReadonlySignal<string | undefined>;
  show(id: string | undefined): void;
  /** Opens a terminal, with a line that runs in it. */
  addTerminal(line?: string): void;
  addLogs(of: ObjectRef): void;
  /** Shows the newest terminal, or the first one. */
  showTerminal(): void;
  close(id: string): void;
}

interface Titles {
  readonly events: string;
  terminal(number: number): string;
  logs(name: string): string;
}

export function newDockTabs(titles: Titles): DockTabs {
  const all = signal<readonly DockTab[]>([{ id: "events", kind: "events", title: titles.events }]);
  const shown = signal<string | undefined>(undefined);
  let terminals = 0;
  const add = (tab: DockTab) => {
    all.value = [...all.value, tab];
    shown.value = tab.id;
  };
  const addTerminal = (line = "") => {
    terminals += 1;
    add({ id: `terminal-${terminals}`, kind: "terminal", title: titleOf(line) ?? titles.terminal(terminals), line });
  };
  return {
    all,
    shown,
    show: (id) => void (shown.value = id),
    addTerminal,
    addLogs: (of) => {
      const id = `logs-${refText(of)}`;
      if (all.value.some((tab) => tab.id === id)) shown.value = id;
      else add({ id, kind: "logs", title: titles.logs(of.name), of });
    },
    showTerminal: () => {
      const last = all.value.findLast(({ kind }) => kind === "terminal");
      if (last) shown.value = last.id;
      else addTerminal();
    },
    close: (id) => {
      const at = all.value.findIndex((tab) => tab.id === id);
      all.value = all.value.filter((tab) => tab.id !== id);
      if (shown.value !== id) return;
      const next = all.value[Math.min(at, all.value.length - 1)];
      shown.value = next?.kind === "events" ? undefined : next?.id;
    },
  };
}

/** Returns the pod's name for the title of a shell within it. */
function titleOf(line: string): string | undefined {
  return /^kubectl exec -it (?:pods?\/)?(\S+)/.exec(line)?.[1];
}
