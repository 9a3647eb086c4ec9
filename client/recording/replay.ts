// Replays a recording into a sandbox: each request at its time on the sandbox's clock.
import type { TimeAxis } from "../time-axis.ts";
import type { Recording } from "./recording.ts";
import { Sender, type Target } from "./sender.ts";

export interface ReplayOptions {
  readonly id: string;
  readonly time: Pick<TimeAxis, "getClock" | "changeClock">;
  readonly target: Target;
  /** The factor by which it is faster than the recording, or `max`: as fast as the sandbox can. */
  readonly speed: number | "max";
  /** Times of the recording: earlier requests are left out, and the replay stops at the end. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly signal: AbortSignal;
  /** Called before each request. */
  progress?(request: Recording["requests"][number]): void;
}

export interface Replayed {
  readonly sent: number;
  readonly refused: readonly { readonly line: number; readonly at: string; readonly reason: string }[];
  /** The time of the first request that was not sent. Undefined if all were. */
  readonly next: string | undefined;
}

/** The longest time that a clock is told to run in one request. */
const mostSpeed = 1_000;

export async function replay(recording: Recording, options: ReplayOptions): Promise<Replayed> {
  const { fromMs, untilMs, signal, progress } = options;
  const { header, requests } = recording;
  const sender = new Sender(options.target, header, requests);
  const due = requests.filter(({ verb, atMs }) => verb !== "exists" && atMs >= fromMs && atMs < untilMs);
  const later = requests.find(({ atMs }) => atMs >= untilMs);
  const refused: { line: number; at: string; reason: string }[] = [];
  const pace = await paceOf(options, Math.max(fromMs, Date.parse(header.from)));
  let sent = 0;
  for (const request of due) {
    if (!(await pace.reach(request.atMs))) break;
    progress?.(request);
    const reason = await sender.send(request);
    sent += 1;
    if (reason !== undefined) refused.push({ line: request.line, at: request.at, reason });
  }
  const next = due[sent] ?? later;
  await pace.end(next !== undefined || signal.aborted);
  return { sent, refused, next: next?.at };
}

interface Pace {
  /** Resolves at the time of the recording; false if the user has interrupted the replay. */
  reach(atMs: number): Promise<boolean>;
  /** Leaves the clock paused if the replay stopped before its end. */
  end(hasStopped: boolean): Promise<void>;
}

async function paceOf(options: ReplayOptions, fromMs: number): Promise<Pace> {
  const { id, time, speed, signal } = options;
  const before = await time.getClock(id);
  const end = async (hasStopped: boolean) => {
    const state = hasStopped ? "paused" : before.state;
    await time.changeClock(id, { state, speed: before.speed });
  };
  if (speed === "max") {
    const { now } = await time.changeClock(id, { state: "paused" });
    const startMs = Date.parse(now);
    let nowMs = startMs;
    const reach = async (atMs: number) => {
      nowMs = await runTo(options, nowMs, startMs + atMs - fromMs);
      return !signal.aborted;
    };
    return { reach, end };
  }
  await time.changeClock(id, { state: "running", speed: Math.min(mostSpeed, speed) });
  const startMs = Date.now();
  return { reach: (atMs) => waitUntil(startMs + (atMs - fromMs) / speed, signal), end };
}

/** Runs the clock of the sandbox to a time, as fast as can be. Returns the time that it reached. */
async function runTo({ id, time, signal }: ReplayOptions, fromMs: number, untilMs: number): Promise<number> {
  let nowMs = fromMs;
  while (nowMs < untilMs && !signal.aborted) {
    const { now } = await time.changeClock(id, { runUntil: new Date(untilMs).toISOString() });
    nowMs = Date.parse(now);
  }
  return nowMs;
}

function waitUntil(atMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    if (signal.aborted) return done(false);
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done(!signal.aborted);
    };
    const timer = setTimeout(end, Math.max(0, atMs - Date.now()));
    signal.addEventListener("abort", end);
  });
}
