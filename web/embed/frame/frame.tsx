// What a frame shows: its panes, or a sentence in their place.
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

/** For elements that are as high as what they show. */
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

/** Side by side; where there is no room, one at a time. */
function Panes({ frame, opened }: Props) {
  const { panes } = frame.settings;
  const [shown, show] = useState<Pane | undefined>(panes[0]);
  const words = frame.words.value;
  return (
    <div class={`panes of-${panes.length}`}>
      {panes.length > 1 && (
        <div class="tabs" role="tablist">
          {panes.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={one === shown}
              aria-controls={`pane-${one}`}
              onClick={() => show(one)}
            >
              {words[one]}
            </button>
          ))}
        </div>
      )}
      {panes.map((one) => (
        <section
          key={one}
          id={`pane-${one}`}
          class={one === shown ? "pane chosen" : "pane"}
          data-pane={one}
          aria-label={words[one]}
        >
          <One pane={one} frame={frame} opened={opened} />
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
