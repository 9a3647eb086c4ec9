// The contents of a frame: its panes, or a message instead of them.
import { useEffect, useRef, useState } from "preact/hooks";
import { CheckPane } from "../panes/check.tsx";
import { LessonPane } from "../panes/lesson.tsx";
import { LivePane } from "../panes/live.tsx";
import { TerminalPane } from "../panes/terminal-pane.tsx";
import type { Pane } from "./settings.ts";
import type { FrameState, Opened } from "./model.ts";
import { sentenceOf } from "../../messages/embed.ts";

export function Frame({ frame }: { readonly frame: FrameState }) {
  const root = useRef<HTMLElement>(null);
  useEffect(() => tellHeight(frame, root.current), [frame]);
  return (
    <main ref={root}>
      <h1 class="unseen">{frame.words.value.title}</h1>
      <Shown frame={frame} />
    </main>
  );
}

/** Reports the content height, for elements that adapt to it. */
function tellHeight({ link }: FrameState, element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const observer = new ResizeObserver(() => {
    link.send({ type: "height", pixels: Math.ceil(element.getBoundingClientRect().height) });
  });
  observer.observe(element);
  return () => observer.disconnect();
}

function Shown({ frame }: { readonly frame: FrameState }) {
  const words = frame.words.value;
  const phase = frame.phase.value;
  if (phase.is === "open") return <Panes key={phase.access.id} frame={frame} opened={phase} />;
  if (phase.is === "opening")
    return (
      <p class="empty" role="status">
        {words.opening}
      </p>
    );
  return (
    <div class="notice" role="alert">
      <p>{phase.is === "expired" ? words.expired : sentenceOf(words, phase)}</p>
      <button type="button" onClick={frame.open}>
        {phase.is === "expired" ? words.again : words.retry}
      </button>
    </div>
  );
}

interface Props {
  readonly frame: FrameState;
  readonly opened: Opened;
}

/** Shows the panes side by side, or one at a time if there is too little room. */
function Panes({ frame, opened }: Props) {
  const { panes } = frame.settings;
  const [selectedPane, show] = useState<Pane | undefined>(panes[0]);
  const words = frame.words.value;
  return (
    <div class={`panes of-${panes.length}`}>
      {panes.length > 1 && (
        <div class="tabs" role="tablist">
          {panes.map((paneName) => (
            <button
              key={paneName}
              type="button"
              role="tab"
              aria-selected={paneName === selectedPane}
              aria-controls={`pane-${paneName}`}
              onClick={() => show(paneName)}
            >
              {words[paneName]}
            </button>
          ))}
        </div>
      )}
      {panes.map((paneName) => (
        <section
          key={paneName}
          id={`pane-${paneName}`}
          class={paneName === selectedPane ? "pane chosen" : "pane"}
          data-pane={paneName}
          aria-label={words[paneName]}
        >
          <One pane={paneName} frame={frame} opened={opened} />
        </section>
      ))}
    </div>
  );
}

function One({ pane, ...props }: Props & { readonly pane: Pane }) {
  switch (pane) {
    case "lesson":
      return <LessonPane frame={props.frame} />;
    case "check":
      return <CheckPane frame={props.frame} />;
    case "live":
      return <LivePane {...props} />;
    case "terminal":
      return <TerminalPane {...props} />;
  }
}
