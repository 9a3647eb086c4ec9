// The drain: reads the changes after the informer's cursor, lets each controller turn them into requests, reconciles until
// nothing is due or the budget is spent, and saves cursor and queue together.
//
// What is due when the cluster is opened may be what killed the process before. It is done carefully: one request at a time, its name on
// disk before it is begun; and so is a request that was set aside, until it comes to an end.
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
import type { Controller, Request, Watch } from "./controller.ts";
import { eventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./events.ts";
import { PoisonGuard } from "./poison-guard.ts";
import { fromKey, keyOf, type Pending, type QueueKey, WorkQueue } from "./queue.ts";
import { Replays } from "./replays.ts";
import { tellSetAside } from "./set-aside.ts";
import { TurnOver } from "./turn-over.ts";

/** The cursor is saved when the queue is, and at the latest after this many revisions: replaying is harmless. */
const cursorLag = 200;
export const cursorKey = "cursor";

export interface RuntimeOptions {
  readonly sql: Sql;
  readonly registry: Registry;
  readonly controllers: readonly Controller[];
  /** The kind in which events are recorded. */
  readonly events: Kind<Event>;
  /**
   * The process that opens it has just made what is there: nothing of it is done carefully. Whatever should kill it is found at the next
   * opening.
   */
  readonly isMadeHere?: boolean | undefined;
  /** Told of bugs: a request that broke an assertion is dropped, never retried blindly. */
  report(error: unknown, where: string): void;
}

/** What the changes that a drain ends with may cost, in usual reconciles. */
const lastChanges = 5;

interface Running {
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
  /** Requests that are to be reconciled carefully, by key; the longest waiting first. */
  readonly #careful: Map<string, QueueKey>;
  /** Changes up to this revision were there when the cluster was opened. */
  readonly #openedAt: number;
  readonly #replays: Replays;
  readonly #running = new Map<string, Running>();
  readonly #watches = new Map<string, { running: Running; watch: Watch }[]>();
  readonly #added = new Map<string, { kind: Kind; watches: readonly { running: Running; watch: Watch }[] }>();
  /** Looking at everything, as far as it has come. */
  #resync: Iterator<void> | undefined;
  #cursor: number;
  #savedCursor: number;
  #origin = "";
  #reactsTo = 0;
  /** The revision at which the reconcile that runs began. */
  #begunRevision = 0;
  /** The reconcile that runs asks whether the turn is over, and ends by itself. */
  #endsItself = false;
  /** Ends the drain that runs, where the clock does not stand still. */
  #isLate: () => boolean = never;
  /** What is reconciled next, and whose intent is written. */
  #intended: QueueKey | undefined;
  /** What is to be done before anything is reconciled. */
  #first: (() => void)[] = [];
  /** What the meter stood at when the reconcile or mapping that runs began; infinite while none runs: then nothing is bounded. */
  #begunAt = Number.POSITIVE_INFINITY;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.sql);
    this.#guard = new PoisonGuard(options.sql, "reconcile");
    this.#replays = new Replays(options.registry);
    const { clock, store } = options.registry;
    // Of what a cluster begins with, all is done.
    this.#cursor = this.#savedCursor = Number(readMeta(options.sql, cursorKey) ?? store.began);
    this.#openedAt = options.isMadeHere ? 0 : store.revision;
    const due = options.isMadeHere ? [] : this.#queue.all().filter((pending) => pending.dueMs <= clock.nowMs());
    due.sort((a, b) => a.dueMs - b.dueMs);
    const keys = [...due.map(keyOf), ...this.#guard.all()];
    this.#careful = new Map(keys.map((key) => [key, fromKey(key)]));
    for (const controller of options.controllers) this.#start(controller);
  }

  /** When the next request is due; now or earlier when changes wait to be read. */
  nextDueMs(): number | undefined {
    if (this.#first.length > 0 || this.#guard.found !== undefined) return this.#options.registry.clock.nowMs();
    if (this.#cursor < this.#options.registry.store.revision) return this.#options.registry.clock.nowMs();
    return this.#queue.earliestDueMs();
  }

  /**
   * All that is to be done, changes that have not been read among it: undefined where there is too much of them, or where they may have
   * killed the process. Between reconciles alone.
   */
  waiting(): readonly Pending[] | undefined {
    if (this.isCareful()) return undefined;
    this.#readChanges(limits.drainPerRequest);
    return this.#cursor === this.#options.registry.store.revision ? this.#queue.all() : undefined;
  }

  /** What waits, for tests and inspection. */
  pending(): readonly Pending[] {
    return this.#queue.all();
  }

  /** What a controller remembers of the cluster; undefined where it does not run. */
  memoryOf<Memory>({ name }: Controller<Memory>): Memory | undefined {
    // Controllers of the same name have the same memory.
    return this.#running.get(name)?.memory as Memory | undefined;
  }

  /** Is done once, in the next careful run, before anything is reconciled. */
  first(task: () => void): void {
    this.#first.push(task);
  }

  /** Whether something is due that is to be done carefully: until it is done, `drain` does nothing. */
  isCareful(): boolean {
    if (this.#first.length > 0 || this.#guard.found !== undefined || this.#cursor < this.#openedAt) return true;
    const nowMs = this.#options.registry.clock.nowMs();
    for (const request of this.#careful.values()) if (this.#isDue(request, nowMs)) return true;
    return false;
  }

  /**
   * Reconciles what is due until the budget is spent; returns how much was. A request costs one, and more where it, or asking for it,
   * reads or writes much: the clock stands still meanwhile, so that work is what can be counted. What is to be done carefully is left
   * to a careful run, and changes after the revision `upTo` are not read. Where the clock does not stand still, `isLate` ends the drain
   * before the next reconcile, or the next write of one, if they took longer than was counted; the budget counts as spent.
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
    const left: Pending[] = [];
    let done = 0;
    while (done < budget) {
      done += this.#readChanges(budget - done, upTo);
      if (done >= budget) break;
      const pending = this.#queue.take(this.#options.registry.clock.nowMs());
      if (!pending) break;
      if (this.#careful.size > 0 && this.#careful.has(keyOf(pending))) {
        left.push(pending);
        continue;
      }
      const { meter } = this.#options.registry.store;
      const before = meter.spent;
      this.#reconcile(pending);
      done += Math.max(1, (meter.spent - before) / limits.workPerReconcile);
      if (this.#isLate()) done = Math.max(done, budget);
    }
    for (const pending of left) this.#queue.again(pending);
    done += this.#readChanges(lastChanges, upTo);
    const { store } = this.#options.registry;
    if (this.#cursor === store.revision && !this.#isCrowded()) store.rest();
    this.#save();
    return Math.floor(done);
  }

  /**
   * Turns changes into requests, and reconciles none of them. Returns whether anything is due: then nothing is saved, and should it be
   * lost, the changes are read again.
   */
  readAhead(): boolean {
    if (this.isCareful()) return true;
    this.#readChanges(limits.drainPerRequest);
    const isDue = (this.nextDueMs() ?? Number.POSITIVE_INFINITY) <= this.#options.registry.clock.nowMs();
    if (!isDue) this.#save();
    return isDue;
  }

  /** Makes a request due now, though no stored object has changed. */
  request(controller: string, { namespace, name }: Request): void {
    const dueMs = this.#options.registry.clock.nowMs();
    this.#queue.add({ controller, namespace, name, dueMs });
  }

  /** What reconciles wait for and nobody has been asked yet, the oldest first; whoever takes these must `answer` each. */
  takeCalls(most = Number.POSITIVE_INFINITY): readonly OutboundCall[] {
    return this.#replays.takeCalls(most);
  }

  /** What asked for it is due now. */
  answer(call: OutboundCall, answer: OutboundAnswer): void {
    const dueMs = this.#options.registry.clock.nowMs();
    const origins = new Set(this.#replays.answer(call, answer));
    for (const pending of this.#queue.all()) if (origins.has(originOf(pending))) this.#queue.add({ ...pending, dueMs });
  }

  /**
   * Names what a careful run does next; undefined when there is nothing more. The caller waits until that is on disk, calls
   * `reconcileCarefully`, and in the same turn asks for the next, so that what came of one is stored with the name of the next.
   */
  nextCareful(): QueueKey | undefined {
    const nowMs = this.#options.registry.clock.nowMs();
    for (const task of this.#first.splice(0)) task();
    this.#readChanges();
    if (this.#guard.found !== undefined) this.#setAside(this.#guard.found, nowMs);
    for (const [key, request] of this.#careful) {
      if (!this.#isDue(request, nowMs)) continue;
      this.#guard.begin(key);
      this.#intended = request;
      return request;
    }
    this.rest();
    return undefined;
  }

  /** A careful run pauses or is over: what it did is stored, and nothing is under way. */
  rest(): void {
    this.#guard.end();
    this.#save(this.#intended !== undefined);
    this.#intended = undefined;
  }

  reconcileCarefully(): void {
    const pending = this.#intended && this.#queue.get(this.#intended);
    if (!pending) return;
    this.#queue.remove(pending);
    // What waits for an answer has not come to an end: it goes on carefully.
    if (this.#reconcile(pending) === "waiting") return;
    this.#careful.delete(keyOf(pending));
    this.#guard.clear(keyOf(pending));
  }

  #isDue(request: QueueKey, nowMs: number): boolean {
    return (this.#queue.get(request)?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  /** A change of what it concerns brings it back earlier: that may have been the cure. */
  #setAside(key: string, nowMs: number): void {
    const request = fromKey(key);
    const untilMs = this.#guard.setAsideFound(nowMs);
    const pending = this.#queue.get(request) ?? { ...request, attempts: 0 };
    this.#queue.remove(request);
    this.#queue.again({ ...pending, dueMs: untilMs });
    this.#careful.set(key, request);
    // Saved with the cursor, or the changes that asked for it would bring it back.
    this.#save(true);
    this.#options.report(new Error("did not come to an end and is set aside for a time"), originOf(request));
    const running = this.#running.get(request.controller);
    if (running) tellSetAside(running, request, untilMs);
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
    // What was done is told of before it ends.
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
   * Up to a revision, or until mappers have cost as much as `most` usual reconciles; returns how much they have. What is left is due at
   * once.
   */
  #readChanges(most = Number.POSITIVE_INFINITY, upTo = Number.POSITIVE_INFINITY): number {
    const { store } = this.#options.registry;
    const before = store.meter.spent;
    const cost = () => (store.meter.spent - before) / limits.workPerReconcile;
    if (this.#cursor < store.compacted) {
      this.#resync ??= this.#everything();
      // Objects that come or change meanwhile are changes, which are read then.
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
      this.#begunAt = this.#options.registry.store.meter.spent;
      try {
        for (const { namespace, name } of watch.requests(next, previous, running.client, running.memory)) {
          const request = { controller, namespace, name };
          this.#queue.add({ ...request, dueMs, reactsTo });
          if (this.#cursor < this.#openedAt) this.#careful.set(keyOf(request), request);
        }
      } catch (error) {
        // A bug in one mapping must not stop the informer for all: it would read the same change again and again.
        this.#options.report(error, `${controller}: requests of a change in ${resource}`);
      } finally {
        this.#begunAt = Number.POSITIVE_INFINITY;
      }
    }
  }

  /** What a kind that came at run time is watched by stays known when the kind is gone: its last changes may come after. */
  #watchesOf(resource: string): readonly { running: Running; watch: Watch }[] {
    const known = this.#watches.get(resource);
    if (known) return known;
    const kind = this.#options.registry.catalogue.stored(resource);
    const added = this.#added.get(resource);
    if (!kind || added?.kind === kind) return added?.watches ?? [];
    const watches = [...this.#running.values()].flatMap((running) =>
      (running.controller.watchesOf?.(kind) ?? []).map((watch) => ({ running, watch })),
    );
    this.#added.set(resource, { kind, watches });
    return watches;
  }

  /** The cursor fell out of the log: everything there is is looked at once, as an informer does after a relist. */
  *#everything(): Generator<void, void, void> {
    const { registry } = this.#options;
    const { store } = registry;
    const revision = store.revision;
    // Changes that nobody told them of are missing in what controllers remember.
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
    // A controller that is no longer there leaves its requests behind.
    if (!running) return "done";
    const { registry } = this.#replays;
    const { report } = this.#options;
    const request: Request = { namespace: pending.namespace, name: pending.name };
    this.#origin = originOf(pending);
    this.#reactsTo = pending.reactsTo ?? 0;
    this.#begunRevision = registry.store.revision;
    this.#begunAt = registry.store.meter.spent;
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
      // It goes on when what it asked is answered; or asks again, should that have been lost.
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
      this.#begunAt = Number.POSITIVE_INFINITY;
    }
    return "done";
  }

  #checkTurn(): void {
    if (!this.#endsItself && this.#isOver()) throw new TurnOver();
  }

  #isOver(): boolean {
    const { meter, revision } = this.#options.registry.store;
    // One that has written nothing yet would begin where it began before.
    if (this.#begunAt === Number.POSITIVE_INFINITY || revision <= this.#begunRevision) return false;
    return meter.spent - this.#begunAt > limits.workPerTurn || this.#isLate();
  }

  #checkReads(): void {
    const { meter } = this.#options.registry.store;
    if (meter.spent - this.#begunAt <= limits.workPerReading) return;
    // Telling of it takes reading, too.
    this.#begunAt = meter.spent;
    throw new TooMuchWork("it takes more work than may be done at once");
  }

  /** `withCursor`: however near the saved one is. */
  #save(withCursor = false): void {
    const { compacted } = this.#options.registry.store;
    const isCrowded = !withCursor && this.#isCrowded();
    const after = Math.max(this.#cursor - limits.heldChanges, this.#savedCursor, compacted);
    const { wrote, heldFrom } = this.#queue.save(isCrowded ? after : undefined);
    const cursor = heldFrom === undefined ? this.#cursor : heldFrom - 1;
    if (cursor === this.#savedCursor) return;
    // A cursor that fell out of the log would have everything there is looked at again.
    const isCutOff = this.#savedCursor < compacted;
    const isSaved = wrote || withCursor;
    if (!isSaved && !isCutOff && cursor - this.#savedCursor < cursorLag) return;
    writeMeta(this.#options.sql, cursorKey, String(cursor));
    this.#savedCursor = cursor;
  }

  /** Reports whether so many requests wait, and for so short a time, that writing each of them does not pay. */
  #isCrowded(): boolean {
    const nextMs = this.#queue.earliestDueMs() ?? Number.POSITIVE_INFINITY;
    const isSoon = nextMs <= this.#options.registry.clock.nowMs() + limits.crowdMs;
    return isSoon && this.#queue.unsaved > limits.crowd && this.#queue.unsaved <= limits.heldChanges;
  }
}

function originOf({ controller, namespace, name }: QueueKey): string {
  return `${controller}:${namespace}/${name}`;
}

/** The field managers of a stock cluster's components. */
function managerOf({ user = "" }: Controller): string {
  if (user.startsWith("system:node:")) return "kubelet";
  if (user === "system:kube-scheduler") return "kube-scheduler";
  return user === "system:apiserver" ? "kube-apiserver" : "kube-controller-manager";
}
