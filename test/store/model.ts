// What a store of several kinds should answer, said in the plainest way: all states that ever were, and all changes.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type Key, keyText } from "../../worker/store/index-by-owner.ts";
import type { Store } from "../../worker/store/store.ts";

/** Kinds of which several have objects of the same name in the same namespace; the last has none. */
export const resources = ["configmaps", "secrets", "deployments.apps", "nodes"] as const;

/** An object as a test tells of it: `resource/namespace/name` and what it says. */
export interface Said {
  readonly key: Key;
  readonly says: string;
  readonly owners: readonly string[];
  readonly indexValue: string;
}

interface Happened {
  readonly key: Key;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly says: string;
  readonly before: string | undefined;
}

export class StoreModel {
  /** What was there at each revision, by key; at 0 nothing. */
  readonly #states: ReadonlyMap<string, Said>[] = [new Map()];
  readonly #changes: Happened[] = [];

  get revision(): number {
    return this.#changes.length;
  }

  get(key: Key): Said | undefined {
    return this.#now().get(keyText(key));
  }

  put(said: Said): void {
    const before = this.get(said.key)?.says;
    const type = before === undefined ? "ADDED" : "MODIFIED";
    this.#happened({ key: said.key, type, says: said.says, before }, (next) => next.set(keyText(said.key), said));
  }

  remove(key: Key): void {
    const says = this.get(key)?.says ?? "";
    this.#happened({ key, type: "DELETED", says, before: says }, (next) => next.delete(keyText(key)));
  }

  /** All of a resource at a revision, in key order; `namespace` undefined: in all. */
  at(revision: number, resource: string, namespace?: string): readonly Said[] {
    return [...(this.#states[revision]?.values() ?? [])]
      .filter(({ key }) => key.resource === resource && (namespace === undefined || key.namespace === namespace))
      .sort((a, b) => compare(a.key.namespace, b.key.namespace) || compare(a.key.name, b.key.name));
  }

  /** Undefined: of all resources. */
  changesAfter(revision: number, resource?: string): string[] {
    return this.#changes.flatMap((change, at) =>
      at >= revision && (resource === undefined || change.key.resource === resource)
        ? `${at + 1} ${change.type} ${keyText(change.key)} ${change.says} after ${change.before ?? "nothing"}`
        : [],
    );
  }

  ownedBy(uid: string, controller: boolean): string[] {
    const marks = controller ? [`!${uid}`] : [uid, `!${uid}`];
    return [...this.#now().values()]
      .filter(({ owners }) => owners.some((one) => marks.includes(one)))
      .map(({ key }) => keyText(key))
      .sort();
  }

  byIndexValue(resource: string, indexValue: string): string[] {
    return this.at(this.revision, resource)
      .filter((said) => said.indexValue === indexValue)
      .map(({ key }) => keyText(key))
      .sort();
  }

  #now(): ReadonlyMap<string, Said> {
    return this.#states[this.revision] ?? new Map();
  }

  #happened(change: Happened, apply: (next: Map<string, Said>) => void): void {
    const next = new Map(this.#now());
    apply(next);
    this.#states.push(next);
    this.#changes.push(change);
  }
}

/** The same words as `StoreModel.changesAfter`, of what a store tells. */
export function told(changes: ReturnType<Store["changesSince"]>): string[] {
  return changes.map(
    (change) =>
      `${change.revision} ${change.type} ${keyText(change)} ${says(change.object)} after ${change.previous ? says(change.previous) : "nothing"}`,
  );
}

export function objectOf({ key, says: text }: Said): KubeObject {
  const { namespace, name, resource } = key;
  return { apiVersion: "v1", kind: resource, metadata: { namespace, name, annotations: { says: text } } };
}

export function says(object: KubeObject): string {
  return object.metadata.annotations?.["says"] ?? "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
