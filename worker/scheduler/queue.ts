// The scheduling queue: pods to be tried in order of priority, pods that back off, and unschedulable pods that wait for an event.
//
// It is in memory only and built again from the pods without a node. Every pod in the active or the backoff queue also has a
// request in the work queue, which is saved; so an evicted cluster goes on where it was.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { priorityOf } from "./pod-info.ts";

const podInitialBackoffMs = 1_000;
const podMaxBackoffMs = 10_000;
const podMaxInUnschedulablePodsMs = 300_000;
/** While the backoff queue is larger than this, no pod leaves it early. */
const popFromBackoffLimit = 100;

/** A pod without a node, as the queue knows it. */
export interface QueuedPodInfo {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  place: "active" | "backoff" | "unschedulable";
  /** Order of coming, or of the last failure. */
  sequence: number;
  /** Attempts that found no node: the backoff grows with them. */
  unschedulableCount: number;
  consecutiveErrorsCount: number;
  /** When the last attempt was; undefined where that is not known. */
  timestampMs: number | undefined;
  /** The plugins that refused it; undefined where that is not known: each may have. */
  unschedulablePlugins: ReadonlySet<string> | undefined;
  /** The PreEnqueue plugin that keeps it from being tried. */
  gatingPlugin: string | undefined;
}

export class SchedulingQueue {
  readonly #entries = new Map<string, QueuedPodInfo>();
  readonly #activeQ = new ActiveQueue();
  readonly #backoffQ = new Set<QueuedPodInfo>();
  /** Those that have waited longest first. */
  readonly #unschedulablePods = new Set<QueuedPodInfo>();
  /** They wait from the moment when they are first looked at. */
  #unseen: QueuedPodInfo[] = [];
  #sequence = 0;

  get(uid: string): QueuedPodInfo | undefined {
    return this.#entries.get(uid);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order in which they came in. */
  unschedulablePods(): readonly QueuedPodInfo[] {
    return [...this.#unschedulablePods];
  }

  /** Among the unschedulable pods, until it is moved. */
  add(pod: Pod, gatingPlugin: string | undefined): QueuedPodInfo {
    const { uid = "", namespace = "", name = "" } = pod.metadata;
    const entry: QueuedPodInfo = {
      uid,
      namespace,
      name,
      priority: priorityOf(pod),
      place: "unschedulable",
      sequence: this.#sequence++,
      unschedulableCount: 0,
      consecutiveErrorsCount: 0,
      timestampMs: undefined,
      unschedulablePlugins: undefined,
      gatingPlugin,
    };
    this.#entries.set(uid, entry);
    this.#unschedulablePods.add(entry);
    this.#unseen.push(entry);
    return entry;
  }

  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    this.#move(entry, "unschedulable");
    this.#unschedulablePods.delete(entry);
    this.#entries.delete(uid);
  }

  /** To be tried at once, or when its backoff has expired. */
  moveToActiveOrBackoffQueue(entry: QueuedPodInfo): void {
    if (entry.place !== "unschedulable") return;
    entry.gatingPlugin = undefined;
    this.#move(entry, entry.unschedulableCount + entry.consecutiveErrorsCount > 0 ? "backoff" : "active");
  }

  /** The pod to try now, which stays until it has been tried; `asked` is the one whose request is reconciled. */
  next(asked: QueuedPodInfo, nowMs: number): QueuedPodInfo | undefined {
    if (asked.place === "backoff" && this.backoffMs(asked, nowMs) === 0) this.#move(asked, "active");
    return this.#activeQ.first() ?? (asked.place === "backoff" ? this.#popFromBackoffQ(nowMs) : undefined);
  }

  /** How long it still backs off; 0 when it need not. */
  backoffMs({ unschedulableCount, consecutiveErrorsCount, timestampMs }: QueuedPodInfo, nowMs: number): number {
    const count = consecutiveErrorsCount > 0 ? consecutiveErrorsCount : unschedulableCount;
    if (count === 0 || timestampMs === undefined) return 0;
    return Math.max(0, timestampMs + Math.min(podInitialBackoffMs * 2 ** (count - 1), podMaxBackoffMs) - nowMs);
  }

  /** After an attempt that found no node. */
  addUnschedulable(entry: QueuedPodInfo, unschedulablePlugins: ReadonlySet<string>, nowMs: number): void {
    entry.unschedulableCount += 1;
    entry.consecutiveErrorsCount = 0;
    this.#afterAttempt(entry, unschedulablePlugins, nowMs);
  }

  /** A node was found, and the PreBind of these plugins waits for others. */
  addWaitingForPreBind(entry: QueuedPodInfo, plugins: ReadonlySet<string>, nowMs: number): void {
    this.#afterAttempt(entry, plugins, nowMs);
  }

  /** After an attempt that failed for another reason than the nodes: it is repeated after the backoff. */
  addAfterError(entry: QueuedPodInfo, nowMs: number): void {
    entry.consecutiveErrorsCount += 1;
    this.#afterAttempt(entry, new Set(), nowMs);
    this.moveToActiveOrBackoffQueue(entry);
  }

  /** Those that have waited longer than podMaxInUnschedulablePodsMs: an event may have been missed. */
  *unschedulableLeftover(nowMs: number): Generator<QueuedPodInfo> {
    for (const entry of this.#unseen) entry.timestampMs ??= nowMs;
    this.#unseen = [];
    for (const entry of this.#unschedulablePods) {
      // None that follows has waited longer.
      if (nowMs - (entry.timestampMs ?? nowMs) <= podMaxInUnschedulablePodsMs) return;
      if (entry.gatingPlugin === undefined) yield entry;
    }
  }

  /** The first of the backoff queue, early, while the active queue is empty; never one that backs off from an error. */
  #popFromBackoffQ(nowMs: number): QueuedPodInfo | undefined {
    if (this.#backoffQ.size > popFromBackoffLimit) return undefined;
    let first: QueuedPodInfo | undefined;
    const isEarlier = (a: QueuedPodInfo, b: QueuedPodInfo) => {
      const seconds = Math.floor(this.backoffMs(a, nowMs) / 1000) - Math.floor(this.backoffMs(b, nowMs) / 1000);
      return (seconds || b.priority - a.priority || a.sequence - b.sequence) < 0;
    };
    for (const entry of this.#backoffQ) {
      if (entry.consecutiveErrorsCount === 0 && (!first || isEarlier(entry, first))) first = entry;
    }
    return first;
  }

  #afterAttempt(entry: QueuedPodInfo, unschedulablePlugins: ReadonlySet<string>, nowMs: number): void {
    entry.unschedulablePlugins = unschedulablePlugins;
    entry.timestampMs = nowMs;
    entry.sequence = this.#sequence++;
    this.#move(entry, "unschedulable");
  }

  #move(entry: QueuedPodInfo, place: QueuedPodInfo["place"]): void {
    this.#backoffQ.delete(entry);
    this.#unschedulablePods.delete(entry);
    if (place === "backoff") this.#backoffQ.add(entry);
    if (place === "unschedulable") this.#unschedulablePods.add(entry);
    entry.place = place;
    if (place === "active") this.#activeQ.push(entry);
  }
}

interface Member {
  readonly entry: QueuedPodInfo;
  /** What it was when the entry joined: a later one has joined again. */
  readonly sequence: number;
}

/** Ordered as PrioritySort does: the higher priority first, then the one that came first. */
class ActiveQueue {
  /** By priority, each in order of its sequence. A pod that has left the queue stays here until it comes to the front. */
  readonly #byPriority = new Map<number, { readonly members: Member[]; head: number }>();
  #highest: number | undefined;

  push(entry: QueuedPodInfo): void {
    const { priority, sequence } = entry;
    const bucket = this.#byPriority.get(priority) ?? { members: [], head: 0 };
    this.#byPriority.set(priority, bucket);
    const last = bucket.members.at(-1);
    const member = { entry, sequence };
    if (!last || last.sequence <= sequence) bucket.members.push(member);
    else bucket.members.splice(placeOf(bucket.members, bucket.head, sequence), 0, member);
    if (this.#highest === undefined || priority > this.#highest) this.#highest = priority;
  }

  /** The first, left where it is. */
  first(): QueuedPodInfo | undefined {
    while (this.#highest !== undefined) {
      const bucket = this.#byPriority.get(this.#highest);
      for (; bucket && bucket.head < bucket.members.length; bucket.head++) {
        const member = bucket.members[bucket.head];
        if (member && isThere(member)) return member.entry;
      }
      this.#byPriority.delete(this.#highest);
      this.#highest = this.#byPriority.size > 0 ? Math.max(...this.#byPriority.keys()) : undefined;
    }
    return undefined;
  }
}

function isThere({ entry, sequence }: Member): boolean {
  return entry.place === "active" && entry.sequence === sequence;
}

function placeOf(members: readonly Member[], head: number, sequence: number): number {
  const at = members.findIndex((member, index) => index >= head && member.sequence > sequence);
  return at === -1 ? members.length : at;
}
