// The keyboard shortcuts of a sandbox's page: single keys, `g` followed by a letter, and `?` for help.
import { useEffect, useState } from "preact/hooks";
import { messages } from "../messages.ts";
import { Dialog } from "../parts/dialog.tsx";
import { open, useLive } from "../view/context.ts";
import type { PlaceName } from "../live/place.ts";

type Goal = Partial<Record<PlaceName, string>>;

/** The destinations of the letters after `g`. */
const goals: Readonly<Record<string, { readonly name: string; readonly to: Goal }>> = {
  o: { name: messages.tabs.overview, to: { tab: "" } },
  p: { name: messages.overview.pods, to: { tab: "objects", kind: "pods" } },
  d: { name: messages.overview.deployments, to: { tab: "objects", kind: "deployments.apps" } },
  s: { name: messages.overview.services, to: { tab: "objects", kind: "services" } },
  n: { name: messages.overview.nodes, to: { tab: "objects", kind: "nodes" } },
  c: { name: "ConfigMaps", to: { tab: "objects", kind: "configmaps" } },
  e: { name: messages.overview.events, to: { tab: "objects", kind: "events" } },
  j: { name: "Jobs", to: { tab: "objects", kind: "jobs.batch" } },
  t: { name: messages.tabs.topology, to: { tab: "topology" } },
  a: { name: messages.tabs.access, to: { tab: "access" } },
  h: { name: messages.tabs.history, to: { tab: "history" } },
  z: { name: messages.tabs.snapshots, to: { tab: "snapshots" } },
};

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
      if (goal) live.place.go({ q: "", sort: "", ...goal.to });
      else if (event.key === "/") search(live.place.get("tab"), (to) => live.place.go(to));
      else if (event.key === "?") ask(true);
      else if (event.key === "Escape" && live.opened.value) open(live, undefined);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [live]);
  if (!isAsked) return null;
  return (
    <Dialog title={messages.keys.title} close={() => ask(false)}>
      <dl class="keys">
        <Key keys="/" means={messages.keys.search} />
        <Key keys="?" means={messages.keys.help} />
        <Key keys="Esc" means={messages.keys.close} />
        <Key keys="↑ ↓ Enter" means={messages.keys.rows} />
        {Object.entries(goals).map(([key, { name }]) => (
          <Key key={key} keys={`g ${key}`} means={messages.keys.of(name)} />
        ))}
      </dl>
    </Dialog>
  );
}

function Key({ keys, means }: { readonly keys: string; readonly means: string }) {
  return (
    <div>
      <dt>
        {keys.split(" ").map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{means}</dd>
    </div>
  );
}

/** Reports whether the target is a text input, where keys are text. */
function isWritten(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "checkbox") return false;
  return target.isContentEditable || target.closest("input, textarea, select, dialog, .xterm") !== null;
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
