// What a working-out has looked at in the cluster: a client, and what people did in containers, that note each look. What is noted is
// enough to tell which change makes the result another: an object, a collection in a namespace or in all, or anything at all.
import type { Attributes, Decision, UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { PersonalEdits } from "../../containers/cri.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client, ListQuery, Moment } from "../../registry/client.ts";
import { DelegatingClient } from "../../registry/delegating-client.ts";
import type { Change } from "../../store/change.ts";
import type { KeptEdits } from "../kept-edits.ts";

/** Keys of what was looked at. */
export type Seen = Set<string>;

const anything = "*";

export function seeingClient(client: Client, seen: Seen): Client {
  return new SeeingClient(client, seen);
}

class SeeingClient extends DelegatingClient {
  readonly #seen: Seen;

  constructor(client: Client, seen: Seen) {
    super(client);
    this.#seen = seen;
  }

  override get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    this.#seen.add(kind.computed ? anything : objectKey(kind.resource, namespace, name));
    return super.get(kind, namespace, name);
  }

  override list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[] {
    this.#saw(kind, query?.namespace);
    return super.list(kind, query);
  }

  override each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    this.#saw(kind, query?.namespace);
    return super.each(kind, query);
  }

  override beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[] {
    this.#saw(kind, namespace);
    return super.beginningWith(kind, namespace, prefix);
  }

  override count<T extends KubeObject>(kind: Kind<T>): number {
    this.#saw(kind);
    return super.count(kind);
  }

  override controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    this.#saw(kind);
    return super.controlledBy(kind, ownerUid);
  }

  override orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T> {
    this.#saw(kind, namespace);
    return super.orphans(kind, namespace);
  }

  override named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[] {
    this.#saw(kind);
    return super.named(kind, name);
  }

  override byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    this.#saw(kind);
    return super.byIndexValue(kind, indexValue);
  }

  override indexValues<T extends KubeObject>(
    kind: Kind<T>,
  ): readonly { readonly name: string; readonly indexValue: string }[] {
    this.#saw(kind);
    return super.indexValues(kind);
  }

  // What these read is many things: roles and bindings, definitions of kinds, objects of all of them.

  override dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }> {
    this.#seen.add(anything);
    return super.dependents(ownerUid);
  }

  override kindOf(apiVersion: string, kind: string): Kind | undefined {
    this.#seen.add(anything);
    return super.kindOf(apiVersion, kind);
  }

  override kindAt(apiVersion: string, plural: string): Kind | undefined {
    this.#seen.add(anything);
    return super.kindAt(apiVersion, plural);
  }

  override decide(user: UserInfo, attributes: Attributes): Decision {
    this.#seen.add(anything);
    return super.decide(user, attributes);
  }

  override kinds(): readonly Kind[] {
    this.#seen.add(anything);
    return super.kinds();
  }

  /** The past does not change, but which past a moment has does: reads of it are noted as reads of the present. */
  override at(atMs: number, through: Client = this): Moment {
    return super.at(atMs, through);
  }

  override writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[] {
    this.#seen.add(objectKey(kind.resource, namespace, name));
    return super.writesOf(kind, namespace, name, afterMs);
  }

  #saw(kind: Kind, namespace?: string): void {
    const collection = namespace === undefined ? kind.resource : `${kind.resource}/${namespace}`;
    this.#seen.add(kind.computed ? anything : collection);
  }
}

export function seeingEdits(edits: KeptEdits, seen: Seen): PersonalEdits {
  return {
    of: (pod, container) => {
      for (const key of edits.keysOf(pod, container)) seen.add(key);
      return edits.of(pod, container);
    },
    recordedLog: (pod, container, startMs) => {
      for (const key of edits.keysOf(pod, container)) seen.add(key);
      return edits.recordedLog(pod, container, startMs);
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
