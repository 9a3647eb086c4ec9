// The controllers of a cluster while it is open: each with its client, its event recorder and its memory.
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Client } from "../registry/client.ts";
import { localClient } from "../registry/local-client.ts";
import type { Registry } from "../registry/registry.ts";
import type { Controller } from "./controller.ts";
import { eventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./events.ts";
import type { ReconcileBudget } from "./reconcile-budget.ts";

export interface RunningController {
  readonly controller: Controller;
  readonly client: Client;
  readonly event: EventRecorder;
  /** The controller's in-memory state of this cluster. It is never saved, and created anew when the cluster is opened. */
  memory: unknown;
}

/** The reason of a controller's writes. The change log stores it as a part of the cause of each write (`store/cause.ts`). */
export interface Cause {
  /** The request that is reconciled: `deployment-controller:default/web`. */
  readonly origin: string;
  /** The newest change that triggered the request; 0 if no change did. */
  readonly reactsTo: number;
}

export interface RunningControllersOptions {
  readonly registry: Registry;
  readonly controllers: readonly Controller[];
  /** The kind of the recorded events. */
  readonly events: Kind<Event>;
  readonly budget: ReconcileBudget;
}

export class RunningControllers {
  readonly #byName: ReadonlyMap<string, RunningController>;
  #cause: Cause = { origin: "", reactsTo: 0 };

  constructor({ controllers, ...options }: RunningControllersOptions) {
    this.#byName = new Map(controllers.map((controller) => [controller.name, this.#start(controller, options)]));
  }

  get(name: string): RunningController | undefined {
    return this.#byName.get(name);
  }

  all(): Iterable<RunningController> {
    return this.#byName.values();
  }

  /** Attributes the writes that follow to a request. */
  actFor(cause: Cause): void {
    this.#cause = cause;
  }

  /** Creates the memory of all controllers anew. */
  resetMemory(): void {
    for (const running of this.all()) running.memory = running.controller.memory?.();
  }

  #start(
    controller: Controller,
    { registry, events, budget }: Omit<RunningControllersOptions, "controllers">,
  ): RunningController {
    const user = {
      name: controller.user ?? `system:serviceaccount:kube-system:${controller.name}`,
      groups: controller.user
        ? ["system:authenticated"]
        : ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
    };
    const manager = managerOf(controller);
    const actor = () => ({ user, manager, ...this.#cause });
    const beforeRead = () => budget.checkRead();
    const beforeWrite = controller.isNeverStopped ? undefined : () => budget.checkWrite();
    const client = localClient(registry, { actor, beforeRead, beforeWrite });
    // Events are recorded through a client without bounds, so that a reconcile can report why it ends.
    const event = eventRecorder(localClient(registry, { actor }), events, controller.component, () =>
      registry.clock.nowMs(),
    );
    return { controller, client, event, memory: controller.memory?.() };
  }
}

/** Returns the field manager that the component has in a stock cluster. */
function managerOf({ user = "" }: Controller): string {
  if (user.startsWith("system:node:")) return "kubelet";
  if (user === "system:kube-scheduler") return "kube-scheduler";
  return user === "system:apiserver" ? "kube-apiserver" : "kube-controller-manager";
}
