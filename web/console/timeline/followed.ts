// The timeline of a sandbox as the console follows it: entries as they happen, and the sandbox's clock.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ChangedClock, ClockFacts, ClockState } from "../../../shared/contract/cluster/clock.ts";
import type { TimelineEntry } from "../../../shared/contract/cluster/past.ts";
import { type Control } from "../../api/control.ts";
import { ControlFailure } from "../../api/control-failure.ts";

/** A change with its time, in the order of revisions. */
export interface TimelinePoint {
  readonly revision: number;
  readonly atMs: number;
  /** True for a request of a user. */
  readonly isRequest: boolean;
  readonly label: string;
}

const mostPoints = 1_000;
const againMs = 3_000;
/** The status codes of answers that stay the same: the key is not valid, or the sandbox has ended. */
const lasting = [401, 403, 404, 410];

/** Follows the timeline until the signal aborts. */
export function followPoints(
  control: Control,
  id: string,
  until: AbortSignal,
): ReadonlySignal<readonly TimelinePoint[]> {
  const points = signal<readonly TimelinePoint[]>([]);
  const add = (added: readonly TimelinePoint[]) => {
    if (added.length === 0) return;
    const revisions = new Set(points.peek().map(({ revision }) => revision));
    const all = [...points.peek(), ...added.filter(({ revision }) => !revisions.has(revision))];
    points.value = all.sort((a, b) => a.revision - b.revision).slice(-mostPoints);
  };
  void follow(control, id, points, { add, until });
  return points;
}

interface Following {
  add(points: readonly TimelinePoint[]): void;
  readonly until: AbortSignal;
}

async function follow(
  control: Control,
  id: string,
  points: ReadonlySignal<readonly TimelinePoint[]>,
  { add, until }: Following,
): Promise<void> {
  while (!until.aborted) {
    const last = points.peek().at(-1)?.revision;
    const since = last === undefined ? "" : `&since=${last + 1}`;
    try {
      const path = `/v1/sandboxes/${encodeURIComponent(id)}/timeline?follow=true${since}`;
      const answer = await control.ask(path, { headers: { accept: "application/jsonl" }, signal: until });
      for await (const lines of linesOf(answer)) add(lines.flatMap(pointOf));
    } catch (error) {
      // The sandbox's own connection says what is wrong. A refusal does not pass.
      if (error instanceof ControlFailure && lasting.includes(error.status)) return;
    }
    if (!until.aborted) await new Promise((done) => setTimeout(done, againMs));
  }
}

/** Yields the lines of a body, those that arrive together at once. */
async function* linesOf({ body }: Response): AsyncGenerator<readonly string[]> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    const lines = (rest + decoder.decode(chunk.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines.filter((line) => line !== "");
  }
}

function pointOf(line: string): TimelinePoint[] {
  // The service answers what its contract says.
  const entry = JSON.parse(line) as Partial<TimelineEntry>;
  const { revision, at, auditId, change = "", resource = "", namespace, name = "", user = "" } = entry;
  if (revision === undefined || at === undefined) return [];
  const isRequest = auditId !== undefined;
  const object = `${resource} ${namespace ? `${namespace}/` : ""}${name}`;
  return [{ revision, atMs: Date.parse(at), isRequest, label: `${isRequest ? user : ""} ${change} ${object}`.trim() }];
}

/** A reading of the sandbox's clock, which goes on from then. */
export interface ClockReading extends ClockFacts {
  /** The time of the browser at the reading. */
  readonly readAtMs: number;
}

/** A change of the clock as the page asks for it. */
export interface ClockChange {
  readonly state?: ClockState;
  readonly speed?: number;
  /** A duration. */
  readonly advance?: string;
}

export function clockNowMs({ now, state, speed, readAtMs }: ClockReading): number {
  const passedMs = state === "paused" ? 0 : (Date.now() - readAtMs) * speed;
  return Date.parse(now) + passedMs;
}

export async function readClock(control: Control, id: string): Promise<ClockReading> {
  const answer = await control.ask(clockPath(id));
  // The service answers what its contract says.
  return { ...((await answer.json()) as ClockFacts), readAtMs: Date.now() };
}

export async function changeClock(control: Control, id: string, change: ClockChange): Promise<ClockReading> {
  const headers = { "content-type": "application/json" };
  const answer = await control.ask(clockPath(id), { method: "PATCH", headers, body: JSON.stringify(change) });
  const { now, state, speed } = (await answer.json()) as ChangedClock;
  return { now, state, speed, readAtMs: Date.now() };
}

function clockPath(id: string): string {
  return `/v1/sandboxes/${encodeURIComponent(id)}/clock`;
}

/** Returns the time of a moment, which is a time or a revision; undefined if the revision is none of the points. */
export function momentMs(moment: string, points: readonly TimelinePoint[]): number | undefined {
  if (!/^\d+$/.test(moment)) return Date.parse(moment);
  const revision = Number(moment);
  return points.findLast((point) => point.revision <= revision)?.atMs;
}

/** Returns the revision of the change before or after a moment; undefined if there is none. */
export function neighbour(
  moment: string,
  points: readonly TimelinePoint[],
  direction: "before" | "after",
): number | undefined {
  if (direction === "before") {
    if (moment === "") return points.at(-2)?.revision;
    const current = currentRevision(moment, points);
    return points.findLast(({ revision }) => revision < current)?.revision;
  }
  const current = currentRevision(moment, points);
  return points.find(({ revision }) => revision > current)?.revision;
}

function currentRevision(moment: string, points: readonly TimelinePoint[]): number {
  if (/^\d+$/.test(moment)) return Number(moment);
  const atMs = Date.parse(moment);
  return points.findLast((point) => point.atMs <= atMs)?.revision ?? 0;
}
