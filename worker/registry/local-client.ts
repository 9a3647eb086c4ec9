// The client of controllers: the same steps of a write as a user's request, under the controller's identity. RBAC is not asked for it:
// authorization is a step of the API's chain (`withAuthorization` in worker/api/handler.ts), and controllers are this project's own code,
// which no tenant can make do more than its objects ask for. So the bootstrap roles of controllers are those of upstream, and count where
// somebody asks (reviews, escalation), but no edit of them stops a controller, and no write of one costs a look at the roles.
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Key } from "../store/index-by-owner.ts";
import { act } from "./act.ts";
import type { Client, ListQuery } from "./client.ts";
import { audited } from "./audit.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { type Actor, read, readsOf, type Registry, fromStorage } from "./registry.ts";
import { update } from "./update.ts";

/** `actor` is asked at each write, since the origin differs from reconcile to reconcile. */
export function localClient(registry: Registry, actor: () => Actor): Client {
  const updateAt = <T extends KubeObject>(kind: Kind<T>, subresource: string, draft: Draft<T>): T => {
    const decoded = decodeDraft(kind, draft);
    const { namespace = "", name = "" } = decoded.metadata;
    const target = { namespace, name, subresource };
    return audited(registry, actor(), { verb: "update", kind, ...target }, (annotations) =>
      update(registry, kind, target, decoded, actor(), { annotations }),
    );
  };
  const client: Client = {
    get: (kind, namespace, name) => read(registry, kind, namespace, name),
    list: (kind, query) => [...each(registry, kind, query)],
    each: (kind, query) => each(registry, kind, query),
    count: (kind) => registry.store.size(kind.resource),
    controlledBy: (kind, uid) => readKeys(registry, kind, registry.store.ownedBy(uid, true)),
    byIndexValue: (kind, indexValue) =>
      readKeys(registry, kind, registry.store.byIndexValue(kind.resource, indexValue)),
    indexValues: (kind) => registry.store.indexValues(kind.resource),
    beginningWith: (kind, namespace, prefix) =>
      readKeys(registry, kind, registry.store.beginningWith(kind.resource, namespace, prefix)),
    dependents: (uid) => dependents(registry, uid),
    named: (kind, name) => readKeys(registry, kind, registry.store.named(kind.resource, name)),
    kindOf: (apiVersion, kind) => registry.catalogue.byKind(apiVersion, kind),
    kindAt: (apiVersion, plural) => registry.catalogue.byPath(apiVersion, plural),
    decide: (user, attributes) => registry.authorizer.decide(user, attributes),
    kinds: () => registry.catalogue.storedKinds(),
    create: (kind, draft) => {
      const decoded = decodeDraft(kind, draft);
      const { namespace = "", name = "" } = decoded.metadata;
      return audited(registry, actor(), { verb: "create", kind, namespace, name, subresource: "" }, (annotations) =>
        create(registry, kind, namespace, decoded, actor(), { annotations }),
      );
    },
    update: (kind, draft) => updateAt(kind, "", draft),
    updateStatus: (kind, draft) => updateAt(kind, "status", draft),
    updateSubresource: updateAt,
    delete: (kind, namespace, name, query: DeleteQuery = {}) => {
      audited(registry, actor(), { verb: "delete", kind, namespace, name, subresource: "" }, (annotations) =>
        remove(registry, kind, namespace, name, query, actor(), { annotations }),
      );
    },
    tryDelete: (kind, namespace, name, query) => {
      try {
        client.delete(kind, namespace, name, query);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 404) return false;
        throw error;
      }
    },
    act: (kind, subresource, namespace, name, body) => {
      const target = { namespace, name, subresource };
      audited(registry, actor(), { verb: "create", kind, ...target }, (annotations) =>
        act(registry, kind, target, body, actor(), { annotations }),
      );
    },
    bind: (namespace, podName, podUid, nodeName) => {
      const pods = registry.catalogue.byKind("v1", "Pod");
      if (!pods) throw ApiError.noSuchPath();
      const body = { metadata: { namespace, name: podName, uid: podUid }, target: { kind: "Node", name: nodeName } };
      client.act(pods, "binding", namespace, podName, body);
    },
  };
  return client;
}

/** The canonical form of what a controller wrote, as a copy: its input stays frozen. */
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
