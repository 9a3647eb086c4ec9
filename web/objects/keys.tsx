// The keyboard shortcuts of a sandbox's page: single keys, `g` followed by a letter, and `?` for help.
import { useEffect, useState } from "preact/hooks";
import { messages } from "../messages.ts";
import { Dialog } from "../parts/dialog.tsx";
import { open, useLive } from "../view/context.ts";
import { type Goal, goals, type KeyGroup, type KeyLine, keyTable } from "./key-table.ts";
import { actOn } from "./object-keys.ts";

/** The maximum time between the two keys. */
const pairMs = 1500;

export function KeyboardShortcuts() {
  const live = useLive();
  const [isAsked, ask] = useState(false);
  useEffect(() => {
    let firstAt = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWritten(event.target)) return;
      const goal = event.timeStamp - firstAt < pairMs ? goals[event.key] : undefined;
      firstAt = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const opened = live.opened.value;
      if (goal) live.place.go({ q: "", sort: "", ...goal.to });
      else if (event.key === "/") search(live.place.get("tab"), (to) => live.place.go(to));
      else if (event.key === "?") ask(true);
      else if (event.key === "Escape" && opened) open(live, undefined);
      else if (event.key === "j" || event.key === "k") enterRows();
      else if (!opened || !actOn(live, opened, event.key)) return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [live]);
  return isAsked ? <KeySheet close={() => ask(false)} /> : null;
}

function KeySheet({ close }: { readonly close: () => void }) {
  // The table has one entry for each group.
  const groups = Object.entries(keyTable) as [KeyGroup, readonly KeyLine[]][];
  return (
    <Dialog title={messages.keys.title} class="wide" close={close}>
      {groups.map(([group, lines]) => (
        <section key={group}>
          <h3>{messages.keys.groups[group]}</h3>
          <dl class="keys">
            {lines.map(({ keys, means }) => (
              <div key={keys}>
                <dt>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{means}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

/** Reports whether the target is a text input, where keys are text. */
function isWritten(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "checkbox") return false;
  return target.isContentEditable || target.closest("input, textarea, select, dialog, .xterm") !== null;
}

/** Moves the focus to the first row of the table that is shown, or of the tree. */
function enterRows(): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-grid], [data-tree]")];
  const first = rows.find((box) => box.matches("[data-grid]")) ?? rows.find((box) => box.offsetParent !== null);
  first?.focus();
  first?.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
}

/** Focuses the search. On a tab without one, opens the list first. */
function search(tab: string, go: (to: Goal) => void): void {
  if (tab !== "objects") go({ tab: "objects" });
  // The list may not be rendered yet.
  const focus = (tries: number) => {
    const field = document.querySelector<HTMLInputElement>("[data-search]");
    if (field) field.focus();
    else if (tries > 0) setTimeout(() => focus(tries - 1), 50);
  };
  focus(20);
}
