// A client that reads the state of the cluster at a past time. Objects whose changes are no longer in the log are read as they are now.
//
// Only the reads that runs of containers need have a past. The others that read objects throw, since their indexes are of the present.
// `count`, by which readers estimate their work, and the served kinds are those of the present.
import { getControllerOf, type KubeObject } from "../../shared/k8s/meta.ts";
import type { Attributes, Authorizer, Decision, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Key } from "../store/index-by-owner.ts";
import type { Store } from "../store/store.ts";
import { compareText } from "../store/range.ts";
import type { Client, ListQuery } from "./client.ts";
import { DelegatingClient } from "./delegating-client.ts";
import { fromStorage, keyFor, type Registry } from "./registry.ts";

export class PastClient extends DelegatingClient {
  readonly #store: Store;
  readonly #presentAuthorizer: Authorizer;
  #authorizer: Pick<Authorizer, "decide"> | undefined;
  readonly #atMs: number;

  /** `current` reads the current state. It counts the reads, and records them for callers that track dependencies. */
  constructor(current: Client, { store, authorizer }: Pick<Registry, "store" | "authorizer">, atMs: number) {
    super(current);
    this.#store = store;
    this.#presentAuthorizer = authorizer;
    this.#atMs = atMs;
  }

  override get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    const current = super.get(kind, namespace, name);
    if (kind.computed) return current;
    const state = this.#store.objectHistory.stateOf(keyFor(kind, namespace, name), this.#atMs);
    return state === "current" ? current : this.#read(kind, state.revision);
  }

  override list<T extends KubeObject>(kind: Kind<T>, query: ListQuery = {}): readonly T[] {
    const { namespace, labels, after } = query;
    return this.#replaceByPastStates(kind, super.list(kind, query), (object) => {
      const { metadata } = object;
      if (namespace !== undefined && metadata.namespace !== namespace) return false;
      return (!labels || labels.matches(metadata.labels)) && (!after || compareKeys(object, { metadata: after }) > 0);
    });
  }

  override each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    return this.list(kind, query);
  }

  override controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    const isControlled = (object: T) => getControllerOf(object)?.uid === ownerUid;
    return this.#replaceByPastStates(kind, super.controlledBy(kind, ownerUid), isControlled);
  }

  override byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    const hasValue = (object: T) => kind.indexValue?.(object) === indexValue;
    return this.#replaceByPastStates(kind, super.byIndexValue(kind, indexValue), hasValue);
  }

  /** Authorizes by the roles and bindings of the time. */
  override decide(user: UserInfo, attributes: Attributes): Decision {
    // The present decision only records the read.
    super.decide(user, attributes);
    this.#authorizer ??= this.#presentAuthorizer.ofPast({
      get: (key) => this.#storedState(key),
      list: (query) => this.#storedStates(query.resource),
    });
    return this.#authorizer.decide(user, attributes);
  }

  override controlledNames(): never {
    return noPastOf("controlledNames");
  }

  override orphans(): never {
    return noPastOf("orphans");
  }

  override dependents(): never {
    return noPastOf("dependents");
  }

  override named(): never {
    return noPastOf("named");
  }

  override indexValues(): never {
    return noPastOf("indexValues");
  }

  override beginningWith(): never {
    return noPastOf("beginningWith");
  }

  /** Replaces objects that were written since then by their past states. */
  #replaceByPastStates<T extends KubeObject>(
    kind: Kind<T>,
    current: readonly T[],
    isWanted: (object: T) => boolean,
  ): readonly T[] {
    const written = kind.computed ? [] : this.#store.objectHistory.writtenSince(kind.resource, this.#atMs);
    if (written.length === 0) return current;
    const past = written.flatMap(({ revision }) => {
      const object = this.#read(kind, revision);
      return object && isWanted(object) ? [object] : [];
    });
    const keys = new Set(written.map(({ key }) => `${key.namespace}/${key.name}`));
    const unchanged = current.filter((object) => !keys.has(nameKey(object)));
    return [...unchanged, ...past].sort(compareKeys);
  }

  #storedState(key: Key): KubeObject | undefined {
    const state = this.#store.objectHistory.stateOf(key, this.#atMs);
    if (state === "current") return this.#store.get(key);
    return state.revision === undefined ? undefined : this.#store.objectAt(state.revision);
  }

  /** Returns the stored objects of a resource as of the time, in the order of their keys. */
  #storedStates(resource: string): readonly KubeObject[] {
    const written = this.#store.objectHistory.writtenSince(resource, this.#atMs);
    const keys = new Set(written.map(({ key }) => `${key.namespace}/${key.name}`));
    const unchanged = [...this.#store.list({ resource })].filter((object) => !keys.has(nameKey(object)));
    const past = written.flatMap(({ revision }) => (revision === undefined ? [] : [this.#store.objectAt(revision)]));
    return [...unchanged, ...past].sort(compareKeys);
  }

  #read<T extends KubeObject>(kind: Kind<T>, revision: number | undefined): T | undefined {
    const stored = revision === undefined ? undefined : this.#store.objectAt(revision);
    return stored && fromStorage(kind, stored);
  }
}

/** Fails, because the store has no index of the past for this read. */
function noPastOf(read: string): never {
  throw new Error(`a client of the past has no ${read}`);
}

function nameKey({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function compareKeys(
  { metadata: a }: Pick<KubeObject, "metadata">,
  { metadata: b }: Pick<KubeObject, "metadata">,
): number {
  return compareText(a.namespace ?? "", b.namespace ?? "") || compareText(a.name ?? "", b.name ?? "");
}
