// The kinds that a cluster serves, found by what a request or a reference says of them.
import type { Kind } from "../kinds/kind.ts";

export class Catalogue {
  readonly kinds: readonly Kind[];
  readonly #byPath = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind>();
  readonly #stored = new Map<string, Kind>();

  constructor(kinds: readonly Kind[]) {
    this.kinds = kinds;
    for (const kind of kinds) {
      this.#byPath.set(`${kind.apiVersion}/${kind.plural}`, kind);
      this.#byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
      if (isStored(kind)) this.#stored.set(kind.resource, kind);
    }
  }

  /** By `apps/v1` and `deployments`. */
  byPath(apiVersion: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  /** By `apps/v1` and `Deployment`. */
  byKind(apiVersion: string, kind: string): Kind | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** The kind that the store keeps under a resource: `deployments.apps`. */
  stored(resource: string): Kind | undefined {
    return this.#stored.get(resource);
  }

  /** Kinds with objects of their own, each once. */
  storedKinds(): readonly Kind[] {
    return [...this.#stored.values()];
  }
}

/** Reviews are answered and forgotten, and what is computed is made up anew. */
function isStored(kind: Kind): boolean {
  return !kind.otherVersionOf && !kind.computed && kind.verbs.includes("list");
}
