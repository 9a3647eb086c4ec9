// The drain: reads the changes after the informer's cursor, lets each controller turn them into requests, reconciles until
// nothing is due or the budget is spent, and saves cursor and queue together.
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Answer, Question } from "../../shared/k8s/question.ts";
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
import { type Pending, WorkQueue } from "./queue.ts";
import { Replays } from "./replays.ts";
import { Suspects } from "./suspects.ts";

/** The cursor is saved when the queue is, and at the latest after this many revisions: replaying is harmless. */
const cursorLag = 200;
const cursorKey = "cursor";
/** Runs that a request may kill before it is set aside. */
const killsAllowed = 2;

export interface RuntimeOptions {
  readonly sql: Sql;
  readonly registry: Registry;
  readonly controllers: readonly Controller[];
  /** The kind in which events are recorded. */
  readonly events: Kind<Event>;
  /** Told of bugs: a request that broke an assertion is dropped, never retried blindly. */
  report(error: unknown, where: string): void;
}

interface Running {
  readonly controller: Controller;
  readonly client: Client;
  readonly event: EventRecorder;
  readonly memory: unknown;
}

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #queue: WorkQueue;
  readonly #suspects: Suspects;
  readonly #replays: Replays;
  readonly #running = new Map<string, Running>();
  readonly #watches = new Map<string, { running: Running; watch: Watch }[]>();
  readonly #added = new Map<string, { kind: Kind; watches: readonly { running: Running; watch: Watch }[] }>();
  #cursor: number;
  #savedCursor: number;
  #origin = "";
  #reactsTo = 0;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.sql);
    this.#suspects = new Suspects(options.sql);
    this.#replays = new Replays(options.registry);
    this.#cursor = this.#savedCursor = Number(readMeta(options.sql, cursorKey) ?? "0");
    for (const controller of options.controllers) this.#start(controller);
  }

  /** When the next request is due; now or earlier when changes wait to be read. */
  nextDueMs(): number | undefined {
    if (this.#cursor < this.#options.registry.store.revision) return this.#options.registry.clock.nowMs();
    return this.#queue.earliestDueMs();
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

  /**
   * Reconciles what is due until the budget is spent; returns how much was. A request costs one, and more where it writes much: the
   * clock stands still meanwhile, so that writes are what can be counted. Suspects are left to a careful run.
   */
  drain(budget: number): number {
    const left: Pending[] = [];
    let done = 0;
    while (done < budget) {
      this.#readChanges();
      const pending = this.#queue.take(this.#options.registry.clock.nowMs());
      if (!pending) break;
      if (this.#suspects.tries(pending) > 0) {
        left.push(pending);
        continue;
      }
      const { revision } = this.#options.registry.store;
      this.#reconcile(pending);
      done += Math.max(1, Math.floor((this.#options.registry.store.revision - revision) / limits.writesPerReconcile));
    }
    for (const pending of left) this.#queue.again(pending);
    this.#readChanges();
    this.#save();
    return done;
  }

  /** Makes a request due now, though no stored object has changed. */
  request(controller: string, { namespace, name }: Request): void {
    const dueMs = this.#options.registry.clock.nowMs();
    this.#queue.add({ controller, namespace, name, dueMs });
  }

  /** What reconciles wait for and nobody has been asked yet; whoever takes these must `answer` each. */
  takeQuestions(): readonly Question[] {
    return this.#replays.takeQuestions();
  }

  /** What asked for it is due now. */
  answer(question: Question, answer: Answer): void {
    const dueMs = this.#options.registry.clock.nowMs();
    const origins = new Set(this.#replays.answer(question, answer));
    for (const pending of this.#queue.all()) if (origins.has(originOf(pending))) this.#queue.add({ ...pending, dueMs });
  }

  /** Whether a request is due that may have killed a run. */
  suspectIsDue(): boolean {
    if (this.#suspects.size === 0) return false;
    const nowMs = this.#options.registry.clock.nowMs();
    return this.#suspects.all().some((one) => (this.#queue.get(one)?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs);
  }

  /**
   * For a run after one that was killed: the next due request, its try counted. The caller waits until that is on disk before it
   * hands the request to `reconcileSuspect`; so if that kills the run too, the count tells who it was.
   */
  nextSuspect(): Pending | undefined {
    const nowMs = this.#options.registry.clock.nowMs();
    this.#readChanges();
    for (;;) {
      const pending = this.#queue.peek(nowMs);
      const tries = pending ? this.#suspects.tries(pending) : 0;
      if (pending && tries >= killsAllowed) {
        this.#setAside(pending, nowMs);
        continue;
      }
      if (pending) this.#suspects.set(pending, tries + 1);
      this.#save();
      return pending;
    }
  }

  reconcileSuspect(pending: Pending): void {
    this.#queue.remove(pending);
    this.#reconcile(pending);
    this.#suspects.clear(pending);
    this.#readChanges();
    this.#save();
  }

  /** One more kill sets it aside again. A change of what it concerns brings it back earlier: that may have been the cure. */
  #setAside(pending: Pending, nowMs: number): void {
    const where = originOf(pending);
    this.#options.report(new Error(`killed ${killsAllowed} runs and is set aside for a time`), where);
    this.#queue.remove(pending);
    this.#queue.again({ ...pending, dueMs: nowMs + limits.setAsideMs });
    this.#suspects.set(pending, killsAllowed - 1);
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
    const client = localClient(registry, () => ({ user, manager, origin: this.#origin, reactsTo: this.#reactsTo }));
    const event = eventRecorder(client, this.#options.events, controller.component, () => registry.clock.nowMs());
    const running = { controller, client, event, memory: controller.memory?.() };
    this.#running.set(controller.name, running);
    for (const watch of controller.watches) {
      const list = this.#watches.get(watch.kind.resource) ?? [];
      list.push({ running, watch });
      this.#watches.set(watch.kind.resource, list);
    }
  }

  #readChanges(): void {
    const { store } = this.#options.registry;
    if (this.#cursor < store.compacted) return this.#resync();
    while (this.#cursor < store.revision) {
      for (const change of store.changesSince(this.#cursor, limits.changeBatch)) {
        this.#dispatch(change);
        this.#cursor = change.revision;
      }
      // A compacted revision leaves a gap at the end of the log only when nothing else is there.
      if (this.#cursor < store.revision && store.changesSince(this.#cursor, 1).length === 0)
        this.#cursor = store.revision;
    }
  }

  #dispatch(change: Change): void {
    const next = change.type === "DELETED" ? undefined : change.object;
    this.#notify(change.resource, next, change.previous);
  }

  #notify(resource: string, next: KubeObject | undefined, previous: KubeObject | undefined): void {
    const dueMs = this.#options.registry.clock.nowMs();
    for (const { running, watch } of this.#watchesOf(resource)) {
      const { name: controller } = running.controller;
      try {
        for (const request of watch.requests(next, previous, running.client, running.memory)) {
          this.#queue.add({ controller, namespace: request.namespace, name: request.name, dueMs });
        }
      } catch (error) {
        // A bug in one mapping must not stop the informer for all: it would read the same change again and again.
        this.#options.report(error, `${controller}: requests of a change in ${resource}`);
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
  #resync(): void {
    const { registry } = this.#options;
    const { store } = registry;
    const revision = store.revision;
    const added = registry.catalogue.storedKinds().map((kind) => kind.resource);
    for (const resource of new Set([...this.#watches.keys(), ...added])) {
      for (const object of store.list({ resource })) this.#notify(resource, object, undefined);
    }
    this.#cursor = revision;
  }

  #reconcile(pending: Pending): void {
    const running = this.#running.get(pending.controller);
    // A controller that is no longer there leaves its requests behind.
    if (!running) return;
    const { registry } = this.#replays;
    const { report } = this.#options;
    const request: Request = { namespace: pending.namespace, name: pending.name };
    this.#origin = originOf(pending);
    this.#reactsTo = registry.store.revision;
    const nowMs = this.#options.registry.clock.nowMs();
    try {
      const { client, event, memory, controller } = running;
      const result = this.#replays.run(this.#origin, () => {
        const { clock, random } = registry;
        const ask = must(registry.ask, "someone who asks");
        const { attempts, savedState } = pending;
        return controller.reconcile(request, {
          client,
          event,
          memory,
          ask,
          nowMs: clock.nowMs(),
          random,
          attempts,
          savedState,
        });
      });
      // It goes on when what it asked is answered; or asks again, should that have been lost.
      if (result === "waiting") return this.#queue.again({ ...pending, dueMs: nowMs + limits.answerWaitMs });
      if (result?.afterMs === undefined) return;
      const { afterMs, savedState } = result;
      this.#queue.again({ ...pending, attempts: 0, savedState, dueMs: nowMs + Math.max(0, Math.ceil(afterMs)) });
    } catch (error) {
      if (!(error instanceof ApiError)) return report(error, this.#origin);
      const attempts = pending.attempts + 1;
      this.#queue.again({ ...pending, attempts, dueMs: nowMs + backoffMs(pending.attempts) });
    }
  }

  #save(): void {
    const saved = this.#queue.save();
    if (this.#cursor === this.#savedCursor) return;
    if (!saved && this.#cursor - this.#savedCursor < cursorLag) return;
    writeMeta(this.#options.sql, cursorKey, String(this.#cursor));
    this.#savedCursor = this.#cursor;
  }
}

function originOf({ controller, namespace, name }: Pending): string {
  return `${controller}:${namespace}/${name}`;
}

/** The field managers of a stock cluster's components. */
function managerOf({ user = "" }: Controller): string {
  if (user.startsWith("system:node:")) return "kubelet";
  if (user === "system:kube-scheduler") return "kube-scheduler";
  return user === "system:apiserver" ? "kube-apiserver" : "kube-controller-manager";
}
