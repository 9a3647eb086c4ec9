// The drain: reads the changes after the informer's cursor, lets each controller turn them into requests, reconciles until
// nothing is due or the budget is spent, and saves cursor and queue together.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { limits } from "../../shared/base/limits.ts";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
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

/** The cursor is saved when the queue is, and at the latest after this many revisions: replaying is harmless. */
const cursorLag = 200;
const cursorKey = "cursor";

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
}

export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #queue: WorkQueue;
  readonly #running = new Map<string, Running>();
  readonly #watches = new Map<string, { running: Running; watch: Watch }[]>();
  #cursor: number;
  #savedCursor: number;
  #origin = "";
  #reactsTo = 0;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.sql);
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

  /** Reconciles what is due, at most `budget` requests; returns how many were. */
  drain(budget: number): number {
    let done = 0;
    for (; done < budget; done++) {
      this.#readChanges();
      const pending = this.#queue.take(this.#options.registry.clock.nowMs());
      if (!pending) break;
      this.#reconcile(pending);
    }
    this.#readChanges();
    this.#save();
    return done;
  }

  #start(controller: Controller): void {
    const { registry } = this.#options;
    const user = {
      name: controller.user ?? `system:serviceaccount:kube-system:${controller.name}`,
      groups: controller.user
        ? ["system:authenticated"]
        : ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
    };
    const client = localClient(registry, () => ({ user, origin: this.#origin, reactsTo: this.#reactsTo }));
    const event = eventRecorder(client, this.#options.events, controller.component, () => registry.clock.nowMs());
    const running = { controller, client, event };
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
    for (const { running, watch } of this.#watches.get(resource) ?? []) {
      for (const { namespace, name } of watch.requests(next, previous, running.client)) {
        this.#queue.add({ controller: running.controller.name, namespace, name, dueMs });
      }
    }
  }

  /** The cursor fell out of the log: everything there is is looked at once, as an informer does after a relist. */
  #resync(): void {
    const { store } = this.#options.registry;
    const revision = store.revision;
    for (const resource of this.#watches.keys()) {
      for (const object of store.list(resource)) this.#notify(resource, object, undefined);
    }
    this.#cursor = revision;
  }

  #reconcile(pending: Pending): void {
    const running = this.#running.get(pending.controller);
    // A controller that is no longer there leaves its requests behind.
    if (!running) return;
    const { registry, report } = this.#options;
    const nowMs = registry.clock.nowMs();
    const request: Request = { namespace: pending.namespace, name: pending.name };
    this.#origin = `${pending.controller}:${pending.namespace}/${pending.name}`;
    this.#reactsTo = registry.store.revision;
    try {
      const { client, event, controller } = running;
      const context = { client, event, nowMs, random: registry.random, attempts: pending.attempts };
      const result = controller.reconcile(request, context);
      if (result?.afterMs === undefined) return;
      this.#queue.again({ ...pending, attempts: 0, dueMs: nowMs + Math.max(0, Math.ceil(result.afterMs)) });
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
