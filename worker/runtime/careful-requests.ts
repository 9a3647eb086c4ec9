// The requests that may have ended the process before. They run one at a time, each after its key is on disk.
import type { Sql } from "../store/sql.ts";
import { PoisonGuard } from "./poison-guard.ts";
import { fromKey, keyOf, type QueueKey, type WorkQueue } from "./queue.ts";

export class CarefulRequests {
  readonly #queue: WorkQueue;
  readonly #guard: PoisonGuard;
  /** The requests by key, oldest first. */
  readonly #requests: Map<string, QueueKey>;
  /** Tasks that run before anything is reconciled. */
  #startTasks: (() => void)[] = [];
  /** The request whose intent is stored. */
  #intended: QueueKey | undefined;

  /** Every request that is due at `openedMs` is careful. Undefined: none is, because this process created the queue. */
  constructor(sql: Sql, queue: WorkQueue, openedMs: number | undefined) {
    this.#queue = queue;
    this.#guard = new PoisonGuard(sql, "reconcile");
    const due = openedMs === undefined ? [] : queue.all().filter((pending) => pending.dueMs <= openedMs);
    due.sort((a, b) => a.dueMs - b.dueMs);
    const keys = [...due.map(keyOf), ...this.#guard.all()];
    this.#requests = new Map(keys.map((key) => [key, fromKey(key)]));
  }

  /** Whether start tasks wait, or a request must be set aside. */
  get isUrgent(): boolean {
    return this.#startTasks.length > 0 || this.#guard.crashedIntent !== undefined;
  }

  isDue(nowMs: number): boolean {
    if (this.isUrgent) return true;
    for (const request of this.#requests.values()) if (this.#isDue(request, nowMs)) return true;
    return false;
  }

  has(request: QueueKey): boolean {
    return this.#requests.size > 0 && this.#requests.has(keyOf(request));
  }

  add(request: QueueKey): void {
    this.#requests.set(keyOf(request), request);
  }

  /** Records that a request completed. */
  complete(request: QueueKey): void {
    this.#requests.delete(keyOf(request));
    this.#guard.clear(keyOf(request));
  }

  addStartTask(task: () => void): void {
    this.#startTasks.push(task);
  }

  runStartTasks(): void {
    for (const task of this.#startTasks.splice(0)) task();
  }

  /**
   * Sets aside the request that ended the last process, if one did. A change of its object makes it due earlier, since the change may have
   * fixed the cause.
   */
  setAsideCrashed(nowMs: number): { readonly request: QueueKey; readonly untilMs: number } | undefined {
    const key = this.#guard.crashedIntent;
    if (key === undefined) return undefined;
    const request = fromKey(key);
    const untilMs = this.#guard.setAsideCrashed(nowMs);
    const pending = this.#queue.get(request) ?? { ...request, attempts: 0 };
    this.#queue.remove(request);
    this.#queue.again({ ...pending, dueMs: untilMs });
    this.add(request);
    return { request, untilMs };
  }

  /** Selects the next due request and stores its intent. Undefined if none is due. */
  beginNext(nowMs: number): QueueKey | undefined {
    for (const [key, request] of this.#requests) {
      if (!this.#isDue(request, nowMs)) continue;
      this.#guard.begin(key);
      this.#intended = request;
      return request;
    }
    return undefined;
  }

  /** Takes the request whose intent is stored out of the queue. Undefined if it is not queued. */
  takeIntended() {
    const pending = this.#intended && this.#queue.get(this.#intended);
    if (pending) this.#queue.remove(pending);
    return pending;
  }

  /** Removes the intent. Returns whether one was stored. */
  end(): boolean {
    const wasIntended = this.#intended !== undefined;
    this.#guard.end();
    this.#intended = undefined;
    return wasIntended;
  }

  #isDue(request: QueueKey, nowMs: number): boolean {
    return (this.#queue.get(request)?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }
}
