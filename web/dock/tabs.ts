// The tabs of a dock, the visible one, and the one beside it.
import { type ReadonlySignal, signal } from "@preact/signals";
import { type ObjectRef, refText } from "../live/reference.ts";

export type DockTab =
  /** `line` runs as soon as the terminal is open. */
  | { readonly id: string; readonly kind: "terminal"; readonly title: string; readonly line: string }
  | { readonly id: string; readonly kind: "logs"; readonly title: string; readonly of: ObjectRef }
  | FixedTab;

/** A tab that cannot be closed: in the console the events, on a learner's page the live view and the kubeconfig. */
export interface FixedTab {
  readonly id: "events" | "live" | "kubectl";
  readonly kind: FixedTab["id"];
  readonly title: string;
}

export function isClosable(tab: DockTab): boolean {
  return tab.kind === "terminal" || tab.kind === "logs";
}

export interface DockTabs {
  readonly all: ReadonlySignal<readonly DockTab[]>;
  /** The id of the visible tab. Undefined while the dock is closed. */
  readonly shownId: ReadonlySignal<string | undefined>;
  /** The id of the tab that is shown beside the visible one. Undefined: the dock is not split. */
  readonly besideId: ReadonlySignal<string | undefined>;
  show(id: string | undefined): void;
  /**
   * Shows a tab beside the visible one, or ends that. Without `id` it is another terminal or log, and a new terminal if there is none. If the
   * named tab is the visible one, a terminal becomes visible.
   */
  split(id?: string): void;
  /** Opens a terminal, and runs `line` in it. */
  addTerminal(line?: string): void;
  addLogs(of: ObjectRef): void;
  /** Shows the newest terminal, or opens the first one. */
  showTerminal(): void;
  close(id: string): void;
}

interface Titles {
  terminal(number: number): string;
  logs(name: string): string;
}

export function newDockTabs(titles: Titles, fixedTabs: readonly FixedTab[]): DockTabs {
  const all = signal<readonly DockTab[]>(fixedTabs);
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
  const show = (id: string | undefined) => {
    // The tab beside changes places with the visible one.
    if (id !== undefined && id === besideId.value) besideId.value = shownId.value;
    shownId.value = id;
  };
  const showTerminal = () => {
    const last = all.value.findLast(({ kind }) => kind === "terminal");
    if (last) show(last.id);
    else addTerminal();
  };
  return {
    all,
    shownId,
    besideId,
    show,
    split: (chosenId) => {
      const isEnd = besideId.value !== undefined && (chosenId === undefined || chosenId === besideId.value);
      if (isEnd) return void (besideId.value = undefined);
      if (chosenId !== undefined) {
        if (chosenId === shownId.value) showTerminal();
        return void (besideId.value = chosenId);
      }
      const before = shownId.value;
      const neighbour = all.value.findLast((tab) => tab.id !== before && isClosable(tab));
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
    showTerminal,
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
