// A simple model of a store with several resources: all past states and all changes.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type Key, keyText } from "../../worker/store/index-by-owner.ts";
import type { Store } from "../../worker/store/store.ts";

/** Resources of which several have objects with the same name and namespace. The last has none. */
export const resources = ["configmaps", "secrets", "deployments.apps", "nodes"] as const;

/** An object of the model: `resource/namespace/name` and its value. */
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
  /** The state at each revision by key. Revision 0 is empty. */
  readonly #states: ReadonlyMap<string, Said>[] = [new Map()];
  readonly #changes: Happened[] = [];

  get revision(): number {
    return this.#changes.length;
  }

  get(key: Key): Said | undefined {
    return this.#now().get(keyText(key));
  }

  put(object: Said): void {
    const before = this.get(object.key)?.says;
    const type = before === undefined ? "ADDED" : "MODIFIED";
    this.#happened({ key: object.key, type, says: object.says, before }, (next) =>
      next.set(keyText(object.key), object),
    );
  }

  remove(key: Key): void {
    const says = this.get(key)?.says ?? "";
    this.#happened({ key, type: "DELETED", says, before: says }, (next) => next.delete(keyText(key)));
  }

  /** Returns the objects of a resource at a revision, in key order. `namespace` undefined: all. */
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
      .filter(({ owners }) => owners.some((owner) => marks.includes(owner)))
      .map(({ key }) => keyText(key))
      .sort();
  }

  byIndexValue(resource: string, indexValue: string): string[] {
    return this.at(this.revision, resource)
      .filter((object) => object.indexValue === indexValue)
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

/** Returns the changes of a store in the form of `StoreModel.changesAfter`. */
export function changeTexts(changes: ReturnType<Store["changesSince"]>): string[] {
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
