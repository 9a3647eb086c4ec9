// The drain: reads the changes after the informer's cursor, lets each controller map them to requests, and reconciles until nothing is due
// or the budget is spent. Then it saves the cursor and the queue together.
//
// A request that is due when the cluster is opened may have killed the process before. Such requests run carefully: one at a time, after
// their key is stored. The same applies to requests that were set aside, until they complete.
import { limits } from "../../shared/base/limits.ts";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Registry } from "../registry/registry.ts";
import type { Sql } from "../store/sql.ts";
import { CarefulRequests } from "./careful-requests.ts";
import { Checkpoint } from "./checkpoint.ts";
import type { Controller, Request } from "./controller.ts";
import { Informer } from "./informer.ts";
import { type Pending, type QueueKey, WorkQueue } from "./queue.ts";
import { originOf, Reconciler } from "./reconciler.ts";
import { Replays } from "./replays.ts";
import { RunningControllers } from "./running-controllers.ts";
import { SavedMemory } from "./saved-memory.ts";
import { StoppedControllers } from "./stopped-controllers.ts";
import { recordSetAside } from "./set-aside.ts";
import { ReconcileBudget } from "./reconcile-budget.ts";

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

const never = () => false;

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #queue: WorkQueue;
  readonly #checkpoint: Checkpoint;
  readonly #savedMemory: SavedMemory | undefined;
  readonly #careful: CarefulRequests;
  readonly #budget: ReconcileBudget;
  readonly #controllers: RunningControllers;
  readonly #informer: Informer;
  readonly #reconciler: Reconciler;
  readonly #stopped = new StoppedControllers();
  readonly #stops = new Map<string, (controller: Controller) => boolean>();
  /** The newest revision when the cluster was opened. Requests of changes up to it are careful. */
  readonly #openedAt: number;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    const { sql, registry, events, isMadeHere = false, report } = options;
    const { clock, store } = registry;
    const replays = new Replays(registry);
    // A seeded cluster draws in the order of its reconciles.
    const isExact = replays.isSeeded;
    const queue = new WorkQueue(sql, isExact);
    const budget = new ReconcileBudget(store);
    const controllers = new RunningControllers({
      registry: replays.registry,
      controllers: options.controllers,
      events,
      budget,
    });
    this.#queue = queue;
    this.#budget = budget;
    this.#controllers = controllers;
    this.#openedAt = isMadeHere ? 0 : store.revision;
    this.#checkpoint = new Checkpoint({ sql, store, clock, queue, isExact });
    this.#savedMemory = isExact ? new SavedMemory(sql, controllers.all()) : undefined;
    this.#careful = new CarefulRequests(sql, queue, isMadeHere ? undefined : clock.nowMs());
    const { cursor } = this.#checkpoint;
    const onRequest = (request: QueueKey, reactsTo: number) => this.#add(request, reactsTo);
    this.#informer = new Informer({ registry, controllers, budget, cursor, onRequest, report });
    this.#reconciler = new Reconciler({ controllers, queue, replays, budget, nowMs: () => clock.nowMs(), report });
  }

  /** Returns when the next request is due: now or earlier if unread changes exist. */
  nextDueMs(): number | undefined {
    if (this.#careful.isUrgent || !this.#informer.isCaughtUp) return this.#nowMs();
    return this.#queue.earliestDueMs();
  }

  /**
   * Returns all requests, those of unread changes included. Undefined if there are too many changes, or if they may have killed the
   * process. Must not be called during a reconcile.
   */
  waiting(): readonly Pending[] | undefined {
    if (this.isCareful()) return undefined;
    this.#informer.readChanges(limits.drainPerRequest);
    return this.#informer.isCaughtUp ? this.#queue.all() : undefined;
  }

  /** Returns the queued requests, for tests and inspection. */
  pending(): readonly Pending[] {
    return this.#queue.all();
  }

  /** Returns a controller's memory; undefined if it does not run. */
  memoryOf<Memory>({ name }: Controller<Memory>): Memory | undefined {
    // Controllers with the same name have memory of the same type.
    return this.#controllers.get(name)?.memory as Memory | undefined;
  }

  /** Adds a task that the next careful run executes once, before any reconcile. */
  addStartTask(task: () => void): void {
    this.#careful.addStartTask(task);
  }

  /** Reports whether careful work is due. While it is, `drain` does nothing. */
  isCareful(): boolean {
    return this.#isReplaying || this.#careful.isDue(this.#nowMs());
  }

  /**
   * Reconciles due requests until the budget is spent, and returns the spent budget. A request costs at least one, and more by its work and
   * that of its mapping; work is counted because the clock may stand still meanwhile. Careful requests are skipped, and changes after the
   * revision `upTo` are not read. On a real clock, `isLate` ends the drain before the next reconcile or write if it takes longer than
   * counted; then the budget counts as spent.
   */
  drain(budget: number, upTo = Number.POSITIVE_INFINITY, isLate: () => boolean = never): number {
    if (this.isCareful()) return 0;
    return this.#budget.drain(isLate, () => this.#drain(budget, upTo, isLate));
  }

  #drain(budget: number, upTo: number, isLate: () => boolean): number {
    const { store } = this.#options.registry;
    const carefulRequests: Pending[] = [];
    let spent = 0;
    while (spent < budget) {
      spent += this.#informer.readChanges(budget - spent, upTo);
      if (spent >= budget) break;
      const pending = this.#queue.take(this.#nowMs());
      if (!pending) break;
      if (this.#stopped.holdBack(pending, this.#queue, this.#nowMs())) continue;
      if (this.#careful.has(pending)) {
        carefulRequests.push(pending);
        continue;
      }
      const before = store.meter.spent;
      this.#reconciler.reconcile(pending);
      spent += Math.max(1, (store.meter.spent - before) / limits.typicalReconcileWork);
      if (isLate()) spent = Math.max(spent, budget);
    }
    for (const pending of carefulRequests) this.#queue.again(pending);
    spent += this.#informer.readChanges(lastChanges, upTo);
    if (this.#informer.isCaughtUp && !this.#checkpoint.isCrowded) store.rest();
    this.#save();
    return Math.floor(spent);
  }

  /**
   * Maps changes to requests without reconciling. Returns whether a request is due. In that case nothing is saved: after a crash the
   * changes are read again.
   */
  readAhead(): boolean {
    if (this.isCareful()) return true;
    this.#informer.readChanges(limits.drainPerRequest);
    const isDue = (this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= this.#nowMs();
    if (!isDue) this.#save();
    return isDue;
  }

  /** Stops the controllers that a predicate selects, and lets those run that no owner's predicate selects. Their requests wait. */
  stopControllers(owner: string, isStopped: (controller: Controller) => boolean): void {
    this.#stops.set(owner, isStopped);
    const predicates = [...this.#stops.values()];
    const stopped = this.#options.controllers.filter((controller) => predicates.some((selects) => selects(controller)));
    this.#stopped.set(stopped, this.#queue, this.#nowMs());
  }

  /** Makes a request due now without a change of an object. */
  request(controller: string, { namespace, name }: Request): void {
    this.#queue.add({ controller, namespace, name, dueMs: this.#nowMs() });
  }

  /** Takes the oldest outbound calls that nobody has made yet. The caller must `answer` each. */
  takeCalls(most = Number.POSITIVE_INFINITY): readonly OutboundCall[] {
    return this.#reconciler.takeCalls(most);
  }

  /** Records an answer and makes the waiting requests due now. */
  answer(call: OutboundCall, answer: OutboundAnswer): void {
    this.#reconciler.answer(call, answer);
  }

  /**
   * Selects the next careful request and stores its intent. Undefined if there is none. The caller waits until the intent is on disk, calls
   * `reconcileCarefully`, and calls this again in the same turn, so that results and the next intent are stored together.
   */
  nextCareful(): QueueKey | undefined {
    const nowMs = this.#nowMs();
    this.#careful.runStartTasks();
    this.#informer.readChanges();
    this.#setAsideCrashed(nowMs);
    const request = this.#careful.beginNext(nowMs);
    if (!request) this.rest();
    return request;
  }

  /** Ends or pauses a careful run: saves its results and removes the intent. */
  rest(): void {
    this.#save(this.#careful.end() || undefined);
  }

  reconcileCarefully(): void {
    const pending = this.#careful.takeIntended();
    if (pending && this.#stopped.holdBack(pending, this.#queue, this.#nowMs())) return;
    // A reconcile that waits for an answer is not complete, so it stays careful.
    if (pending && this.#reconciler.reconcile(pending) !== "waiting") this.#careful.complete(pending);
  }

  /** Whether the informer reads changes that existed when the cluster was opened. Their requests may have killed the process. */
  get #isReplaying(): boolean {
    return this.#informer.cursor < this.#openedAt;
  }

  #setAsideCrashed(nowMs: number): void {
    const crashed = this.#careful.setAsideCrashed(nowMs);
    if (!crashed) return;
    const { request, untilMs } = crashed;
    // Saved with the cursor. Otherwise the changes that triggered the request would make it due again.
    this.#save(true);
    this.#options.report(new Error("did not complete and is set aside for some time"), originOf(request));
    const running = this.#controllers.get(request.controller);
    if (running) recordSetAside(running, request, untilMs);
  }

  #add(request: QueueKey, reactsTo: number): void {
    this.#queue.add({ ...request, dueMs: this.#nowMs(), reactsTo });
    if (this.#isReplaying) this.#careful.add(request);
  }

  #save(withCursor?: true): void {
    this.#checkpoint.save(this.#informer.cursor, withCursor);
    this.#savedMemory?.save();
  }

  #nowMs(): number {
    return this.#options.registry.clock.nowMs();
  }
}
