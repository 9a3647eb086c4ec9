// The tabs of a sandbox's dock and the one that is shown.
import { type ReadonlySignal, signal } from "@preact/signals";
import { type ObjectRef, refText } from "../live/reference.ts";

export type DockTab =
  /** `line` runs as soon as the terminal is open. */
  | { readonly id: string; readonly kind: "terminal"; readonly title: string; readonly line: string }
  | { readonly id: string; readonly kind: "logs"; readonly title: string; readonly of: ObjectRef }
  | { readonly id: "events"; readonly kind: "events"; readonly title: string };

export interface DockTabs {
  readonly all: ReadonlySignal<readonly DockTab[]>;
  /** The id of the visible tab. Undefined while the dock is closed. */
  readonly shownId: ReadonlySignal<string | undefined>;
  /** The id of the tab that is shown beside the visible one. Undefined: the dock is not split. */
  readonly besideId: ReadonlySignal<string | undefined>;
  show(id: string | undefined): void;
  /** Shows another terminal or log beside the visible tab, a new terminal if there is none, or ends that. */
  split(): void;
  /** Opens a terminal, and runs `line` in it. */
  addTerminal(line?: string): void;
  addLogs(of: ObjectRef): void;
  /** Shows the newest terminal, or opens the first one. */
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
  const shownId = signal<string | undefined>(undefined);
  const besideId = signal<string | undefined>(undefined);
  let terminals = 0;
  const add = (tab: DockTab) => {
    all.value = [...all.value, tab];
    shownId.value = tab.id;
  };
  const addTerminal = (line = "") => {
    terminals += 1;
    add({ id: `terminal-${terminals}`, kind: "terminal", title: titleOf(line) ?? titles.terminal(terminals), line });
  };
  return {
    all,
    shownId,
    besideId,
    show: (id) => {
      // The tab beside changes places with the visible one.
      if (id !== undefined && id === besideId.value) besideId.value = shownId.value;
      shownId.value = id;
    },
    split: () => {
      if (besideId.value !== undefined) return void (besideId.value = undefined);
      const before = shownId.value;
      const neighbour = all.value.findLast(({ id, kind }) => id !== before && kind !== "events");
      if (!neighbour) addTerminal();
      besideId.value = neighbour?.id ?? shownId.value;
      shownId.value = before;
    },
    addTerminal,
    addLogs: (of) => {
      const id = `logs-${refText(of)}`;
      if (all.value.some((tab) => tab.id === id)) shownId.value = id;
      else add({ id, kind: "logs", title: titles.logs(of.name), of });
    },
    showTerminal: () => {
      const last = all.value.findLast(({ kind }) => kind === "terminal");
      if (last) shownId.value = last.id;
      else addTerminal();
    },
    close: (id) => {
      const at = all.value.findIndex((tab) => tab.id === id);
      all.value = all.value.filter((tab) => tab.id !== id);
      if (besideId.value === id) besideId.value = undefined;
      if (shownId.value !== id) return;
      if (besideId.value !== undefined) {
        shownId.value = besideId.value;
        besideId.value = undefined;
        return;
      }
      const next = all.value[Math.min(at, all.value.length - 1)];
      shownId.value = next?.kind === "events" ? undefined : next?.id;
    },
  };
}

/** Returns the pod's name as the title of its shell. */
function titleOf(line: string): string | undefined {
  return /^kubectl exec -it (?:pods?\/)?(\S+)/.exec(line)?.[1];
}
