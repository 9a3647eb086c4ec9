// Reads the changes after a cursor and lets each controller map them to requests.
import { limits } from "../../shared/base/limits.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Registry } from "../registry/registry.ts";
import type { Change } from "../store/change.ts";
import type { Watch } from "./controller.ts";
import type { QueueKey } from "./queue.ts";
import type { RunningController, RunningControllers } from "./running-controllers.ts";
import type { ReconcileBudget } from "./reconcile-budget.ts";

interface RunningWatch {
  readonly running: RunningController;
  readonly watch: Watch;
}

export interface InformerOptions {
  readonly registry: Registry;
  readonly controllers: RunningControllers;
  readonly budget: ReconcileBudget;
  /** The saved cursor: the newest change that was read before the cluster was opened. */
  readonly cursor: number;
  /** Receives each request and the revision of the change that it reacts to. */
  onRequest(request: QueueKey, reactsTo: number): void;
  /** Reports a bug of a mapping, which must not block the informer. */
  report(error: unknown, where: string): void;
}

export class Informer {
  readonly #options: InformerOptions;
  readonly #watches = new Map<string, RunningWatch[]>();
  readonly #added = new Map<string, { kind: Kind; watches: readonly RunningWatch[] }>();
  #cursor: number;
  /** The running resync, which continues across drains. */
  #resync: Iterator<void> | undefined;

  constructor(options: InformerOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
    for (const running of options.controllers.all()) {
      for (const watch of running.controller.watches) {
        const list = this.#watches.get(watch.kind.resource) ?? [];
        list.push({ running, watch });
        this.#watches.set(watch.kind.resource, list);
      }
    }
  }

  /** The newest change that was read. */
  get cursor(): number {
    return this.#cursor;
  }

  get isCaughtUp(): boolean {
    return this.#cursor >= this.#options.registry.store.revision;
  }

  /**
   * Reads changes up to the revision `upTo`, or until their mapping has cost `most` typical reconciles. Returns the cost. The rest is due
   * at once.
   */
  readChanges(most = Number.POSITIVE_INFINITY, upTo = Number.POSITIVE_INFINITY): number {
    const { store } = this.#options.registry;
    const before = store.meter.spent;
    const cost = () => (store.meter.spent - before) / limits.typicalReconcileWork;
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
    const { budget, onRequest, report } = this.#options;
    for (const { running, watch } of this.#watchesOf(resource)) {
      const { name: controller } = running.controller;
      try {
        budget.map(() => {
          for (const { namespace, name } of watch.requests(next, previous, running.client, running.memory))
            onRequest({ controller, namespace, name }, reactsTo);
        });
      } catch (error) {
        // A bug in one mapping must not block the informer, which would read the same change again and again.
        report(error, `${controller}: requests of a change in ${resource}`);
      }
    }
  }

  /**
   * Returns the watches of a resource. Watches of a kind that was added at run time stay after the kind is removed, because its last
   * changes may be read later.
   */
  #watchesOf(resource: string): readonly RunningWatch[] {
    const builtInWatches = this.#watches.get(resource);
    if (builtInWatches) return builtInWatches;
    const { registry, controllers } = this.#options;
    const kind = registry.catalogue.stored(resource);
    const added = this.#added.get(resource);
    if (!kind || added?.kind === kind) return added?.watches ?? [];
    const watches = [...controllers.all()].flatMap((running) =>
      (running.controller.watchesOf?.(kind) ?? []).map((watch) => ({ running, watch })),
    );
    this.#added.set(resource, { kind, watches });
    return watches;
  }

  /** Resyncs after the cursor was compacted: maps every object once, as an informer does after a relist. */
  *#resyncAll(): Generator<void, void, void> {
    const { registry, controllers } = this.#options;
    const { store } = registry;
    const revision = store.revision;
    // The controllers' memory lacks the changes that were skipped.
    controllers.resetMemory();
    const added = registry.catalogue.storedKinds().map((kind) => kind.resource);
    for (const resource of new Set([...this.#watches.keys(), ...added])) {
      for (const object of store.list({ resource })) {
        this.#notify(resource, object, undefined, Number(object.metadata.resourceVersion));
        yield;
      }
    }
    this.#cursor = revision;
  }
}
