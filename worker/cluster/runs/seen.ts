// What a working-out has looked at in the cluster: a client, and what people did in containers, that note each look. What is noted is
// enough to tell which change makes the result another: an object, a collection in a namespace or in all, or anything at all.
import type { PersonalEdits } from "../../node/options.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import type { Change } from "../../store/change.ts";
import type { KeptEdits } from "../kept-edits.ts";

/** Keys of what was looked at. */
export type Seen = Set<string>;

const anything = "*";

export function seeingClient(client: Client, seen: Seen): Client {
  const all = (kind: Kind) => void seen.add(kind.computed ? anything : kind.resource);
  const within = (kind: Kind, namespace: string) =>
    void seen.add(kind.computed ? anything : `${kind.resource}/${namespace}`);
  const noted = <A extends unknown[], R>(read: (...args: A) => R, note: (...args: A) => void) => {
    return (...args: A): R => {
      note(...args);
      return read(...args);
    };
  };
  return {
    ...client,
    get: (kind, namespace, name) => {
      seen.add(kind.computed ? anything : objectKey(kind.resource, namespace, name));
      return client.get(kind, namespace, name);
    },
    list: (kind, query) => {
      if (query?.namespace === undefined) all(kind);
      else within(kind, query.namespace);
      return client.list(kind, query);
    },
    each: (kind, query) => {
      if (query?.namespace === undefined) all(kind);
      else within(kind, query.namespace);
      return client.each(kind, query);
    },
    beginningWith: (kind, namespace, prefix) => {
      within(kind, namespace);
      return client.beginningWith(kind, namespace, prefix);
    },
    count: noted(client.count, all),
    controlledBy: (kind, uid) => {
      all(kind);
      return client.controlledBy(kind, uid);
    },
    byIndexValue: (kind, indexValue) => {
      all(kind);
      return client.byIndexValue(kind, indexValue);
    },
    indexValues: noted(client.indexValues, all),
    // What these read is many things: roles and bindings, definitions of kinds, objects of all of them.
    dependents: noted(client.dependents, () => void seen.add(anything)),
    kindOf: noted(client.kindOf, () => void seen.add(anything)),
    kindAt: noted(client.kindAt, () => void seen.add(anything)),
    decide: noted(client.decide, () => void seen.add(anything)),
    kinds: noted(client.kinds, () => void seen.add(anything)),
  };
}

export function seeingEdits(edits: KeptEdits, seen: Seen): PersonalEdits {
  return {
    of: (pod, container) => {
      for (const key of edits.keysOf(pod, container)) seen.add(key);
      return edits.of(pod, container);
    },
    typed: (pod, container) => {
      for (const key of edits.keysOf(pod, container)) seen.add(key);
      return edits.typed(pod, container);
    },
    version: (pod) => edits.version(pod),
  };
}

export function objectKey(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/** Who has looked at what, to be told when it changes. */
export class Lookers {
  readonly #byKey = new Map<string, Set<string>>();
  readonly #seen = new Map<string, ReadonlySet<string>>();

  /** Takes the place of what the looker had looked at before. */
  add(looker: string, seen: ReadonlySet<string>): void {
    this.remove(looker);
    this.#seen.set(looker, seen);
    for (const key of seen) {
      const lookers = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, lookers.add(looker));
    }
  }

  remove(looker: string): void {
    for (const key of this.#seen.get(looker) ?? []) {
      const lookers = this.#byKey.get(key);
      if (lookers?.delete(looker) && lookers.size === 0) this.#byKey.delete(key);
    }
    this.#seen.delete(looker);
  }

  /** Those that have looked at what was changed. */
  ofChange({ resource, namespace, name }: Change): readonly string[] {
    if (this.#seen.size === 0) return [];
    return [anything, resource, `${resource}/${namespace}`, objectKey(resource, namespace, name)].flatMap((key) =>
      this.ofKey(key),
    );
  }

  ofKey(key: string): readonly string[] {
    return [...(this.#byKey.get(key) ?? [])];
  }
}
