// The kinds that a cluster serves, found by path, by kind or by stored resource. Built-in kinds are fixed. CustomResourceDefinitions add
// and remove kinds.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";

export class Catalogue {
  readonly #builtIn: readonly Kind[];
  readonly #variants: ReadonlyMap<Kind, Kind> | undefined;
  /** The added kinds by the name of their definition. */
  readonly #added = new Map<string, { readonly kinds: readonly Kind[]; readonly stored: Kind | undefined }>();
  readonly #byPath = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind>();
  readonly #stored = new Map<string, Kind>();
  readonly #versions = new Map<string, readonly Kind[]>();
  readonly #listeners: ((resource: string) => void)[] = [];
  #kinds: readonly Kind[] | undefined;

  /** `variants`: the kinds of an older release by those of the newest one. */
  constructor(kinds: readonly Kind[], variants?: ReadonlyMap<Kind, Kind>) {
    this.#builtIn = kinds;
    this.#variants = variants;
    this.#index(kinds);
  }

  /** All served kinds. The array stays the same until a kind changes, so callers can cache results by it. */
  get kinds(): readonly Kind[] {
    const added = () => [...this.#added.values()].flatMap(({ kinds }) => kinds);
    this.#kinds ??= this.#added.size === 0 ? this.#builtIn : [...this.#builtIn, ...added()];
    return this.#kinds;
  }

  /** Returns the kind as the cluster's release has it. Controllers name the kinds of the newest release. */
  ofRelease<T extends KubeObject>(kind: Kind<T>): Kind<T> {
    // A variant is a kind of the same objects.
    return (this.#variants?.get(kind) as Kind<T> | undefined) ?? kind;
  }

  /** Finds a kind by `apps/v1` and `deployments`. */
  byPath(apiVersion: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  /** Finds a kind by `apps/v1` and `Deployment`. */
  byKind(apiVersion: string, kind: string): Kind | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  /** Finds the kind that the store has under a resource: `deployments.apps`. */
  stored(resource: string): Kind | undefined {
    return this.#stored.get(resource);
  }

  /** Returns the kinds that have stored objects, each once. */
  storedKinds(): readonly Kind[] {
    return [...this.#stored.values()];
  }

  /** Returns all versions of a kind, which share their stored objects. */
  versionsOf(kind: Kind): readonly Kind[] {
    return this.#versions.get((kind.conversion?.hub ?? kind).resource) ?? [kind];
  }

  /** Replaces the kinds of a definition. `stored` is the kind of its stored objects, whether that version is served or not. */
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

  /** Registers a listener for changed kinds. It receives the resource (`widgets.example.com`), whose watches must end. */
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

/** Reports whether a kind has stored objects. Reviews and computed kinds have none. */
function isStored(kind: Kind): boolean {
  return !kind.conversion?.hub && !kind.computed && kind.verbs.includes("list");
}
