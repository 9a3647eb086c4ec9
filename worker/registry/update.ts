// Updating an object or a subresource that is written like it (upstream: registry.Store.Update and rest.BeforeUpdate).
import { invalid, path } from "../../shared/k8s/field.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { dns1123Subdomain } from "../../shared/k8s/names.ts";
import { validateMeta, validateMetaUpdate } from "../../shared/k8s/validate-meta.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";
import type { AdmissionRequest } from "./admission.ts";
import { commit } from "./commit.ts";
import { create } from "./create.ts";
import { assign, keepForUpdate, matchNamespace } from "./metadata.ts";
import {
  type Actor,
  admit,
  canonical,
  contextOf,
  keyFor,
  read,
  type Registry,
  served,
  type WriteOptions,
} from "./registry.ts";
import { isSameButForTimes, recordOwners } from "./ownership.ts";
import { statusField } from "./status-field.ts";

export interface UpdateTarget {
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** Stores a decoded draft (it is consumed) in place of the previous object; writing what is there already writes nothing. */
export function update<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  target: UpdateTarget,
  draft: T,
  actor: Actor,
  options: WriteOptions = {},
): T {
  const context = contextOf(registry, actor, options);
  const plain = kind as Kind;
  draft.apiVersion = kind.apiVersion;
  draft.kind = kind.kind;
  matchNamespace(plain, draft, target.namespace);
  matchName(draft, target.name);
  const previous = read(registry, kind, target.namespace, target.name);
  if (!previous) return createInstead(registry, kind, target, draft, actor, options);
  checkPreconditions(plain, draft, previous);
  kind.defaults?.(draft);
  kind.toldAnew?.putBack(draft, previous);
  recordOwners(registry, plain, { draft, previous, subresource: target.subresource }, actor, options);
  const request = admissionRequest(plain, target, draft, previous, actor, options, context);
  admit(registry, "mutate", request);
  if (target.subresource === "") kind.refuseWriter?.(draft, previous, context);
  prepare(kind, target.subresource, draft, previous, context);
  const errors = validationErrors(kind, target.subresource, draft, previous, context);
  if (errors.length > 0) throw ApiError.invalid(kind.groupKind, target.name, errors);
  if (target.subresource === "") for (const warning of kind.warnings?.(draft, previous) ?? []) options.warn?.(warning);
  admit(registry, "validate", request);
  return store(registry, kind, draft, previous, actor, options);
}

/** Commits a prepared draft, or the removal that it completes. */
export function store<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  draft: T,
  previous: T,
  actor: Actor,
  options: WriteOptions,
): T {
  const key = keyFor(kind, draft.metadata.namespace ?? "", draft.metadata.name ?? "");
  if (isReleased(kind, draft)) {
    if (!options.dryRun) commit(registry, kind, key, null, actor);
    return draft;
  }
  draft.metadata.resourceVersion = previous.metadata.resourceVersion ?? "";
  const stored = canonical(kind, draft);
  if (options.dryRun) return stored;
  // What is stored may be of another version than what is shown: then writing the same is a change.
  const before = registry.store.get(key);
  const next = kind.storedForm ? kind.storedForm.write(stored) : stored;
  if (before && isSameButForTimes(next, before)) return previous;
  return served(kind, commit(registry, kind, key, stored, actor).object);
}

/** Whether nothing holds an object that is being deleted any more. */
export function isReleased(kind: Kind, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  return kind.deletion ? kind.deletion.done(object) : true;
}

function matchName(draft: KubeObject, name: string): void {
  if (!draft.metadata.name) {
    throw ApiError.badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (draft.metadata.name !== name) {
    throw ApiError.badRequest(
      `the name of the object (${draft.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
}

function createInstead<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  { namespace, name, subresource }: UpdateTarget,
  draft: T,
  actor: Actor,
  options: WriteOptions,
): T {
  if (!kind.createsOnUpdate || subresource !== "") throw ApiError.notFound(kind.groupResource, name);
  if (draft.metadata.uid) {
    throw uidConflict(kind, { namespace, name, wanted: draft.metadata.uid, found: "" });
  }
  delete draft.metadata.resourceVersion;
  return create(registry, kind, namespace, draft, actor, options);
}

function checkPreconditions(kind: Kind, draft: KubeObject, previous: KubeObject): void {
  const [next, old] = [draft.metadata, previous.metadata];
  if (next.uid && next.uid !== old.uid) {
    const { namespace = "", name = "", uid: found = "" } = old;
    throw uidConflict(kind, { namespace, name, wanted: next.uid, found });
  }
  const version = next.resourceVersion ?? "";
  if ((version === "" || version === "0") && kind.needsVersionOnUpdate) {
    // Upstream names the resource here, not the kind.
    throw ApiError.invalid(kind.groupResource, old.name ?? "", [
      invalid(path("metadata", "resourceVersion"), 0, "must be specified for an update"),
    ]);
  }
  if (version !== "" && version !== "0" && version !== old.resourceVersion) {
    throw ApiError.staleVersion(kind.groupResource, old.name ?? "");
  }
  // An unconditional update is one of the newest version.
  assign(next, old, "resourceVersion");
}

/** In the words of upstream's storage, which names the object's key. */
function uidConflict(
  kind: Kind,
  { namespace, name, wanted, found }: Record<"namespace" | "name" | "wanted" | "found", string>,
): ApiError {
  const key = ["/registry", kind.plural, namespace, name].filter(Boolean).join("/");
  const failed = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  return ApiError.conflict(kind.groupResource, name, why);
}

function prepare<T extends KubeObject>(
  kind: Kind<T>,
  subresource: string,
  draft: T,
  previous: T,
  context: WriteContext,
): void {
  keepForUpdate(draft, previous);
  const strategy = subresource === "" ? undefined : kind.subresourceStrategies?.[subresource];
  if (strategy) {
    strategy.prepareForUpdate(draft, previous, context);
  } else if (subresource === "status") {
    statusField.only(draft, previous);
  } else {
    statusField.keep(kind, draft, previous);
    kind.prepareForUpdate?.(draft, previous, context);
  }
  // A status write is no wish: upstream's status strategies leave the generation alone.
  if (subresource !== "status" && kind.raisesGeneration?.(draft, previous))
    draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
}

function validationErrors<T extends KubeObject>(
  kind: Kind<T>,
  subresource: string,
  draft: T,
  previous: T,
  context: WriteContext,
) {
  const metaErrors = [
    ...validateMeta(
      draft.metadata,
      kind.namespaced,
      kind.validateName ?? dns1123Subdomain,
      path("metadata"),
      kind.anyFinalizer,
    ),
    ...validateMetaUpdate(draft.metadata, previous.metadata, path("metadata"), kind.anyFinalizer),
  ];
  const own = subresource === "" ? undefined : kind.subresourceStrategies?.[subresource];
  if (own) return [...metaErrors, ...(own.validateUpdate?.(draft, previous) ?? [])];
  if (subresource === "status") return metaErrors;
  return [
    ...metaErrors,
    ...((!kind.updatesAlone && kind.validate?.(draft, context)) || []),
    ...(kind.validateUpdate?.(draft, previous, context) ?? []),
  ];
}

function admissionRequest(
  kind: Kind,
  target: UpdateTarget,
  draft: KubeObject,
  previous: KubeObject,
  actor: Actor,
  options: WriteOptions,
  context: WriteContext,
): AdmissionRequest {
  return {
    operation: "UPDATE",
    kind,
    subresource: target.subresource,
    namespace: target.namespace,
    name: target.name,
    object: draft,
    previous,
    user: actor.user,
    dryRun: options.dryRun ?? false,
    context,
    warn: (message) => options.warn?.(message),
  };
}
