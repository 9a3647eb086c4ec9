// The bar below a sandbox's page: what happened as points in time, a handle that shows the sandbox as it was at a moment, and its clock.
import { signal } from "@preact/signals";
import { ChevronLeft, ChevronRight, Pause, Play, SkipForward } from "lucide";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Control } from "../../api/control.ts";
import { messageOf } from "../../api/control-failure.ts";
import type { Place } from "../../live/place.ts";
import { texts } from "../../messages/timeline.ts";
import { showOutput } from "../../objects/command-output.tsx";
import { Icon } from "../../parts/icon.tsx";
import { clusterNow, nowMs } from "../../parts/now.ts";
import {
  changeClock,
  type ClockChange,
  type ClockReading,
  clockNowMs,
  followPoints,
  momentMs,
  neighbour,
  readClock,
  type TimelinePoint,
} from "./followed.ts";

interface Props {
  readonly control: Control;
  readonly id: string;
  readonly place: Place;
  /** True if the caller can change the clock. */
  readonly canChangeClock: boolean;
}

const dragPauseMs = 120;
const speeds = [0.1, 1, 10, 60, 1000];
const leastSpanMs = 60_000;

export function TimelineBar({ control, id, place, canChangeClock }: Props) {
  const points = useFollowed(control, id);
  const clock = useClock(control, id);
  const moment = place.get("at");
  const shownMs = moment === "" ? undefined : momentMs(moment, points);
  usePageTime(clock.reading, shownMs);
  const show = (at: string) => place.go({ at }, moment === "" ? "push" : "replace");
  const step = (direction: "before" | "after") => {
    const revision = neighbour(moment, points, direction);
    if (revision !== undefined) show(revision === points.at(-1)?.revision ? "" : String(revision));
  };
  const reading = clock.reading;
  return (
    <section class={moment === "" ? "timeline-bar" : "timeline-bar past"} aria-label={texts.timeline}>
      <button
        type="button"
        class="quiet"
        title={texts.previous}
        aria-label={texts.previous}
        disabled={points.length === 0}
        onClick={() => step("before")}
      >
        <Icon of={ChevronLeft} />
      </button>
      {reading && <Track points={points} reading={reading} shownMs={shownMs} isPast={moment !== ""} show={show} />}
      <button
        type="button"
        class="quiet"
        title={texts.next}
        aria-label={texts.next}
        disabled={moment === "" || points.length === 0}
        onClick={() => step("after")}
      >
        <Icon of={ChevronRight} />
      </button>
      {moment === "" ? (
        <output class="moment">{texts.now}</output>
      ) : (
        <>
          <output class="moment" role="status">
            {texts.past(shownMs === undefined ? moment : new Date(shownMs).toLocaleTimeString())}
          </output>
          <button type="button" onClick={() => show("")}>
            {texts.backToNow}
          </button>
        </>
      )}
      {moment === "" && reading && <Clock reading={reading} change={canChangeClock ? clock.change : undefined} />}
    </section>
  );
}

interface TrackProps {
  readonly points: readonly TimelinePoint[];
  readonly reading: ClockReading;
  readonly shownMs: number | undefined;
  readonly isPast: boolean;
  show(at: string): void;
}

/** The points on a line, and the handle as a range input, which the keyboard moves too. */
function Track({ points, reading, shownMs, isPast, show }: TrackProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [draggedMs, setDraggedMs] = useState<number>();
  // The end of the line moves with the time.
  const endMs = nowMs.value > 0 ? clockNowMs(reading) : 0;
  const beginMs = Math.min(points[0]?.atMs ?? endMs, endMs - leastSpanMs);
  const spanMs = endMs - beginMs;
  const valueMs = draggedMs ?? (isPast ? (shownMs ?? beginMs) : endMs);
  const drag = (ms: number) => {
    setDraggedMs(ms);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setDraggedMs(undefined);
      show(ms >= endMs - spanMs / 500 ? "" : new Date(ms).toISOString());
    }, dragPauseMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="track">
      <div class="points" aria-hidden="true">
        {points.map(({ revision, atMs, isRequest, label }) => (
          <i
            key={revision}
            class={isRequest ? "request" : undefined}
            title={label}
            style={{ left: `${(Math.max(0, atMs - beginMs) / spanMs) * 100}%` }}
          />
        ))}
      </div>
      <input
        type="range"
        aria-label={texts.moment}
        aria-valuetext={isPast ? new Date(valueMs).toLocaleTimeString() : texts.now}
        min={beginMs}
        max={endMs}
        step={Math.max(1, Math.round(spanMs / 1_000))}
        value={valueMs}
        onInput={({ currentTarget }) => drag(Number(currentTarget.value))}
      />
    </div>
  );
}

interface ClockProps {
  readonly reading: ClockReading;
  /** Undefined if the caller cannot change the clock. */
  readonly change: ((change: ClockChange) => void) | undefined;
}

function Clock({ reading, change }: ClockProps) {
  const isPaused = reading.state === "paused";
  const time = nowMs.value > 0 ? new Date(clockNowMs(reading)).toLocaleTimeString() : "";
  const all = speeds.includes(reading.speed) ? speeds : [...speeds, reading.speed].sort((a, b) => a - b);
  return (
    <div class="clock" role="group" aria-label={texts.clock}>
      <span class="time">
        {time} {isPaused && texts.paused}
      </span>
      {change && (
        <>
          <button
            type="button"
            class="quiet"
            title={isPaused ? texts.run : texts.pause}
            aria-label={isPaused ? texts.run : texts.pause}
            onClick={() => change({ state: isPaused ? "running" : "paused" })}
          >
            <Icon of={isPaused ? Play : Pause} />
          </button>
          <select
            aria-label={texts.speed}
            value={String(reading.speed)}
            onChange={({ currentTarget }) => change({ speed: Number(currentTarget.value) })}
          >
            {all.map((factor) => (
              <option key={factor} value={String(factor)}>
                {texts.times(factor)}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="quiet"
            title={texts.step}
            aria-label={texts.step}
            onClick={() => change({ advance: "1m" })}
          >
            <Icon of={SkipForward} />
          </button>
        </>
      )}
    </div>
  );
}

function useFollowed(control: Control, id: string): readonly TimelinePoint[] {
  const { points, stop } = useMemo(() => {
    const stop = new AbortController();
    return { stop, points: followPoints(control, id, stop.signal) };
  }, [control, id]);
  useEffect(() => () => stop.abort(), [stop]);
  return points.value;
}

/** The sandbox's clock: read now and whenever the page is looked at again, since others can change it. */
function useClock(control: Control, id: string) {
  const current = useMemo(() => signal<ClockReading | undefined>(undefined), [control, id]);
  const take = (request: Promise<ClockReading>) =>
    void request.then(
      (reading) => void (current.value = reading),
      (error: unknown) => showOutput(texts.clock, messageOf(error)),
    );
  useEffect(() => {
    const read = () => {
      if (!document.hidden) take(readClock(control, id));
    };
    read();
    addEventListener("focus", read);
    return () => removeEventListener("focus", read);
  }, [current]);
  return { reading: current.value, change: (change: ClockChange) => take(changeClock(control, id, change)) };
}

/** Has the page show ages by the sandbox's clock, or by the moment that is shown. */
function usePageTime(reading: ClockReading | undefined, shownMs: number | undefined): void {
  useEffect(() => {
    clusterNow.value = shownMs === undefined ? reading && (() => clockNowMs(reading)) : () => shownMs;
    return () => void (clusterNow.value = undefined);
  }, [reading, shownMs]);
}
