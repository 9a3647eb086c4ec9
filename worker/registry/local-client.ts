// The client of controllers. Its writes take the same steps as a user's request, with the controller's identity.
//
// Its writes are not authorized. Authorization is a step of the API's chain (`withAuthorization` in worker/api/handler.ts). Controllers are
// code of this project, and tenants cannot make them do more than their objects request. The bootstrap roles of controllers are still those
// of upstream, so reviews and escalation checks use them. An edit of these roles does not stop a controller, and a controller's write does
// not read them.
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Attributes, Decision, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import { type Draft, getControllerOf, type KubeObject } from "../../shared/k8s/meta.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Key } from "../store/index-by-owner.ts";
import { act } from "./act.ts";
import type { Client, ListQuery, Moment } from "./client.ts";
import { audited } from "./audit.ts";
import type { LocalWrite } from "./local-write.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { PastClient } from "./past-client.ts";
import { type Actor, type ApiServerState, keyFor, read, readsOf, type Registry, fromStorage } from "./registry.ts";
import { update } from "./update.ts";

export interface LocalClientOptions {
  /** Returns the actor of a write. Called for each write, since the origin differs between reconciles. */
  readonly actor: () => Actor;
  /** Throws if too much has been read. Called before each read that loads objects. Default: no bound. */
  readonly beforeRead?: (() => void) | undefined;
  /** Throws if no write may start now. Default: writes may always start. */
  readonly beforeWrite?: (() => void) | undefined;
}

export function localClient(registry: Registry, options: LocalClientOptions): Client {
  return new LocalClient(registry, options);
}

/** A class, so that the hundreds of clients of each open cluster share their methods. */
class LocalClient implements Client {
  readonly #registry: Registry;
  readonly #options: LocalClientOptions;

  constructor(registry: Registry, options: LocalClientOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  get network(): ClusterNetwork {
    return this.#registry.network;
  }

  get features(): Features {
    return this.#registry.features;
  }

  get release(): Release {
    return this.#registry.release;
  }

  get apiServer(): ApiServerState | undefined {
    return this.#registry.apiServer;
  }

  get meter(): WorkMeter {
    return this.#registry.store.meter;
  }

  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    this.#options.beforeRead?.();
    return read(this.#registry, kind, namespace, name);
  }

  list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[] {
    return [...this.each(kind, query)];
  }

  each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    this.#options.beforeRead?.();
    return each(this.#registry, kind, query);
  }

  count<T extends KubeObject>(kind: Kind<T>): number {
    return this.#registry.store.size(kind.resource);
  }

  controlledBy<T extends KubeObject>(kind: Kind<T>, uid: string): readonly T[] {
    this.#options.beforeRead?.();
    return readKeys(this.#registry, kind, this.#registry.store.ownedBy(uid, true));
  }

  controlledNames<T extends KubeObject>(kind: Kind<T>, uid: string): readonly Key[] {
    return this.#registry.store.ownedBy(uid, true).filter(({ resource }) => resource === kind.resource);
  }

  orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T> {
    this.#options.beforeRead?.();
    // Undefined if there are many: then the whole namespace is read.
    const keys = this.#registry.store.uncontrolled(kind.resource, namespace);
    return keys ? readKeys(this.#registry, kind, keys) : uncontrolled(each(this.#registry, kind, { namespace }));
  }

  byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    this.#options.beforeRead?.();
    return readKeys(this.#registry, kind, this.#registry.store.byIndexValue(kind.resource, indexValue));
  }

  indexValues<T extends KubeObject>(kind: Kind<T>): readonly { readonly name: string; readonly indexValue: string }[] {
    return this.#registry.store.indexValues(kind.resource);
  }

  beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[] {
    this.#options.beforeRead?.();
    return readKeys(this.#registry, kind, this.#registry.store.beginningWith(kind.resource, namespace, prefix));
  }

  dependents(uid: string): Iterable<{ kind: Kind; object: KubeObject }> {
    this.#options.beforeRead?.();
    return dependents(this.#registry, uid);
  }

  named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[] {
    this.#options.beforeRead?.();
    return readKeys(this.#registry, kind, this.#registry.store.named(kind.resource, name));
  }

  kindOf(apiVersion: string, kind: string): Kind | undefined {
    return this.#registry.catalogue.byKind(apiVersion, kind);
  }

  kindAt(apiVersion: string, plural: string): Kind | undefined {
    return this.#registry.catalogue.byPath(apiVersion, plural);
  }

  decide(user: UserInfo, attributes: Attributes): Decision {
    return this.#registry.authorizer.decide(user, attributes);
  }

  at(atMs: number, through: Client = this): Moment {
    const { store } = this.#registry;
    const { objectHistory } = store;
    if (objectHistory.isCurrent(atMs)) return { client: through, untilMs: Number.POSITIVE_INFINITY };
    return {
      client: new PastClient(through, this.#registry, atMs),
      get untilMs() {
        return objectHistory.nextWriteMs(atMs);
      },
    };
  }

  writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[] {
    return this.#registry.store.objectHistory.writesOf(keyFor(kind, namespace, name), afterMs);
  }

  kinds(): readonly Kind[] {
    return this.#registry.catalogue.storedKinds();
  }

  create<T extends KubeObject>(newestKind: Kind<T>, draft: Draft<T>): T {
    this.#options.beforeWrite?.();
    const kind = this.#registry.catalogue.ofRelease(newestKind);
    const decoded = decodeDraft(kind, draft);
    const { namespace = "", name = "" } = decoded.metadata;
    return this.#audited(
      { verb: "create", kind, namespace, name, subresource: "", draft: decoded },
      (actor, annotations) => create(this.#registry, kind, namespace, decoded, actor, { annotations }),
    );
  }

  update<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.updateSubresource(kind, "", draft);
  }

  updateStatus<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.updateSubresource(kind, "status", draft);
  }

  updateSubresource<T extends KubeObject>(newestKind: Kind<T>, subresource: string, draft: Draft<T>): T {
    this.#options.beforeWrite?.();
    const kind = this.#registry.catalogue.ofRelease(newestKind);
    const decoded = decodeDraft(kind, draft);
    const { namespace = "", name = "" } = decoded.metadata;
    const target = { namespace, name, subresource };
    return this.#audited({ verb: "update", kind, ...target, draft: decoded }, (actor, annotations) =>
      update(this.#registry, kind, target, decoded, actor, { annotations }),
    );
  }

  delete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query: DeleteQuery = {}): void {
    this.#options.beforeWrite?.();
    this.#audited({ verb: "delete", kind, namespace, name, subresource: "" }, (actor, annotations) =>
      remove(this.#registry, kind, namespace, name, query, actor, { annotations }),
    );
  }

  tryDelete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): boolean {
    try {
      this.delete(kind, namespace, name, query);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  }

  act<T extends KubeObject>(
    newestKind: Kind<T>,
    subresource: string,
    namespace: string,
    name: string,
    body: unknown,
  ): void {
    this.#options.beforeWrite?.();
    const kind = this.#registry.catalogue.ofRelease(newestKind);
    const target = { namespace, name, subresource };
    this.#audited({ verb: "create", kind, ...target }, (actor, annotations) =>
      act(this.#registry, kind, target, body, actor, { annotations }),
    );
  }

  bind(namespace: string, podName: string, podUid: string, nodeName: string): void {
    const pods = this.kindOf("v1", "Pod");
    if (!pods) throw ApiError.noSuchPath();
    const body = { metadata: { namespace, name: podName, uid: podUid }, target: { kind: "Node", name: nodeName } };
    this.act(pods, "binding", namespace, podName, body);
  }

  #audited<T>(write: LocalWrite, body: (actor: Actor, annotations: Map<string, string>) => T): T {
    const actor = this.#options.actor();
    return audited(this.#registry, actor, write, (annotations) => body(actor, annotations));
  }
}

/** Returns the canonical form of a controller's object as a copy. The input stays frozen. */
function decodeDraft<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
  return kind.schema.decode(draft).object as T;
}

function* each<T extends KubeObject>(registry: Registry, kind: Kind<T>, query: ListQuery = {}): Generator<T> {
  const { namespace, labels, after } = query;
  if (kind.computed) {
    for (const object of kind.computed(readsOf(registry), namespace)) {
      if (!labels || labels.matches(object.metadata.labels)) yield object;
    }
    return;
  }
  for (const stored of registry.store.list({ resource: kind.resource, namespace, after })) {
    const object = fromStorage(kind, stored);
    if (!labels || labels.matches(object.metadata.labels)) yield object;
  }
}

function* uncontrolled<T extends KubeObject>(objects: Iterable<T>): Generator<T> {
  for (const object of objects) if (!getControllerOf(object)) yield object;
}

function* dependents(registry: Registry, uid: string): Generator<{ kind: Kind; object: KubeObject }> {
  for (const key of registry.store.ownedBy(uid, false)) {
    const kind = registry.catalogue.stored(key.resource);
    const object = registry.store.get(key);
    if (kind && object) yield { kind, object: fromStorage(kind, object) };
  }
}

function readKeys<T extends KubeObject>(registry: Registry, kind: Kind<T>, keys: readonly Key[]): T[] {
  return keys
    .filter((key) => key.resource === kind.resource)
    .map((key) => registry.store.get(key))
    .filter((stored) => stored !== undefined)
    .map((stored) => fromStorage(kind, stored));
}
