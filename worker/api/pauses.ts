// Pauses in a request with much work, which let other work run.
import { limits } from "../../shared/base/limits.ts";
import type { ApiServer } from "./api-server.ts";

/** Counts the work of one request since its last pause. */
export class Pauses {
  readonly #server: ApiServer;
  #before: number;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#before = server.registry.store.meter.spent;
  }

  /** Pauses if the work since the last pause is long. Returns undefined if no pause is due. */
  next(): Promise<void> | undefined {
    const { pause, registry } = this.#server;
    if (!pause || registry.store.meter.spent - this.#before < limits.unpausedWork) return undefined;
    return this.#pause(pause);
  }

  async #pause(pause: () => Promise<void>): Promise<void> {
    await pause();
    this.#before = this.#server.registry.store.meter.spent;
  }
}
