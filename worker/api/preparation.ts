// Drafts that take long to prepare: a later turn of the request stores them.
import { limits } from "../../shared/base/limits.ts";
import { AnotherTurn } from "../../shared/k8s/outbound-call.ts";
import type { ApiRequest } from "./api-request.ts";

interface Prepared<T> {
  readonly draft: T;
  /** The resource version of the object that the draft is based on; "" for none. */
  readonly version: string;
  readonly warnings: readonly string[];
}

/** The preparation of one request's draft. */
export class Preparation<T> {
  #prepared: Prepared<T> | undefined;

  /**
   * Returns the draft of an earlier turn if it has the same version, otherwise prepares one. A draft can be used once. Throws `AnotherTurn`
   * if the preparation took long.
   */
  draft({ server, warnings }: ApiRequest, version = "", prepare: () => T): T {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared?.version === version) {
      warnings.push(...prepared.warnings);
      return prepared.draft;
    }
    const { meter } = server.registry.store;
    const before = meter.spent;
    const warned = warnings.length;
    const draft = prepare();
    if (!server.pause || meter.spent - before < limits.unpausedWork) return draft;
    this.#prepared = { draft, version, warnings: warnings.slice(warned) };
    throw new AnotherTurn();
  }
}
