// The command palette: every page, object and action by name, with the kubectl line that does the same. Loaded when it is first opened.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { KindBadge } from "../parts/kind-badge.tsx";
import { texts } from "../messages/palette.ts";
import { type Entry, matching, noteRecent, sources } from "./entries.ts";
import { isPaletteOpen } from "./palette-key.ts";

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function close(): void {
  isPaletteOpen.value = false;
}

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  useEffect(() => {
    dialog.current?.showModal();
    const stop = new AbortController();
    for (const source of sources.peek()) source.load?.(stop.signal);
    return () => stop.abort();
  }, []);
  const all = sources.value.flatMap((source) => source.entries());
  const matches = useMemo(() => matching(all, query), [all.length, query]);
  const at = Math.min(active, matches.length - 1);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, matches]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    noteRecent(entry);
    // Runs after the dialog has restored the focus.
    setTimeout(() => entry.run());
  };
  const press = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined && matches.length > 0) setActive((at + step + matches.length) % matches.length);
    else if (event.key === "Enter") run(matches[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={texts.title}
      onClose={close}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <Query
        query={query}
        listId={listId}
        at={at}
        change={(text) => {
          setQuery(text);
          setActive(0);
        }}
        press={press}
      />
      <div id={listId} class="palette-list" role="listbox" aria-label={texts.found} tabIndex={-1}>
        {matches.map((entry, place) => (
          <Choice
            key={entry.id}
            id={`${listId}-${place}`}
            entry={entry}
            isActive={place === at}
            isFirst={entry.group !== matches[place - 1]?.group}
            point={() => setActive(place)}
            run={() => run(entry)}
          />
        ))}
      </div>
      {matches.length === 0 && <p class="empty">{texts.none(query)}</p>}
      <Foot />
    </dialog>
  );
}

interface QueryProps {
  readonly query: string;
  readonly listId: string;
  /** The index of the entry that Enter runs. */
  readonly at: number;
  readonly change: (text: string) => void;
  readonly press: (event: KeyboardEvent) => void;
}

function Query({ query, listId, at, change, press }: QueryProps) {
  return (
    <input
      type="text"
      role="combobox"
      aria-label={texts.title}
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
      placeholder={texts.hint}
      spellcheck={false}
      autoComplete="off"
      value={query}
      onInput={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={press}
    />
  );
}

/** The keys of the palette. */
function Foot() {
  return (
    <p class="palette-foot" aria-hidden="true">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {texts.choose}
      </span>
      <span>
        <kbd>{texts.enterKey}</kbd> {texts.run}
      </span>
      <span>
        <kbd>{texts.escapeKey}</kbd> {texts.close}
      </span>
    </p>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
  /** Reports whether the entry is the first of its group and shows the group's name. */
  readonly isFirst: boolean;
  readonly point: () => void;
  readonly run: () => void;
}

function Choice({ id, entry, isActive, isFirst, point, run }: ChoiceProps) {
  const { group, kind, label, detail, line } = entry;
  return (
    <div id={id} class="choice" role="option" aria-selected={isActive} onPointerMove={point} onClick={run}>
      {kind !== undefined && <KindBadge kind={kind} />}
      <span class="name">{label}</span>
      {detail && <small class="within">{detail}</small>}
      {line && <code>{line}</code>}
      {(isFirst || isActive) && <small class="group">{group}</small>}
    </div>
  );
}
