// The drain: reads the changes after the informer's cursor, lets each controller map them to requests, and reconciles until nothing is due
// or the budget is spent. Then it saves the cursor and the queue together.
//
// A request that is due when the cluster is opened may have killed the process before. Such requests run carefully: one at a time, after
// their key is stored. The same applies to requests that were set aside, until they complete.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { TooMuchWork } from "../../shared/k8s/bounds/work.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import type { Client } from "../registry/client.ts";
import { localClient } from "../registry/local-client.ts";
import type { Registry } from "../registry/registry.ts";
import type { Change } from "../store/change.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";
import { backoffMs } from "./backoff.ts";
import { type Controller, managerOf, type Request, type Watch } from "./controller.ts";
import { eventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./events.ts";
import { PoisonGuard } from "./poison-guard.ts";
import { fromKey, keyOf, type Pending, type QueueKey, WorkQueue } from "./queue.ts";
import { Replays } from "./replays.ts";
import { recordSetAside } from "./set-aside.ts";
import { StoppedControllers } from "./stopped-controllers.ts";
import { TurnOver } from "./turn-over.ts";

/** The cursor is saved with the queue, and at the latest after this many revisions. Replaying changes is harmless. */
const cursorLag = 200;
export const cursorKey = "cursor";

export interface RuntimeOptions {
  readonly sql: Sql;
  readonly registry: Registry;
  readonly controllers: readonly Controller[];
  /** The kind of the recorded events. */
  readonly events: Kind<Event>;
  /** Whether this process has just created the stored state. Then no request runs carefully; a crash is detected at the next opening. */
  readonly isMadeHere?: boolean | undefined;
  /** Reports a bug. A request that failed an assertion is dropped, never retried. */
  report(error: unknown, where: string): void;
}

/** The maximum work of reading changes at the end of a drain, in typical reconciles. */
const lastChanges = 5;

interface RunningController {
  readonly controller: Controller;
  readonly client: Client;
  readonly event: EventRecorder;
  memory: unknown;
}

const never = () => false;

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #queue: WorkQueue;
  readonly #guard: PoisonGuard;
  /** The requests that must be reconciled carefully, by key, oldest first. */
  readonly #careful: Map<string, QueueKey>;
  /** The newest revision when the cluster was opened. */
  readonly #openedAt: number;
  readonly #replays: Replays;
  readonly #running = new Map<string, RunningController>();
  readonly #watches = new Map<string, { running: RunningController; watch: Watch }[]>();
  readonly #added = new Map<string, { kind: Kind; watches: readonly { running: RunningController; watch: Watch }[] }>();
  /** The running resync, which continues across drains. */
  #resync: Iterator<void> | undefined;
  #cursor: number;
  #savedCursor: number;
  #origin = "";
  #reactsTo = 0;
  /** The revision at which the running reconcile started. */
  #startRevision = 0;
  /** Whether the running reconcile has called `isTurnOver`, and so ends by itself. */
  #endsItself = false;
  /** Ends the running drain if it takes too long in real time. */
  #isLate: () => boolean = never;
  /** The next careful request, whose intent is stored. */
  #intended: QueueKey | undefined;
  readonly #stopped = new StoppedControllers();
  /** Tasks that run before anything is reconciled. */
  #startTasks: (() => void)[] = [];
  /** The value of the meter when the running reconcile or mapping started. Infinity while none runs, so nothing is bounded. */
  #startWork = Number.POSITIVE_INFINITY;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.sql);
    this.#guard = new PoisonGuard(options.sql, "reconcile");
    this.#replays = new Replays(options.registry);
    const { clock, store } = options.registry;
    // The initial objects of a cluster need no reconcile.
    this.#cursor = this.#savedCursor = Number(readMeta(options.sql, cursorKey) ?? store.began);
    this.#openedAt = options.isMadeHere ? 0 : store.revision;
    const due = options.isMadeHere ? [] : this.#queue.all().filter((pending) => pending.dueMs <= clock.nowMs());
    due.sort((a, b) => a.dueMs - b.dueMs);
    const keys = [...due.map(keyOf), ...this.#guard.all()];
    this.#careful = new Map(keys.map((key) => [key, fromKey(key)]));
    for (const controller of options.controllers) this.#start(controller);
  }

  /** Returns when the next request is due: now or earlier if unread changes exist. */
  nextDueMs(): number | undefined {
    if (this.#startTasks.length > 0 || this.#guard.crashedIntent !== undefined)
      return this.#options.registry.clock.nowMs();
    if (this.#cursor < this.#options.registry.store.revision) return this.#options.registry.clock.nowMs();
    return this.#queue.earliestDueMs();
  }

  /**
   * Returns all requests, those of unread changes included. Undefined if there are too many changes, or if they may have killed the
   * process. Must not be called during a reconcile.
   */
  waiting(): readonly Pending[] | undefined {
    if (this.isCareful()) return undefined;
    this.#readChanges(limits.drainPerRequest);
    return this.#cursor === this.#options.registry.store.revision ? this.#queue.all() : undefined;
  }

  /** Returns the queued requests, for tests and inspection. */
  pending(): readonly Pending[] {
    return this.#queue.all();
  }

  /** Returns a controller's memory; undefined if it does not run. */
  memoryOf<Memory>({ name }: Controller<Memory>): Memory | undefined {
    // Controllers with the same name have memory of the same type.
    return this.#running.get(name)?.memory as Memory | undefined;
  }

  /** Adds a task that the next careful run executes once, before any reconcile. */
  addStartTask(task: () => void): void {
    this.#startTasks.push(task);
  }

  /** Reports whether careful work is due. While it is, `drain` does nothing. */
  isCareful(): boolean {
    if (this.#startTasks.length > 0 || this.#guard.crashedIntent !== undefined || this.#cursor < this.#openedAt)
      return true;
    const nowMs = this.#options.registry.clock.nowMs();
    for (const request of this.#careful.values()) if (this.#isDue(request, nowMs)) return true;
    return false;
  }

  /**
   * Reconciles due requests until the budget is spent, and returns the spent budget. A request costs at least one, and more by its work and
   * that of its mapping; work is counted because the clock may stand still meanwhile. Careful requests are skipped, and changes after the
   * revision `upTo` are not read. On a real clock, `isLate` ends the drain before the next reconcile or write if it takes longer than
   * counted; then the budget counts as spent.
   */
  drain(budget: number, upTo = Number.POSITIVE_INFINITY, isLate: () => boolean = never): number {
    if (this.isCareful()) return 0;
    this.#isLate = isLate;
    try {
      return this.#drain(budget, upTo);
    } finally {
      this.#isLate = never;
    }
  }

  #drain(budget: number, upTo: number): number {
    const carefulRequests: Pending[] = [];
    let spent = 0;
    while (spent < budget) {
      spent += this.#readChanges(budget - spent, upTo);
      if (spent >= budget) break;
      const pending = this.#queue.take(this.#options.registry.clock.nowMs());
      if (!pending) break;
      if (this.#stopped.holds(pending, this.#queue, this.#options.registry.clock.nowMs())) continue;
      if (this.#careful.size > 0 && this.#careful.has(keyOf(pending))) {
        carefulRequests.push(pending);
        continue;
      }
      const { meter } = this.#options.registry.store;
      const before = meter.spent;
      this.#reconcile(pending);
      spent += Math.max(1, (meter.spent - before) / limits.workPerReconcile);
      if (this.#isLate()) spent = Math.max(spent, budget);
    }
    for (const pending of carefulRequests) this.#queue.again(pending);
    spent += this.#readChanges(lastChanges, upTo);
    const { store } = this.#options.registry;
    if (this.#cursor === store.revision && !this.#isCrowded()) store.rest();
    this.#save();
    return Math.floor(spent);
  }

  /**
   * Maps changes to requests without reconciling. Returns whether a request is due. In that case nothing is saved: after a crash the
   * changes are read again.
   */
  readAhead(): boolean {
    if (this.isCareful()) return true;
    this.#readChanges(limits.drainPerRequest);
    const isDue = (this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= this.#options.registry.clock.nowMs();
    if (!isDue) this.#save();
    return isDue;
  }

  /** Stops the controllers that a predicate selects, and lets all others run. Their requests wait. */
  stopControllers(isStopped: (controller: Controller) => boolean): void {
    const running = [...this.#running.values()].map(({ controller }) => controller);
    this.#stopped.set(running.filter(isStopped), this.#queue, this.#options.registry.clock.nowMs());
  }

  /** Makes a request due now without a change of an object. */
  request(controller: string, { namespace, name }: Request): void {
    const dueMs = this.#options.registry.clock.nowMs();
    this.#queue.add({ controller, namespace, name, dueMs });
  }

  /** Takes the oldest outbound calls that nobody has made yet. The caller must `answer` each. */
  takeCalls(most = Number.POSITIVE_INFINITY): readonly OutboundCall[] {
    return this.#replays.takeCalls(most);
  }

  /** Records an answer and makes the waiting requests due now. */
  answer(call: OutboundCall, answer: OutboundAnswer): void {
    const dueMs = this.#options.registry.clock.nowMs();
    const origins = new Set(this.#replays.answer(call, answer));
    for (const pending of this.#queue.all()) if (origins.has(originOf(pending))) this.#queue.add({ ...pending, dueMs });
  }

  /**
   * Selects the next careful request and stores its intent. Undefined if there is none. The caller waits until the intent is on disk, calls
   * `reconcileCarefully`, and calls this again in the same turn, so that results and the next intent are stored together.
   */
  nextCareful(): QueueKey | undefined {
    const nowMs = this.#options.registry.clock.nowMs();
    for (const task of this.#startTasks.splice(0)) task();
    this.#readChanges();
    if (this.#guard.crashedIntent !== undefined) this.#setAside(this.#guard.crashedIntent, nowMs);
    for (const [key, request] of this.#careful) {
      if (!this.#isDue(request, nowMs)) continue;
      this.#guard.begin(key);
      this.#intended = request;
      return request;
    }
    this.rest();
    return undefined;
  }

  /** Ends or pauses a careful run: saves its results and removes the intent. */
  rest(): void {
    this.#guard.end();
    this.#save(this.#intended !== undefined);
    this.#intended = undefined;
  }

  reconcileCarefully(): void {
    const pending = this.#intended && this.#queue.get(this.#intended);
    if (!pending) return;
    this.#queue.remove(pending);
    if (this.#stopped.holds(pending, this.#queue, this.#options.registry.clock.nowMs())) return;
    // A reconcile that waits for an answer is not complete, so it stays careful.
    if (this.#reconcile(pending) === "waiting") return;
    this.#careful.delete(keyOf(pending));
    this.#guard.clear(keyOf(pending));
  }

  #isDue(request: QueueKey, nowMs: number): boolean {
    return (this.#queue.get(request)?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  /** Sets a crashed request aside. A change of its object makes it due earlier, since the change may have fixed the cause. */
  #setAside(key: string, nowMs: number): void {
    const request = fromKey(key);
    const untilMs = this.#guard.setAsideCrashed(nowMs);
    const pending = this.#queue.get(request) ?? { ...request, attempts: 0 };
    this.#queue.remove(request);
    this.#queue.again({ ...pending, dueMs: untilMs });
    this.#careful.set(key, request);
    // Saved with the cursor. Otherwise the changes that triggered the request would make it due again.
    this.#save(true);
    this.#options.report(new Error("did not complete and is set aside for some time"), originOf(request));
    const running = this.#running.get(request.controller);
    if (running) recordSetAside(running, request, untilMs);
  }

  #start(controller: Controller): void {
    const { registry } = this.#replays;
    const user = {
      name: controller.user ?? `system:serviceaccount:kube-system:${controller.name}`,
      groups: controller.user
        ? ["system:authenticated"]
        : ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
    };
    const manager = managerOf(controller);
    const actor = () => ({ user, manager, origin: this.#origin, reactsTo: this.#reactsTo });
    const beforeRead = () => this.#checkReads();
    const beforeWrite = controller.isWhole ? undefined : () => this.#checkTurn();
    const client = localClient(registry, { actor, beforeRead, beforeWrite });
    // Events are recorded through a client without bounds, so that a reconcile can report why it ends.
    const event = eventRecorder(localClient(registry, { actor }), this.#options.events, controller.component, () =>
      registry.clock.nowMs(),
    );
    const running = { controller, client, event, memory: controller.memory?.() };
    this.#running.set(controller.name, running);
    for (const watch of controller.watches) {
      const list = this.#watches.get(watch.kind.resource) ?? [];
      list.push({ running, watch });
      this.#watches.set(watch.kind.resource, list);
    }
  }

  /**
   * Reads changes up to a revision, or until their mapping has cost `most` typical reconciles. Returns the cost. The rest is due at once.
   */
  #readChanges(most = Number.POSITIVE_INFINITY, upTo = Number.POSITIVE_INFINITY): number {
    const { store } = this.#options.registry;
    const before = store.meter.spent;
    const cost = () => (store.meter.spent - before) / limits.workPerReconcile;
    if (this.#cursor < store.compacted) {
      this.#resync ??= this.#resyncAll();
      // Objects that are created or updated meanwhile are changes, which are read afterwards.
      while (!this.#resync.next().done) if (cost() >= most) return cost();
      this.#resync = undefined;
    }
    while (this.#cursor < Math.min(store.revision, upTo)) {
      for (const change of store.changesSince(this.#cursor, limits.changeBatch)) {
        if (change.revision > upTo) return cost();
        this.#dispatch(change);
        this.#cursor = change.revision;
        if (cost() >= most) return cost();
      }
    }
    return cost();
  }

  #dispatch(change: Change): void {
    const next = change.type === "DELETED" ? undefined : change.object;
    this.#notify(change.resource, next, change.previous, change.revision);
  }

  #notify(resource: string, next: KubeObject | undefined, previous: KubeObject | undefined, reactsTo: number): void {
    const dueMs = this.#options.registry.clock.nowMs();
    for (const { running, watch } of this.#watchesOf(resource)) {
      const { name: controller } = running.controller;
      this.#startWork = this.#options.registry.store.meter.spent;
      try {
        for (const { namespace, name } of watch.requests(next, previous, running.client, running.memory)) {
          const request = { controller, namespace, name };
          this.#queue.add({ ...request, dueMs, reactsTo });
          if (this.#cursor < this.#openedAt) this.#careful.set(keyOf(request), request);
        }
      } catch (error) {
        // A bug in one mapping must not block the informer, which would read the same change again and again.
        this.#options.report(error, `${controller}: requests of a change in ${resource}`);
      } finally {
        this.#startWork = Number.POSITIVE_INFINITY;
      }
    }
  }

  /**
   * Returns the watches of a resource. Watches of a kind that was added at run time stay after the kind is removed, because its last
   * changes may be read later.
   */
  #watchesOf(resource: string): readonly { running: RunningController; watch: Watch }[] {
    const builtInWatches = this.#watches.get(resource);
    if (builtInWatches) return builtInWatches;
    const kind = this.#options.registry.catalogue.stored(resource);
    const added = this.#added.get(resource);
    if (!kind || added?.kind === kind) return added?.watches ?? [];
    const watches = [...this.#running.values()].flatMap((running) =>
      (running.controller.watchesOf?.(kind) ?? []).map((watch) => ({ running, watch })),
    );
    this.#added.set(resource, { kind, watches });
    return watches;
  }

  /** Resyncs after the cursor was compacted: maps every object once, as an informer does after a relist. */
  *#resyncAll(): Generator<void, void, void> {
    const { registry } = this.#options;
    const { store } = registry;
    const revision = store.revision;
    // The controllers' memory lacks the changes that were skipped.
    for (const running of this.#running.values()) running.memory = running.controller.memory?.();
    const added = registry.catalogue.storedKinds().map((kind) => kind.resource);
    for (const resource of new Set([...this.#watches.keys(), ...added])) {
      for (const object of store.list({ resource })) {
        this.#notify(resource, object, undefined, Number(object.metadata.resourceVersion));
        yield;
      }
    }
    this.#cursor = revision;
  }

  #reconcile(pending: Pending): "done" | "waiting" {
    const running = this.#running.get(pending.controller);
    // Requests of a controller that no longer exists are dropped.
    if (!running) return "done";
    const { registry } = this.#replays;
    const { report } = this.#options;
    const request: Request = { namespace: pending.namespace, name: pending.name };
    this.#origin = originOf(pending);
    this.#reactsTo = pending.reactsTo ?? 0;
    this.#startRevision = registry.store.revision;
    this.#startWork = registry.store.meter.spent;
    let isOver = false;
    const isTurnOver = () => {
      this.#endsItself = true;
      return (isOver ||= this.#isOver());
    };
    const nowMs = this.#options.registry.clock.nowMs();
    try {
      const { client, event, memory, controller } = running;
      const result = this.#replays.run(this.#origin, () => {
        const { clock, random } = registry;
        const ask = must(registry.ask, "someone who asks");
        const { attempts, savedState } = pending;
        const nowMs = clock.nowMs();
        this.#endsItself = false;
        return registry.store.meter.within(() =>
          controller.reconcile(request, {
            client,
            event,
            memory,
            ask,
            nowMs,
            random,
            isTurnOver,
            attempts,
            savedState,
          }),
        );
      });
      // The request continues when its calls are answered. If an answer is lost, it is due after a delay and makes the calls again.
      if (result === "waiting") {
        this.#queue.again({ ...pending, dueMs: nowMs + limits.answerWaitMs });
        return "waiting";
      }
      if (result?.afterMs === undefined) return "done";
      const { afterMs, savedState } = result;
      this.#queue.again({ ...pending, attempts: 0, savedState, dueMs: nowMs + Math.max(0, Math.ceil(afterMs)) });
    } catch (error) {
      if (error instanceof TurnOver) this.#queue.again({ ...pending, dueMs: nowMs });
      else if (error instanceof ApiError) {
        const attempts = pending.attempts + 1;
        this.#queue.again({ ...pending, attempts, dueMs: nowMs + backoffMs(pending.attempts) });
      } else report(error, this.#origin);
    } finally {
      this.#startWork = Number.POSITIVE_INFINITY;
    }
    return "done";
  }

  #checkTurn(): void {
    if (!this.#endsItself && this.#isOver()) throw new TurnOver();
  }

  #isOver(): boolean {
    const { meter, revision } = this.#options.registry.store;
    // A reconcile that has written nothing would start from the same state again, so it is not stopped.
    if (this.#startWork === Number.POSITIVE_INFINITY || revision <= this.#startRevision) return false;
    return meter.spent - this.#startWork > limits.workPerTurn || this.#isLate();
  }

  #checkReads(): void {
    const { meter } = this.#options.registry.store;
    if (meter.spent - this.#startWork <= limits.workPerReading) return;
    // Recording the event requires reads, too.
    this.#startWork = meter.spent;
    throw new TooMuchWork("it takes more work than may be done at once");
  }

  /** Saves the queue and, if it is due, the cursor. `withCursor` saves the cursor in any case. */
  #save(withCursor = false): void {
    const { compacted } = this.#options.registry.store;
    const isCrowded = !withCursor && this.#isCrowded();
    const after = Math.max(this.#cursor - limits.heldChanges, this.#savedCursor, compacted);
    const { wrote, heldFrom } = this.#queue.save(isCrowded ? after : undefined);
    const cursor = heldFrom === undefined ? this.#cursor : heldFrom - 1;
    if (cursor === this.#savedCursor) return;
    // If the saved cursor is compacted, opening the cluster would require a resync.
    const isCutOff = this.#savedCursor < compacted;
    const isSaved = wrote || withCursor;
    if (!isSaved && !isCutOff && cursor - this.#savedCursor < cursorLag) return;
    writeMeta(this.#options.sql, cursorKey, String(cursor));
    this.#savedCursor = cursor;
  }

  /** Reports whether the queue has many requests that are due soon, so that writing each of them is not worth it. */
  #isCrowded(): boolean {
    const nextMs = this.#queue.earliestDueMs() ?? Number.POSITIVE_INFINITY;
    const isSoon = nextMs <= this.#options.registry.clock.nowMs() + limits.crowdMs;
    return isSoon && this.#queue.unsaved > limits.crowd && this.#queue.unsaved <= limits.heldChanges;
  }
}

function originOf({ controller, namespace, name }: QueueKey): string {
  return `${controller}:${namespace}/${name}`;
}
