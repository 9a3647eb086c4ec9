// The learner's terminals on the board: their lines live while they run, or replayed from any moment.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { texts } from "../../messages/teaching.ts";
import { type Control } from "../../api/control.ts";
import { messageOf } from "../../api/control-failure.ts";
import { may } from "../../api/session.ts";
import { followPoints, type TimelinePoint } from "../../console/timeline/followed.ts";
import { Alert } from "../../parts/alert.tsx";
import type { LessonsApi } from "./lessons-api.ts";
import { endMs, type RecordEntry, type RecordLine, recordLines } from "./record-lines.ts";

interface Props {
  readonly control: Control;
  readonly api: LessonsApi;
  readonly lesson: string;
  readonly run: string;
  readonly sandbox: string;
  /** False if the run has ended: its record stays, and its cluster is gone. */
  readonly isLive: boolean;
}

const pollMs = 1_000;
/** The visible changes after a line. */
const mostChanges = 30;
/** The pause between two entries of a replay: as long as the learner's, within these bounds. */
const pauseMs = { least: 300, most: 3_000 };

export function TerminalReplay({ control, api, lesson, run, sandbox, isLive }: Props) {
  const points = usePoints(control, sandbox, isLive);
  const { entries, isFull, failure } = useEntries(api, lesson, run, isLive);
  const { moment, setMoment, entryCount, isPlaying, toggle } = useReplay(entries);
  const all = useMemo(() => recordLines(entries), [entries]);
  const lines = useMemo(() => recordLines(entries.slice(0, entryCount)), [entries, entryCount]);
  const lineOf = texts.lineOf(lines.length, all.length);
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    screen.current?.scrollTo({ top: screen.current.scrollHeight });
  }, [entryCount]);
  return (
    <section class="replay" aria-label={texts.terminal}>
      <Alert text={failure} />
      {entries.length === 0 && <p class="hint">{texts.noLines}</p>}
      {entries.length > 0 && (
        <>
          <div class="actions">
            <button type="button" aria-pressed={moment === undefined} onClick={() => setMoment(undefined)}>
              {isLive ? texts.live : texts.wholeRecord}
            </button>
            <button type="button" onClick={toggle}>
              {isPlaying ? texts.stop : texts.play}
            </button>
            <input
              type="range"
              aria-label={texts.moment}
              aria-valuetext={lineOf}
              min={0}
              max={entries.length}
              value={entryCount}
              onInput={({ currentTarget }) => setMoment(Number(currentTarget.value))}
            />
            <span class="hint">{lineOf}</span>
          </div>
          <div ref={screen} class="screen" role="region" tabIndex={0} aria-label={texts.output}>
            {lines.map((line, at) => (
              <Line
                key={line.seq}
                line={line}
                isRunning={isLive && moment === undefined}
                changes={changesAfter(points, line, lines[at + 1])}
              />
            ))}
          </div>
          {isFull && (
            <p class="notice" role="status">
              {texts.full}
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** Plays the entries from a moment on. */
function useReplay(entries: readonly RecordEntry[]) {
  /** The number of visible entries; undefined follows the newest one. */
  const [moment, setMoment] = useState<number>();
  const [isPlaying, play] = useState(false);
  const entryCount = moment ?? entries.length;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (entryCount >= entries.length) {
      play(false);
      return undefined;
    }
    const pause = pauseBetween(entries[entryCount - 1], entries[entryCount]);
    const timer = setTimeout(() => setMoment(entryCount + 1), pause);
    return () => clearTimeout(timer);
  }, [isPlaying, entryCount, entries]);
  const toggle = () => {
    if (!isPlaying && entryCount >= entries.length) setMoment(0);
    play(!isPlaying);
  };
  return { moment, setMoment, entryCount, isPlaying, toggle };
}

interface LineProps {
  readonly line: RecordLine;
  /** True if a line that has not ended may still run. */
  readonly isRunning: boolean;
  /** The changes in the cluster until the next line. */
  readonly changes: readonly TimelinePoint[];
}

function Line({ line: { atMs, line, output, exitCode }, isRunning, changes }: LineProps) {
  const at = new Date(atMs);
  return (
    <div class={exitCode === undefined || exitCode === 0 ? "line" : "line bad"}>
      <p>
        <time dateTime={at.toISOString()}>{at.toLocaleTimeString()}</time> <code>$ {line}</code>
        {exitCode === undefined && isRunning && <span class="hint"> {texts.running}</span>}
        {exitCode !== undefined && exitCode !== 0 && <span class="hint"> {texts.exit(exitCode)}</span>}
      </p>
      {output.trim() !== "" && <pre>{output}</pre>}
      {changes.length > 0 && (
        <details>
          <summary>{texts.changes(changes.length)}</summary>
          <ul>
            {changes.slice(0, mostChanges).map(({ revision, atMs: changedMs, label }) => (
              <li key={revision}>
                <time dateTime={new Date(changedMs).toISOString()}>{new Date(changedMs).toLocaleTimeString()}</time>{" "}
                {label}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function changesAfter(points: readonly TimelinePoint[], line: RecordLine, next: RecordLine | undefined) {
  const toMs = next?.atMs ?? Number.POSITIVE_INFINITY;
  return points.filter(({ atMs }) => atMs >= line.atMs && atMs < toMs);
}

/** Follows the timeline of a live cluster, for those who may read it. */
function usePoints(control: Control, sandbox: string, isLive: boolean): readonly TimelinePoint[] {
  const [points, setPoints] = useState<readonly TimelinePoint[]>([]);
  useEffect(() => {
    if (!isLive || !may("sandboxes:read")) return undefined;
    const stop = new AbortController();
    const followed = followPoints(control, sandbox, stop.signal);
    const unsubscribe = followed.subscribe(setPoints);
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [control, sandbox, isLive]);
  return points;
}

function pauseBetween(before: RecordEntry | undefined, next: RecordEntry | undefined): number {
  if (!before || !next) return pauseMs.least;
  return Math.min(pauseMs.most, Math.max(pauseMs.least, endMs(next) - endMs(before)));
}

/** Reads the entries at first, and new ones of a live run every second while the page is visible. */
function useEntries(api: LessonsApi, lesson: string, run: string, isLive: boolean) {
  const [entries, setEntries] = useState<readonly RecordEntry[]>([]);
  const [isFull, setFull] = useState(false);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let last = 0;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async () => {
      let hasRead = false;
      try {
        for (let hasMore = !document.hidden; hasMore && !isOver; ) {
          const read = await api.commands(lesson, run, last);
          last = read.commands.at(-1)?.seq ?? last;
          if (read.commands.length > 0) setEntries((before) => [...before, ...read.commands]);
          setFull(read.isFull);
          ({ hasMore } = read);
          hasRead = !hasMore;
        }
        setFailure("");
      } catch (error) {
        setFailure(messageOf(error));
      }
      if (!isOver && (isLive || !hasRead)) timer = setTimeout(() => void round(), pollMs);
    };
    setEntries([]);
    void round();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api, lesson, run, isLive]);
  return { entries, isFull, failure };
}
