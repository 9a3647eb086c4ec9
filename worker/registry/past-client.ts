// A client that reads the state of the cluster at a past time. Objects whose changes are no longer in the log are read as they are now.
import { getControllerOf, type KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Store } from "../store/store.ts";
import { compareText } from "../store/range.ts";
import type { Client, ListQuery } from "./client.ts";
import { DelegatingClient } from "./delegating-client.ts";
import { fromStorage, keyFor } from "./registry.ts";

export class PastClient extends DelegatingClient {
  readonly #store: Store;
  readonly #atMs: number;

  /** `current` reads the current state. It counts the reads, and records them for callers that track dependencies. */
  constructor(current: Client, store: Store, atMs: number) {
    super(current);
    this.#store = store;
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

  /** Replaces objects that were written since then by their past states. */
  #replaceByPastStates<T extends KubeObject>(
    kind: Kind<T>,
    current: readonly T[],
    isWanted: (object: T) => boolean,
  ): readonly T[] {
    const written = kind.computed ? [] : this.#store.objectHistory.writtenSince(kind.resource, this.#atMs);
    if (written.length === 0) return current;
    const past = written
      .map(({ revision }) => this.#read(kind, revision))
      .filter((object) => object !== undefined && isWanted(object));
    const keys = new Set(written.map(({ key }) => `${key.namespace}/${key.name}`));
    const unchanged = current.filter(({ metadata }) => !keys.has(`${metadata.namespace ?? ""}/${metadata.name ?? ""}`));
    return [...unchanged, ...past].filter((object) => object !== undefined).sort(compareKeys);
  }

  #read<T extends KubeObject>(kind: Kind<T>, revision: number | undefined): T | undefined {
    const stored = revision === undefined ? undefined : this.#store.objectAt(revision);
    return stored && fromStorage(kind, stored);
  }
}

function compareKeys(
  { metadata: a }: Pick<KubeObject, "metadata">,
  { metadata: b }: Pick<KubeObject, "metadata">,
): number {
  return compareText(a.namespace ?? "", b.namespace ?? "") || compareText(a.name ?? "", b.name ?? "");
}
