// The learner's terminal on the board: its lines live, or replayed from any moment.
import { useEffect, useRef, useState } from "preact/hooks";
import type { CommandList } from "../../../shared/contract/hosted/teaching.ts";
import { texts } from "../../messages/teaching.ts";
import { type Control, messageOf } from "../../api/control.ts";
import { may } from "../../api/session.ts";
import { followPoints, type TimelinePoint } from "../../console/timeline/followed.ts";
import { Alert } from "../../parts/alert.tsx";
import type { LessonsApi } from "./lessons-api.ts";

type Command = CommandList["commands"][number];

interface Props {
  readonly control: Control;
  readonly api: LessonsApi;
  readonly lesson: string;
  readonly run: string;
  readonly sandbox: string;
}

const pollMs = 2_000;
/** The lineCount changes after a line. */
const mostChanges = 30;
/** The pause between two lines of a replay: as long as the learner's, within these bounds. */
const pauseMs = { least: 300, most: 3_000 };

export function TerminalReplay({ control, api, lesson, run, sandbox }: Props) {
  const points = usePoints(control, sandbox);
  const { commands, failure } = useCommands(api, lesson, run);
  /** The number of lineCount lines; undefined follows the newest one. */
  const [moment, setMoment] = useState<number>();
  const [isPlaying, play] = useState(false);
  const lineCount = moment ?? commands.length;
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    screen.current?.scrollTo({ top: screen.current.scrollHeight });
  }, [lineCount]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (lineCount >= commands.length) {
      play(false);
      return undefined;
    }
    const timer = setTimeout(
      () => setMoment(lineCount + 1),
      pauseBetween(commands[lineCount - 1], commands[lineCount]),
    );
    return () => clearTimeout(timer);
  }, [isPlaying, lineCount, commands]);
  const startReplay = () => {
    if (lineCount >= commands.length) setMoment(0);
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
              aria-valuetext={texts.lineOf(lineCount, commands.length)}
              min={0}
              max={commands.length}
              value={lineCount}
              onInput={({ currentTarget }) => setMoment(Number(currentTarget.value))}
            />
            <span class="hint">{texts.lineOf(lineCount, commands.length)}</span>
          </div>
          <div ref={screen} class="screen" role="region" tabIndex={0} aria-label={texts.output}>
            {commands.slice(0, lineCount).map((command, at) => (
              <Line key={command.seq} command={command} changes={changesAfter(points, command, commands[at + 1])} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

interface LineProps {
  readonly command: Command;
  /** The changes in the cluster until the next line. */
  readonly changes: readonly TimelinePoint[];
}

function Line({ command: { at, line, output, exitCode }, changes }: LineProps) {
  return (
    <div class={exitCode === 0 ? "line" : "line bad"}>
      <p>
        <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time> <code>$ {line}</code>
        {exitCode !== 0 && <span class="hint"> {texts.exit(exitCode)}</span>}
      </p>
      {output.trim() !== "" && <pre>{output}</pre>}
      {changes.length > 0 && (
        <details>
          <summary>{texts.changes(changes.length)}</summary>
          <ul>
            {changes.slice(0, mostChanges).map(({ revision, atMs, label }) => (
              <li key={revision}>
                <time dateTime={new Date(atMs).toISOString()}>{new Date(atMs).toLocaleTimeString()}</time> {label}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function changesAfter(points: readonly TimelinePoint[], command: Command, next: Command | undefined) {
  const from = Date.parse(command.at);
  const to = next ? Date.parse(next.at) : Number.POSITIVE_INFINITY;
  return points.filter(({ atMs }) => atMs >= from && atMs < to);
}

/** Follows the timeline of the cluster, for those who may read it. */
function usePoints(control: Control, sandbox: string): readonly TimelinePoint[] {
  const [points, setPoints] = useState<readonly TimelinePoint[]>([]);
  useEffect(() => {
    if (!may("sandboxes:read")) return undefined;
    const stop = new AbortController();
    const followed = followPoints(control, sandbox, stop.signal);
    const unsubscribe = followed.subscribe(setPoints);
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [control, sandbox]);
  return points;
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
