// What a working-out has looked at in the cluster: a client, and what people did in containers, that note each look. What is noted is
// enough to tell which change makes the result another: an object, a collection in a namespace or in all, or anything at all.
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import type { Features } from "../../../shared/k8s/settings/feature-gates.ts";
import type { ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Attributes, Decision, UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { DeleteQuery } from "../../../shared/k8s/delete-options.ts";
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import type { PersonalEdits } from "../../node/options.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client, ListQuery } from "../../registry/client.ts";
import type { Change } from "../../store/change.ts";
import type { KeptEdits } from "../kept-edits.ts";

/** Keys of what was looked at. */
export type Seen = Set<string>;

const anything = "*";

export function seeingClient(client: Client, seen: Seen): Client {
  return new SeeingClient(client, seen);
}

class SeeingClient implements Client {
  readonly #client: Client;
  readonly #seen: Seen;

  constructor(client: Client, seen: Seen) {
    this.#client = client;
    this.#seen = seen;
  }

  /** This and the next never change. */
  get network(): ClusterNetwork {
    return this.#client.network;
  }

  get features(): Features {
    return this.#client.features;
  }

  get meter(): WorkMeter {
    return this.#client.meter;
  }

  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    this.#seen.add(kind.computed ? anything : objectKey(kind.resource, namespace, name));
    return this.#client.get(kind, namespace, name);
  }

  list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[] {
    this.#saw(kind, query?.namespace);
    return this.#client.list(kind, query);
  }

  each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    this.#saw(kind, query?.namespace);
    return this.#client.each(kind, query);
  }

  beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[] {
    this.#saw(kind, namespace);
    return this.#client.beginningWith(kind, namespace, prefix);
  }

  count<T extends KubeObject>(kind: Kind<T>): number {
    this.#saw(kind);
    return this.#client.count(kind);
  }

  controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    this.#saw(kind);
    return this.#client.controlledBy(kind, ownerUid);
  }

  orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T> {
    this.#saw(kind, namespace);
    return this.#client.orphans(kind, namespace);
  }

  named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[] {
    this.#saw(kind);
    return this.#client.named(kind, name);
  }

  byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    this.#saw(kind);
    return this.#client.byIndexValue(kind, indexValue);
  }

  indexValues<T extends KubeObject>(kind: Kind<T>): readonly { readonly name: string; readonly indexValue: string }[] {
    this.#saw(kind);
    return this.#client.indexValues(kind);
  }

  // What these read is many things: roles and bindings, definitions of kinds, objects of all of them.

  dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }> {
    this.#seen.add(anything);
    return this.#client.dependents(ownerUid);
  }

  kindOf(apiVersion: string, kind: string): Kind | undefined {
    this.#seen.add(anything);
    return this.#client.kindOf(apiVersion, kind);
  }

  kindAt(apiVersion: string, plural: string): Kind | undefined {
    this.#seen.add(anything);
    return this.#client.kindAt(apiVersion, plural);
  }

  decide(user: UserInfo, attributes: Attributes): Decision {
    this.#seen.add(anything);
    return this.#client.decide(user, attributes);
  }

  kinds(): readonly Kind[] {
    this.#seen.add(anything);
    return this.#client.kinds();
  }

  create<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.#client.create(kind, draft);
  }

  update<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.#client.update(kind, draft);
  }

  updateSubresource<T extends KubeObject>(kind: Kind<T>, subresource: string, draft: Draft<T>): T {
    return this.#client.updateSubresource(kind, subresource, draft);
  }

  updateStatus<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.#client.updateStatus(kind, draft);
  }

  delete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): void {
    this.#client.delete(kind, namespace, name, query);
  }

  tryDelete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): boolean {
    return this.#client.tryDelete(kind, namespace, name, query);
  }

  act<T extends KubeObject>(kind: Kind<T>, subresource: string, namespace: string, name: string, body: unknown): void {
    this.#client.act(kind, subresource, namespace, name, body);
  }

  bind(namespace: string, podName: string, podUid: string, nodeName: string): void {
    this.#client.bind(namespace, podName, podUid, nodeName);
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
