// Records what a computation reads from the cluster, with a client and a source of edits that record each read. A key names an object, a collection
// of one or all namespaces, or everything. The keys determine which changes make the result invalid.
import type { Attributes, Decision, UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { PersonalEdits } from "../../containers/cri.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client, ListQuery, Moment } from "../../registry/client.ts";
import { DelegatingClient } from "../../registry/delegating-client.ts";
import type { Change } from "../../store/change.ts";
import type { KeptEdits } from "../kept-edits.ts";

/** The keys of what a computation has read. */
export type ReadKeys = Set<string>;

const anything = "*";

export function trackingClient(client: Client, readKeys: ReadKeys): Client {
  return new TrackingClient(client, readKeys);
}

class TrackingClient extends DelegatingClient {
  readonly #readKeys: ReadKeys;

  constructor(client: Client, readKeys: ReadKeys) {
    super(client);
    this.#readKeys = readKeys;
  }

  override get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    this.#readKeys.add(kind.computed ? anything : objectKey(kind.resource, namespace, name));
    return super.get(kind, namespace, name);
  }

  override list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[] {
    this.#trackCollection(kind, query?.namespace);
    return super.list(kind, query);
  }

  override each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    this.#trackCollection(kind, query?.namespace);
    return super.each(kind, query);
  }

  override beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[] {
    this.#trackCollection(kind, namespace);
    return super.beginningWith(kind, namespace, prefix);
  }

  override count<T extends KubeObject>(kind: Kind<T>): number {
    this.#trackCollection(kind);
    return super.count(kind);
  }

  override controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    this.#trackCollection(kind);
    return super.controlledBy(kind, ownerUid);
  }

  override orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T> {
    this.#trackCollection(kind, namespace);
    return super.orphans(kind, namespace);
  }

  override named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[] {
    this.#trackCollection(kind);
    return super.named(kind, name);
  }

  override byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    this.#trackCollection(kind);
    return super.byIndexValue(kind, indexValue);
  }

  override indexValues<T extends KubeObject>(
    kind: Kind<T>,
  ): readonly { readonly name: string; readonly indexValue: string }[] {
    this.#trackCollection(kind);
    return super.indexValues(kind);
  }

  // These methods read many kinds: roles and bindings, definitions of kinds, or objects of all kinds.

  override dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }> {
    this.#readKeys.add(anything);
    return super.dependents(ownerUid);
  }

  override kindOf(apiVersion: string, kind: string): Kind | undefined {
    this.#readKeys.add(anything);
    return super.kindOf(apiVersion, kind);
  }

  override kindAt(apiVersion: string, plural: string): Kind | undefined {
    this.#readKeys.add(anything);
    return super.kindAt(apiVersion, plural);
  }

  override decide(user: UserInfo, attributes: Attributes): Decision {
    this.#readKeys.add(anything);
    return super.decide(user, attributes);
  }

  override kinds(): readonly Kind[] {
    this.#readKeys.add(anything);
    return super.kinds();
  }

  /** Records reads of the past like reads of the present, because a write changes which revision belongs to a moment. */
  override at(atMs: number, through: Client = this): Moment {
    return super.at(atMs, through);
  }

  override writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[] {
    this.#readKeys.add(objectKey(kind.resource, namespace, name));
    return super.writesOf(kind, namespace, name, afterMs);
  }

  #trackCollection(kind: Kind, namespace?: string): void {
    const collection = namespace === undefined ? kind.resource : `${kind.resource}/${namespace}`;
    this.#readKeys.add(kind.computed ? anything : collection);
  }
}

export function trackingEdits(edits: KeptEdits, readKeys: ReadKeys): PersonalEdits {
  return {
    of: (pod, container) => {
      for (const key of edits.keysOf(pod, container)) readKeys.add(key);
      return edits.of(pod, container);
    },
    recordedLog: (pod, container, startMs) => {
      for (const key of edits.keysOf(pod, container)) readKeys.add(key);
      return edits.recordedLog(pod, container, startMs);
    },
    typed: (pod, container) => {
      for (const key of edits.keysOf(pod, container)) readKeys.add(key);
      return edits.typed(pod, container);
    },
    version: (pod) => edits.version(pod),
  };
}

export function objectKey(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}

/** An index from the keys that were read to the results that depend on them. */
export class DependencyIndex {
  readonly #byKey = new Map<string, Set<string>>();
  readonly #readKeys = new Map<string, ReadonlySet<string>>();

  /** Sets the keys of a dependent, in place of its earlier keys. */
  add(dependent: string, readKeys: ReadonlySet<string>): void {
    this.remove(dependent);
    this.#readKeys.set(dependent, readKeys);
    for (const key of readKeys) {
      const dependents = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, dependents.add(dependent));
    }
  }

  remove(dependent: string): void {
    for (const key of this.#readKeys.get(dependent) ?? []) {
      const dependents = this.#byKey.get(key);
      if (dependents?.delete(dependent) && dependents.size === 0) this.#byKey.delete(key);
    }
    this.#readKeys.delete(dependent);
  }

  /** Returns the dependents of a changed object. */
  ofChange({ resource, namespace, name }: Change): readonly string[] {
    if (this.#readKeys.size === 0) return [];
    return [anything, resource, `${resource}/${namespace}`, objectKey(resource, namespace, name)].flatMap((key) =>
      this.ofKey(key),
    );
  }

  ofKey(key: string): readonly string[] {
    return [...(this.#byKey.get(key) ?? [])];
  }
}
