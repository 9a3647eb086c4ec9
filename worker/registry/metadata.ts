// Sets the metadata that the server owns: names, uids, times and generations (upstream: rest.BeforeCreate and BeforeUpdate).
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Registry } from "./registry.ts";

const maxNameLength = 63;
const suffixLength = 5;

/** Removes the fields that only the server sets from a new object. */
export function wipeObjectMetaSystemFields({ metadata }: KubeObject): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets the server's fields of a new object, and its name if it only has generateName. */
export function fillObjectMetaSystemFields(registry: Registry, kind: Kind, draft: KubeObject): void {
  const meta = draft.metadata;
  meta.uid = registry.random.uuid();
  meta.creationTimestamp = rfc3339(registry.clock.nowMs());
  if (kind.raisesGeneration) meta.generation = 1;
  if (!meta.name && meta.generateName) meta.name = generateName(registry, meta.generateName);
}

export function generateName(registry: Registry, base: string): string {
  return base.slice(0, maxNameLength - suffixLength) + registry.random.suffix(suffixLength);
}

/** Requires that the draft has the namespace of the request. An empty one is set; a cluster-scoped object loses its namespace. */
export function ensureObjectNamespaceMatchesRequestNamespace(kind: Kind, draft: KubeObject, namespace: string): void {
  const meta = draft.metadata;
  if (!kind.namespaced) {
    delete meta.namespace;
    return;
  }
  if (!meta.namespace) meta.namespace = namespace;
  if (meta.namespace !== namespace) {
    throw ApiError.badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Restores the fields that an update cannot change silently. Validation reports the other ones. */
export function keepForUpdate(draft: KubeObject, previous: KubeObject): void {
  const [next, old] = [draft.metadata, previous.metadata];
  assign(next, old, "generation");
  if (!next.uid) assign(next, old, "uid");
  assign(next, old, "creationTimestamp");
  if (old.deletionTimestamp) assign(next, old, "deletionTimestamp");
  if (next.deletionGracePeriodSeconds === undefined) assign(next, old, "deletionGracePeriodSeconds");
}

/** Copies a field. If the source does not have it, deletes it. */
export function assign<T extends object, Field extends keyof T>(target: T, source: T, field: Field): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
