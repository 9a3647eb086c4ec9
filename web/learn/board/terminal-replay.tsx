// The learner's terminal on the board: its lines live, or replayed from any moment.
import { useEffect, useRef, useState } from "preact/hooks";
import type { CommandList } from "../../../shared/contract/hosted/teaching.ts";
import { texts } from "../../messages/teaching.ts";
import { messageOf } from "../../api/control.ts";
import { Alert } from "../../parts/alert.tsx";
import type { LessonsApi } from "./lessons-api.ts";

type Command = CommandList["commands"][number];

interface Props {
  readonly api: LessonsApi;
  readonly lesson: string;
  readonly run: string;
}

const pollMs = 2_000;
/** The pause between two lines of a replay: as long as the learner's, within these bounds. */
const pauseMs = { least: 300, most: 3_000 };

export function TerminalReplay({ api, lesson, run }: Props) {
  const { commands, failure } = useCommands(api, lesson, run);
  /** The number of shown lines; undefined follows the newest one. */
  const [moment, setMoment] = useState<number>();
  const [isPlaying, play] = useState(false);
  const shown = moment ?? commands.length;
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    screen.current?.scrollTo({ top: screen.current.scrollHeight });
  }, [shown]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (shown >= commands.length) {
      play(false);
      return undefined;
    }
    const timer = setTimeout(() => setMoment(shown + 1), pauseBetween(commands[shown - 1], commands[shown]));
    return () => clearTimeout(timer);
  }, [isPlaying, shown, commands]);
  const startReplay = () => {
    if (shown >= commands.length) setMoment(0);
    play(true);
  };
  return (
    <section class="replay" aria-label={texts.terminal}>
      <Alert text={failure} />
      {commands.length === 0 && <p class="hint">{texts.noLines}</p>}
      {commands.length > 0 && (
        <>
          <div class="actions">
            <button type="button" aria-pressed={moment === undefined} onClick={() => setMoment(undefined)}>
              {texts.live}
            </button>
            <button type="button" onClick={() => (isPlaying ? play(false) : startReplay())}>
              {isPlaying ? texts.stop : texts.play}
            </button>
            <input
              type="range"
              aria-label={texts.moment}
              aria-valuetext={texts.lineOf(shown, commands.length)}
              min={0}
              max={commands.length}
              value={shown}
              onInput={({ currentTarget }) => setMoment(Number(currentTarget.value))}
            />
            <span class="hint">{texts.lineOf(shown, commands.length)}</span>
          </div>
          <div ref={screen} class="screen" role="region" tabIndex={0} aria-label={texts.output}>
            {commands.slice(0, shown).map((command) => (
              <Line key={command.seq} command={command} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function Line({ command: { at, line, output, exitCode } }: { readonly command: Command }) {
  return (
    <div class={exitCode === 0 ? "line" : "line bad"}>
      <p>
        <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time> <code>$ {line}</code>
        {exitCode !== 0 && <span class="hint"> exit {exitCode}</span>}
      </p>
      {output.trim() !== "" && <pre>{output}</pre>}
    </div>
  );
}

function pauseBetween(before: Command | undefined, next: Command | undefined): number {
  if (!before || !next) return pauseMs.least;
  const ms = Date.parse(next.at) - Date.parse(before.at);
  return Math.min(pauseMs.most, Math.max(pauseMs.least, ms));
}

/** Reads the lines at first, and new ones every two seconds while the page is visible. */
function useCommands(api: LessonsApi, lesson: string, run: string) {
  const [commands, setCommands] = useState<readonly Command[]>([]);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let last = 0;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async () => {
      try {
        for (let hasMore = !document.hidden; hasMore && !isOver; ) {
          const page = await api.commands(lesson, run, last);
          last = page.commands.at(-1)?.seq ?? last;
          if (page.commands.length > 0) setCommands((before) => [...before, ...page.commands]);
          ({ hasMore } = page);
        }
        setFailure("");
      } catch (error) {
        setFailure(messageOf(error));
      }
      if (!isOver) timer = setTimeout(() => void round(), pollMs);
    };
    setCommands([]);
    void round();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api, lesson, run]);
  return { commands, failure };
}
