// Follows the runs that visit other containers, in the order of time. Records the effects of each visit on the container that answers it: log lines,
// files, rows of databases. The position of the run is stored in the same turn, so each effect is recorded once. Runs read the cluster as it was at
// each moment, so they may be followed later: readers of containers call `advance` first.
import { limits } from "../../../shared/base/limits.ts";
import type { Clock } from "../../../shared/base/clock.ts";
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { OwnImages } from "../../containers/images/own-images.ts";
import { clusterView } from "../../containers/network/cluster-view.ts";
import type { ContainerRun, ContainerTimeline } from "../../containers/cri.ts";
import { placedOf } from "../../containers/output.ts";
import { runFrom } from "../../containers/run/shared.ts";
import {
  inRecordedOrder,
  isDataChange,
  isLine,
  type PendingVisits,
  type VisitEdits,
} from "../../containers/run/visits.ts";
import { type Affects, type ClusterView, startingNow, type SuspendedRuns } from "../../containers/run/world.ts";
import type { Edit } from "../../containers/shell/files.ts";
import { programServer } from "../../containers/wasm/visits.ts";
import type { Client } from "../../registry/client.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Sql } from "../../store/sql.ts";
import { deleteMeta, metaRows, writeMeta } from "../../store/tables.ts";
import { KeptEdits, timelinePrefix } from "../kept-edits.ts";
import {
  type Entry,
  forever,
  isContinued,
  isDue,
  isYoung,
  keyOf,
  lastMsOf,
  newEntry,
  nextMsOf,
  type Row,
  isIdle,
  nextVisitMs,
} from "./timeline-entry.ts";

export interface TimelineOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly token: ClusterView["token"];
  /** See `Delays`. */
  readonly proxyMs?: number | undefined;
  /** The sandbox's `unknown`. */
  readonly unknown?: Unknown | undefined;
  readonly ownImages?: OwnImages | undefined;
  readonly runtime: Pick<Runtime, "request">;
  /** Receives bugs that ended a container and nothing else. */
  report(error: unknown, where: string): void;
}

interface Target {
  readonly pod: Pod;
  readonly container: string;
  readonly edits: Edit[];
}

/** The stored state of the containers of a cluster. */
export interface ContainerRecord {
  readonly edits: KeptEdits;
  readonly timeline: Timeline;
}

export function newRecord(sql: Sql): ContainerRecord {
  const edits = new KeptEdits(sql);
  return { edits, timeline: new Timeline(sql, edits) };
}

export class Timeline implements ContainerTimeline, PendingVisits {
  readonly #sql: Sql;
  readonly #edits: KeptEdits;
  #options: TimelineOptions | undefined;
  #entries: Map<string, Entry> | undefined;
  /** The effects of this turn, by pod and visitor in `#pending`, and by the affected container in `#targets`. */
  readonly #pending = new Map<string, Map<string, { readonly data: Edit[]; readonly lines: Edit[] }>>();
  readonly #targets = new Map<string, Target>();
  /** The number of times that the kubelet was requested to reconcile each pod, by uid. */
  readonly #versions = new Map<string, number>();
  #isAdvancing = false;
  /** The number of runs that wait until other runs are prepared. */
  #waiting = 0;
  /** The pod that its kubelet is about to write. */
  #unwritten: Pod | undefined;

  constructor(sql: Sql, edits: KeptEdits) {
    this.#sql = sql;
    this.#edits = edits;
  }

  begin(options: TimelineOptions): void {
    this.#options = options;
  }

  add(pod: Pod, { container, startMs }: ContainerRun): void {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const entries = this.#load();
    const key = keyOf(uid, container, startMs);
    const existing = entries.get(key);
    if (existing) existing.pod = pod;
    if (existing || entries.size >= limits.timelineRuns) return;
    const addedMs = this.#setup.clock.nowMs();
    const entry = newEntry(key, { namespace, name, recordedMs: startMs - 1 }, { pod, addedMs });
    // The log of the previous run stays readable.
    this.#edits.logs.keepNewest(`${uid}/${container}/`, 1);
    entries.set(key, entry);
    this.#save(entry);
  }

  advancePod(pod: Pod, ends: readonly (ContainerRun & { readonly endMs: number })[]): void {
    const entries = this.#load();
    if (entries.size === 0) return;
    const { uid = "" } = pod.metadata;
    const runs = [...entries.values()].filter((entry) => entry.uid === uid);
    if (runs.length === 0) return;
    for (const { container, startMs, endMs } of ends) {
      const entry = entries.get(keyOf(uid, container, startMs));
      // Stored times have whole seconds.
      if (entry) this.#endAt(entry, Math.min(endMs, this.#setup.clock.nowMs()));
    }
    this.#unwritten = pod;
    this.advance();
    this.#unwritten = undefined;
  }

  version({ metadata: { uid = "" } }: Pod): number {
    return this.#versions.get(uid) ?? 0;
  }

  /** Ends the runs of a deleted pod. Their effects up to now are still recorded. */
  podDeleted({ metadata: { uid = "" } }: Pick<Pod, "metadata">, nowMs: number): void {
    this.#versions.delete(uid);
    for (const entry of this.#load().values()) if (entry.uid === uid) this.#endAt(entry, nowMs);
  }

  /** The number of runs that are followed. */
  get runs(): number {
    return this.#load().size;
  }

  /** Whether `advance` has any work. */
  get isDue(): boolean {
    const { clock } = this.#setup;
    const nowMs = clock.nowMs();
    return [...this.#load().values()].some((entry) => this.#isDue(entry, nowMs));
  }

  /** Returns the next action of the runs that have visited a pod; Infinity if there is none. */
  nextVisitMs(podUid: string): number {
    let nextMs = forever;
    for (const entry of this.#load().values()) {
      if (entry.visited.has(podUid)) nextMs = Math.min(nextMs, entry.nextMs);
    }
    return nextMs;
  }

  /** Returns when a container's run may next add to its log; Infinity if no run of it is followed, or none has a next action. */
  nextRunMs({ metadata: { uid = "" } }: Pod, container: string): number {
    const runs = [...this.#load().values()].filter((entry) => entry.uid === uid && entry.container === container);
    // The effects of a moment are recorded after the moment is over.
    return Math.min(forever, ...runs.map(({ nextMs }) => nextMs + 1));
  }

  nextChangeMs({ metadata: { uid = "" } }: Pod): number {
    const entries = [...this.#load().values()].filter(({ isOver }) => !isOver);
    const runs = entries.filter((entry) => entry.uid === uid);
    const visitedPods = new Set(runs.flatMap(({ visited }) => [...visited]));
    const laterMs = this.#setup.clock.nowMs() + limits.timelineWriterMs;
    let nextMs = forever;
    for (const entry of runs) if (entry.visited.size === 0 && isYoung(entry)) nextMs = Math.min(nextMs, entry.nextMs);
    for (const { uid: otherUid, hasWritten, visited, run, nextMs: atMs } of entries) {
      if (otherUid === uid) continue;
      const actsMs = run?.repeatsUntilMs ?? atMs;
      const isWriter = hasWritten && [...visited].some((pod) => visitedPods.has(pod));
      nextMs = Math.min(nextMs, isWriter ? actsMs : Math.max(actsMs, laterMs));
    }
    return nextMs;
  }

  /** Follows all runs up to now and records their effects. Returns false if a bound of work ended it early. */
  advance(): boolean {
    if (this.#isAdvancing) return true;
    const nowMs = this.#setup.clock.nowMs();
    const due = [...this.#load().values()].filter((entry) => this.#isDue(entry, nowMs));
    if (due.length === 0) return true;
    // The order of effects within one moment must not depend on what is in memory.
    due.sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#isAdvancing = true;
    try {
      return this.#advance(due, nowMs);
    } finally {
      this.#isAdvancing = false;
      this.#pending.clear();
      this.#targets.clear();
    }
  }

  of(podUid: string, except: readonly (string | undefined)[]): readonly VisitEdits[] {
    const visitors = this.#pending.get(podUid);
    if (!visitors) return [];
    return [...visitors].flatMap(([name, edits]) => (except.includes(name) ? [] : [edits]));
  }

  recordedMs(visitor: string): number {
    return this.#load().get(visitor)?.recordedMs ?? forever;
  }

  get #setup(): TimelineOptions {
    if (!this.#options) throw new Error("the timeline has not begun");
    return this.#options;
  }

  #isDue(entry: Entry, nowMs: number): boolean {
    return isDue(entry, nowMs) || this.#hasVisitors(entry, nowMs);
  }

  /** Reports whether a program's own server has to be followed because of new visits. */
  #hasVisitors(entry: Entry, nowMs: number): boolean {
    if (!entry.server || entry.isOver) return false;
    return nextVisitMs(entry) <= lastMsOf(entry, nowMs) || entry.editsVersion !== this.#edits.versionOf(entry.uid);
  }

  #advance(due: readonly Entry[], nowMs: number): boolean {
    const { meter } = this.#setup.client;
    // The meter also counts the work of the containers that answer visits.
    let endWork = meter.spent + limits.timelineTurnWork;
    const hasWork = () => meter.spent < endWork;
    // A program's own server depends on its visits, so it is followed after its visitors.
    const isServing = ({ server }: Entry) => server?.isIdle === true;
    const runs = due.filter((entry) => !isServing(entry));
    const ready = runs.filter(
      (entry) => hasWork() && this.#prepare(entry, Math.min(entry.atMs, nowMs), lastMsOf(entry, nowMs)),
    );
    const [first] = ready;
    const isCut = !hasWork() && ready.length < runs.length;
    // Runs are followed together. They wait for runs that could not be prepared in this turn, as long as each turn prepares more.
    const isWaiting = isCut && ready.length > this.#waiting;
    this.#waiting = isCut ? ready.length : 0;
    // Runs that do not fit into memory together are followed one by one.
    // Preparing may use all of the turn's work, so half of it is added for following.
    endWork = Math.max(endWork, meter.spent + limits.timelineTurnWork / 2);
    if (!isCut) this.#follow(ready, nowMs, hasWork);
    else if (first && !isWaiting) this.#proceed(first, lastMsOf(first, nowMs), hasWork);
    this.#record();
    const visited = [...this.#load().values()].filter((entry) => this.#hasVisitors(entry, nowMs));
    const servers = new Set([...due.filter(isServing), ...visited]);
    for (const entry of servers) {
      if (hasWork() && this.#prepare(entry, Math.min(entry.atMs, nowMs), lastMsOf(entry, nowMs)))
        this.#proceed(entry, lastMsOf(entry, nowMs), hasWork);
    }
    this.#record();
    let isDone = true;
    for (const entry of new Set([...due, ...servers])) {
      const isAtEnd = entry.atMs >= lastMsOf(entry, nowMs);
      isDone &&= isAtEnd;
      this.#settle(entry, isAtEnd);
    }
    this.#bound();
    return isDone;
  }

  #follow(ready: readonly Entry[], nowMs: number, hasWork: () => boolean): void {
    const isInterleaved = ready.length > 1 && this.#interleave(ready, nowMs, hasWork);
    for (const entry of ready) {
      // Each turn follows at least one run.
      if (hasWork() || (!isInterleaved && entry === ready[0])) this.#proceed(entry, lastMsOf(entry, nowMs), hasWork);
    }
  }

  /**
   * Follows runs in steps, so that each reads what the others did before. A run that only repeats itself is skipped until others change
   * data that it reads. Makes at least one step; returns false if no run has a step.
   */
  #interleave(entries: readonly Entry[], nowMs: number, hasWork: () => boolean): boolean {
    const going = entries.filter(({ run }) => run);
    for (const entry of going) entry.changedMs = forever;
    for (let steps = 0; steps === 0 || hasWork(); steps++) {
      const [first, second] = going
        .map((entry) => ({ entry, nextMs: nextMsOf(entry, nowMs) }))
        .sort((a, b) => a.nextMs - b.nextMs);
      if (!first || first.nextMs === forever) return steps > 0;
      const { entry } = first;
      const untilMs = Math.max(first.nextMs, Math.min(lastMsOf(entry, nowMs), (second?.nextMs ?? forever) - 1));
      const before = entry.run?.nextMs();
      // A repeating run catches up with the others before it continues.
      if (entry.run?.repeatsUntilMs !== undefined) this.#proceed(entry, first.nextMs - 1, hasWork);
      if (!hasWork()) return true;
      entry.changedMs = forever;
      entry.run?.proceed(untilMs);
      entry.atMs = Math.max(entry.atMs, untilMs);
      // A run that makes no progress is followed on its own.
      if (entry.run?.nextMs() === before) going.splice(going.indexOf(entry), 1);
    }
    return true;
  }

  #proceed(entry: Entry, untilMs: number, hasWork: () => boolean): void {
    if (!entry.run) {
      this.#prepare(entry, untilMs);
      entry.atMs = Math.max(entry.atMs, untilMs);
      return;
    }
    // A run that is idle for a long time is followed over all of it in one step.
    while (entry.atMs < untilMs) {
      const stepMs = Math.max(entry.atMs + limits.timelineStepMs, entry.run.nextMs());
      entry.atMs = Math.min(untilMs, stepMs);
      entry.run.proceed(entry.atMs, untilMs);
      if (!hasWork()) return;
    }
  }

  /** Follows a run to a moment with the present edits from outside. Returns false if the pod does not exist any more. */
  #prepare(entry: Entry, untilMs: number, besidesUntilMs = untilMs): boolean {
    const pod = this.#podOf(entry);
    const placed = pod && placedOf(pod).find(({ spec }) => spec.name === entry.container);
    if (!pod || !placed) {
      this.#drop(entry);
      return false;
    }
    const { client, clock, token, proxyMs, unknown, ownImages, report } = this.#setup;
    const affects: Affects = (target, container, edits) => this.#note(entry, target, container, edits);
    const stored = client.get(pods, entry.namespace, entry.name);
    const options = { edits: this.#edits, token, proxyMs, unknown, ownImages, pending: this, affects };
    // The run prints everything again, without its recorded log, so that later lines can be recorded.
    const { recordedLog: _, ...present } = clusterView(client, options);
    const view = {
      ...(stored?.metadata.uid === entry.uid ? startingNow(present, stored, clock.nowMs()) : present),
      report: (error: unknown) => report(error, `a container of pod ${entry.namespace}/${entry.name}`),
      suspendedRuns: this.#suspendedRuns(entry),
    };
    const version = this.#edits.version(pod);
    const visitsFromMs = (this.#edits.logs.of(entry.key)?.untilMs ?? entry.startMs) + 1;
    const trace = runFrom(
      { pod, view, containers: placedOf(pod), alone: new Map() },
      placed,
      entry.startMs,
      { untilMs, besidesUntilMs, visitsFromMs, prints: true, isContinued: true, work: limits.timelineRunWork },
      [],
    );
    const chunks = trace.chunks.filter(({ isFromOutside }) => !isFromOutside);
    entry.editsVersion = version;
    entry.server = trace.server === programServer ? { chunks, isIdle: isIdle(trace) } : undefined;
    if (!entry.run && !entry.server) this.#edits.logs.add(entry.key, chunks, untilMs);
    if (!entry.run) entry.isOver = trace.end !== undefined || trace.isSpent;
    return true;
  }

  #suspendedRuns(entry: Entry): SuspendedRuns {
    return {
      follow: (_, untilMs, outside, begin) => {
        const isGood = entry.run !== undefined && isContinued(entry, outside, untilMs);
        const run = isGood && entry.run ? entry.run : begin();
        if (isGood) run.addOutside(outside.slice(entry.outside.length));
        entry.outside = outside;
        // A run that begins again is followed in steps, as it was before.
        const fromMs = isGood || entry.isUnwound ? untilMs : Math.min(untilMs, entry.startMs - 1);
        const trace = run.advance(fromMs);
        entry.atMs = fromMs;
        entry.isUnwound = !run.isSuspended;
        entry.run = run.isSuspended ? run : undefined;
        return trace;
      },
    };
  }

  #note(entry: Entry, pod: Pod, container: string, edits: readonly Edit[]): void {
    const { uid = "" } = pod.metadata;
    entry.visited.add(uid);
    const added = edits.filter(({ atMs }) => atMs > entry.recordedMs);
    if (added.length === 0) return;
    const visitors = this.#pending.get(uid) ?? new Map<string, { data: Edit[]; lines: Edit[] }>();
    this.#pending.set(uid, visitors);
    const lists = visitors.get(entry.key) ?? { data: [], lines: [] };
    visitors.set(entry.key, lists);
    const key = `${uid}/${container}`;
    const target = this.#targets.get(key) ?? { pod, container, edits: [] };
    this.#targets.set(key, target);
    for (const edit of added) {
      (isLine(edit) ? lists.lines : lists.data).push(edit);
      target.edits.push(edit);
      if (!isDataChange(edit)) continue;
      entry.hasWritten = true;
      for (const visitor of this.#load().values()) {
        if (visitor !== entry && visitor.visited.has(uid)) visitor.changedMs = Math.min(visitor.changedMs, edit.atMs);
      }
    }
    entry.isStale = true;
  }

  #record(): void {
    for (const { pod, container, edits } of this.#targets.values()) {
      const { namespace = "", name = "", uid } = pod.metadata;
      if (this.#setup.client.get(pods, namespace, name)?.metadata.uid !== uid) continue;
      const isAdded = this.#edits.add(pod, container, inRecordedOrder(edits));
      if (isAdded && edits.some((edit) => !isLine(edit))) this.#reconcileAround(pod, edits);
    }
    this.#pending.clear();
    this.#targets.clear();
  }

  /** Stores the position of a run, or deletes the run after its end. */
  #settle(entry: Entry, isAtEnd: boolean): void {
    const hasEnded = entry.endMs !== undefined && isAtEnd;
    entry.recordedMs = Math.max(entry.recordedMs, entry.atMs);
    if (entry.run) {
      this.#edits.logs.add(entry.key, entry.run.printed(), entry.atMs);
      entry.isOver = entry.run.isOver;
      const isServer = entry.run.server === programServer;
      entry.server = isServer ? { chunks: [], isIdle: entry.run.nextMs() >= nextVisitMs(entry) } : undefined;
    } else if (entry.server) this.#edits.logs.add(entry.key, entry.server.chunks, entry.atMs);
    const nextMs = entry.run?.nextMs() ?? (entry.server?.isIdle ? nextVisitMs(entry) : entry.atMs);
    entry.nextMs = entry.isOver ? forever : nextMs;
    if (hasEnded) this.#drop(entry);
    else if (entry.isStale) this.#save(entry);
    if (entry.isOver && entry.pod) this.#reportEnd(entry, entry.pod);
  }

  /** Drops runs from memory, beginning with those whose next action is latest. They are computed from their starts again. */
  #bound(): void {
    const runs = [...this.#load().values()].flatMap(({ run, ...entry }) =>
      run ? [{ ...entry, bytes: run.heldBytes }] : [],
    );
    let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
    for (const { key, bytes: heldBytes } of runs.sort((a, b) => b.nextMs - a.nextMs)) {
      if (bytes <= limits.timelineRunBytes) return;
      const entry = this.#load().get(key);
      if (entry) entry.run = undefined;
      bytes -= heldBytes;
    }
  }

  #reportEnd(entry: Entry, pod: Pod): void {
    if (entry.isEndReported) return;
    entry.isEndReported = true;
    this.#reconcile(pod);
  }

  /** Requests a reconciliation of a pod whose data changed, and of the pods whose runs visited it: they may have been waiting for the change. */
  #reconcileAround(pod: Pod, edits: readonly Edit[]): void {
    this.#reconcile(pod);
    if (!edits.some(isDataChange)) return;
    const writers = new Set(edits.map(({ from }) => from));
    for (const { visited, key, isOver, pod: visitor } of this.#load().values()) {
      if (visitor && !isOver && !writers.has(key) && visited.has(pod.metadata.uid ?? "")) this.#reconcile(visitor);
    }
  }

  /** Requests that the kubelet reconciles a pod. */
  #reconcile({ metadata: { namespace = "", name = "", uid = "" } }: Pod): void {
    // A pod that is being deleted has its end already. Another reconciliation would round it to whole seconds.
    if (this.#setup.client.get(pods, namespace, name)?.metadata.deletionTimestamp) return;
    this.#versions.set(uid, (this.#versions.get(uid) ?? 0) + 1);
    this.#setup.runtime.request("kubelet", { namespace, name });
  }

  #endAt(entry: Entry, endMs: number): void {
    if (entry.endMs !== undefined) return;
    entry.endMs = endMs;
    this.#save(entry);
  }

  /** Returns the newest state of the pod, or the last before it was deleted. */
  #podOf(entry: Entry): Pod | undefined {
    const { client } = this.#setup;
    const { namespace, name, uid, endMs = forever } = entry;
    const ofEntry = (pod: Pod | undefined) => (pod?.metadata.uid === uid ? pod : undefined);
    const present = ofEntry(this.#unwritten) ?? ofEntry(client.get(pods, namespace, name)) ?? entry.pod;
    entry.pod =
      present ?? (endMs === forever ? undefined : ofEntry(client.at(endMs - 1).client.get(pods, namespace, name)));
    return entry.pod;
  }

  #load(): Map<string, Entry> {
    if (this.#entries) return this.#entries;
    this.#entries = new Map();
    for (const { key: stored, value } of metaRows(this.#sql, timelinePrefix)) {
      const key = stored.slice(timelinePrefix.length);
      // `#save` wrote it.
      this.#entries.set(key, newEntry(key, JSON.parse(value) as Row));
    }
    return this.#entries;
  }

  #save(entry: Entry): void {
    const { namespace, name, recordedMs, endMs } = entry;
    const row: Row = { namespace, name, recordedMs, ...(endMs === undefined ? {} : { endMs }) };
    writeMeta(this.#sql, timelinePrefix + entry.key, JSON.stringify(row));
    entry.isStale = false;
  }

  #drop(entry: Entry): void {
    this.#load().delete(entry.key);
    deleteMeta(this.#sql, timelinePrefix + entry.key);
  }
}
