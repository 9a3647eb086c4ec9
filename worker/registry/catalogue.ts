// The kinds that a cluster serves, found by what a request or a reference says of them. Those of Kubernetes itself are fixed;
// those that definitions add come and go.
import type { Kind } from "../kinds/kind.ts";

export class Catalogue {
  readonly #builtIn: readonly Kind[];
  /** By the definition that they come from. */
  readonly #added = new Map<string, { readonly kinds: readonly Kind[]; readonly stored: Kind | undefined }>();
  readonly #byPath = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind>();
  readonly #stored = new Map<string, Kind>();
  readonly #versions = new Map<string, readonly Kind[]>();
  readonly #listeners: ((resource: string) => void)[] = [];
  #kinds: readonly Kind[] | undefined;

  constructor(kinds: readonly Kind[]) {
    this.#builtIn = kinds;
    this.#index(kinds);
  }

  /** All of them. The same list as long as nothing changes, so that what is made of it can be kept with it. */
  get kinds(): readonly Kind[] {
    const added = () => [...this.#added.values()].flatMap(({ kinds }) => kinds);
    this.#kinds ??= this.#added.size === 0 ? this.#builtIn : [...this.#builtIn, ...added()];
    return this.#kinds;
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

  /** The versions of one kind, itself among them; they share what is stored. */
  versionsOf(kind: Kind): readonly Kind[] {
    return this.#versions.get((kind.conversion?.hub ?? kind).resource) ?? [kind];
  }

  /** Kinds that a definition brings, in place of those it brought before. `stored` stands for what they store, served or not. */
  put(definition: string, kinds: readonly Kind[], stored: Kind | undefined): void {
    this.remove(definition);
    this.#added.set(definition, { kinds, stored });
    this.#kinds = undefined;
    if (stored && !this.#stored.has(stored.resource)) this.#stored.set(stored.resource, stored);
    this.#index(kinds);
  }

  remove(definition: string): void {
    const added = this.#added.get(definition);
    if (!added) return;
    this.#added.delete(definition);
    this.#kinds = undefined;
    const { kinds, stored } = added;
    if (stored) forget(this.#stored, stored.resource, stored);
    for (const kind of kinds) {
      forget(this.#byPath, `${kind.apiVersion}/${kind.plural}`, kind);
      forget(this.#byKind, `${kind.apiVersion}/${kind.kind}`, kind);
      forget(this.#stored, kind.resource, kind);
      this.#versions.delete(kind.resource);
    }
  }

  /** Called with the resource (`widgets.example.com`) whose kinds are not any more what they were: watches of them end. */
  onReplaced(listener: (resource: string) => void): void {
    this.#listeners.push(listener);
  }

  replaced(resource: string): void {
    for (const listener of this.#listeners) listener(resource);
  }

  #index(kinds: readonly Kind[]): void {
    for (const kind of kinds) {
      this.#byPath.set(`${kind.apiVersion}/${kind.plural}`, kind);
      this.#byKind.set(`${kind.apiVersion}/${kind.kind}`, kind);
      if (isStored(kind) && !this.#stored.has(kind.resource)) this.#stored.set(kind.resource, kind);
      const resource = (kind.conversion?.hub ?? kind).resource;
      this.#versions.set(resource, [...(this.#versions.get(resource) ?? []), kind]);
    }
  }
}

function forget(map: Map<string, Kind>, key: string, kind: Kind): void {
  if (map.get(key) === kind) map.delete(key);
}

/** Reviews are answered and forgotten, and what is computed is made up anew. */
function isStored(kind: Kind): boolean {
  return !kind.conversion?.hub && !kind.computed && kind.verbs.includes("list");
}
