// The scheduling queue: active pods by priority, pods in backoff, and unschedulable pods that wait for an event.
//
// It is in memory only and rebuilt from the pods without a node. Every pod in the active or the backoff queue also has a saved request in
// the work queue, so scheduling continues after an eviction.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { priorityOf } from "./pod-info.ts";

const podInitialBackoffMs = 1_000;
const podMaxBackoffMs = 10_000;
const podMaxInUnschedulablePodsMs = 300_000;
/** The size of the backoff queue above which no pod leaves it early. */
const popFromBackoffLimit = 100;

/** A pod without a node in the queue. */
export interface QueuedPodInfo {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  place: "active" | "backoff" | "unschedulable";
  /** The order of arrival, or of the last failure. */
  sequence: number;
  /** The number of attempts that found no node. It determines the backoff. */
  unschedulableCount: number;
  consecutiveErrorsCount: number;
  /** The time of the last attempt; undefined if unknown. */
  timestampMs: number | undefined;
  /** The plugins that rejected the pod. Undefined if unknown: any plugin may have. */
  unschedulablePlugins: ReadonlySet<string> | undefined;
  /** The PreEnqueue plugin that gates the pod. */
  gatingPlugin: string | undefined;
}

/** A pod of the queue as JSON. */
type SavedPodInfo = Omit<QueuedPodInfo, "unschedulablePlugins"> & { readonly unschedulablePlugins?: readonly string[] };

export interface SavedQueue {
  readonly sequence: number;
  /** The pods, those that wait longest first. */
  readonly pods: readonly SavedPodInfo[];
}

export class SchedulingQueue {
  readonly #entries = new Map<string, QueuedPodInfo>();
  readonly #activeQ = new ActiveQueue();
  readonly #backoffQ = new Set<QueuedPodInfo>();
  /** The unschedulable pods, longest waiting first. */
  readonly #unschedulablePods = new Set<QueuedPodInfo>();
  /** New unschedulable pods. Their waiting time starts when they are first visited. */
  #unvisited: QueuedPodInfo[] = [];
  #sequence = 0;

  /** Returns the queue as JSON. */
  save(): SavedQueue {
    const active = [...this.#entries.values()].filter(({ place }) => place === "active");
    const entries = [...this.#unschedulablePods, ...this.#backoffQ, ...active.sort((a, b) => a.sequence - b.sequence)];
    const pods = entries.map(({ unschedulablePlugins: plugins, ...rest }) => ({
      ...rest,
      ...(plugins ? { unschedulablePlugins: [...plugins] } : {}),
    }));
    return { sequence: this.#sequence, pods };
  }

  /** Creates a queue from its JSON. */
  static restore({ sequence, pods }: SavedQueue): SchedulingQueue {
    const queue = new SchedulingQueue();
    for (const pod of pods) {
      const { place, timestampMs, gatingPlugin, unschedulablePlugins } = pod;
      const entry: QueuedPodInfo = {
        ...pod,
        timestampMs,
        gatingPlugin,
        unschedulablePlugins: unschedulablePlugins && new Set(unschedulablePlugins),
      };
      queue.#entries.set(entry.uid, entry);
      if (timestampMs === undefined) queue.#unvisited.push(entry);
      queue.#move(entry, place);
    }
    queue.#sequence = sequence;
    return queue;
  }

  get(uid: string): QueuedPodInfo | undefined {
    return this.#entries.get(uid);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the unschedulable pods in the order of arrival. */
  unschedulablePods(): readonly QueuedPodInfo[] {
    return [...this.#unschedulablePods];
  }

  /** Adds a pod to the unschedulable pods. The caller moves it on. */
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
    this.#unvisited.push(entry);
    return entry;
  }

  remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    this.#move(entry, "unschedulable");
    this.#unschedulablePods.delete(entry);
    this.#entries.delete(uid);
  }

  /** Moves a pod to the active queue, or to the backoff queue until its backoff expires. */
  moveToActiveOrBackoffQueue(entry: QueuedPodInfo): void {
    if (entry.place !== "unschedulable") return;
    entry.gatingPlugin = undefined;
    this.#move(entry, entry.unschedulableCount + entry.consecutiveErrorsCount > 0 ? "backoff" : "active");
  }

  /** Returns the pod to try now, which stays in the queue. `requestedEntry` is the pod whose request is reconciled. */
  next(requestedEntry: QueuedPodInfo, nowMs: number): QueuedPodInfo | undefined {
    if (requestedEntry.place === "backoff" && this.backoffMs(requestedEntry, nowMs) === 0)
      this.#move(requestedEntry, "active");
    return this.#activeQ.first() ?? (requestedEntry.place === "backoff" ? this.#popFromBackoffQ(nowMs) : undefined);
  }

  /** Returns the remaining backoff; 0 if there is none. */
  backoffMs({ unschedulableCount, consecutiveErrorsCount, timestampMs }: QueuedPodInfo, nowMs: number): number {
    const count = consecutiveErrorsCount > 0 ? consecutiveErrorsCount : unschedulableCount;
    if (count === 0 || timestampMs === undefined) return 0;
    return Math.max(0, timestampMs + Math.min(podInitialBackoffMs * 2 ** (count - 1), podMaxBackoffMs) - nowMs);
  }

  /** Adds a pod after an attempt that found no node. */
  addUnschedulable(entry: QueuedPodInfo, unschedulablePlugins: ReadonlySet<string>, nowMs: number): void {
    entry.unschedulableCount += 1;
    entry.consecutiveErrorsCount = 0;
    this.#afterAttempt(entry, unschedulablePlugins, nowMs);
  }

  /** Adds a pod whose node was selected, and whose PreBind waits for other components. */
  addWaitingForPreBind(entry: QueuedPodInfo, plugins: ReadonlySet<string>, nowMs: number): void {
    this.#afterAttempt(entry, plugins, nowMs);
  }

  /** Adds a pod after an error. It is tried again after its backoff. */
  addAfterError(entry: QueuedPodInfo, nowMs: number): void {
    entry.consecutiveErrorsCount += 1;
    this.#afterAttempt(entry, new Set(), nowMs);
    this.moveToActiveOrBackoffQueue(entry);
  }

  /** Yields the pods that have waited longer than podMaxInUnschedulablePodsMs, since an event may have been missed. */
  *unschedulableLeftover(nowMs: number): Generator<QueuedPodInfo> {
    for (const entry of this.#unvisited) entry.timestampMs ??= nowMs;
    this.#unvisited = [];
    for (const entry of this.#unschedulablePods) {
      // The following pods have waited less.
      if (nowMs - (entry.timestampMs ?? nowMs) <= podMaxInUnschedulablePodsMs) return;
      if (entry.gatingPlugin === undefined) yield entry;
    }
  }

  /** Takes the first pod of the backoff queue early while the active queue is empty, unless its backoff is from an error. */
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
  /** The sequence of the entry when it joined. If it differs, the entry has joined again. */
  readonly sequence: number;
}

/** A queue in the order of PrioritySort: the higher priority first, then the earlier arrival. */
class ActiveQueue {
  /** The members by priority, ordered by sequence. A pod that has left the queue is removed when it reaches the front. */
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

  /** Returns the first pod without removing it. */
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
