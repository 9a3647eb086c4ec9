// The steps of a write for updates of an object or of a subresource that is written like it (upstream: registry.Store.Update,
// rest.BeforeUpdate).
import { invalid, path } from "../../shared/k8s/field.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { dropDisabledFields } from "../../shared/schema/facts/releases/disabled-fields.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";
import type { GroupVersionKind } from "./admission.ts";
import { commit } from "./commit.ts";
import { create } from "./create.ts";
import { assign, keepForUpdate, ensureObjectNamespaceMatchesRequestNamespace } from "./metadata.ts";
import {
  type Actor,
  canonical,
  keyFor,
  read,
  type Registry,
  fromStorage,
  qualifiedResource,
  roundTrip,
  type WriteOptions,
} from "./registry.ts";
import { dedupOwnerReferencesAndAddWarning } from "./owner-references.ts";
import { equalIgnoringManagedFieldsTimestamps, updateManagedFields } from "./managed-fields.ts";
import { statusField } from "./status-field.ts";
import { validateUpdate } from "./validation.ts";
import { write } from "./write.ts";

export interface UpdateTarget {
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/**
 * An update through an object of another type, a Scale (upstream: scaleUpdatedObjectInfo). Admission receives that object, and its changes
 * are applied to the draft.
 */
export interface Transform<T> {
  readonly objectKind: GroupVersionKind;
  readonly subresource: string;
  readonly object: KubeObject;
  readonly oldObject: KubeObject;
  /** Applies the object that admission returned to the draft. Throws `ApiError` if the object is invalid. */
  applyTo(draft: T, object: KubeObject): void;
  /** Returns the object of the other type for the prepared draft. */
  fromObject(object: T): KubeObject;
}

export interface UpdateOptions<T> extends WriteOptions {
  readonly transform?: Transform<T>;
}

/** Stores a decoded draft, which must not be used afterwards. An update without changes writes nothing. */
export function update<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  target: UpdateTarget,
  draft: T,
  actor: Actor,
  options: UpdateOptions<T> = {},
): T {
  const { namespace, name, subresource } = target;
  const { transform } = options;
  const anyKind = kind as Kind;
  const isPatch = actor.origin === "patch" || actor.origin === "apply";
  // The stored object. Set in the first step.
  let previous: T;
  return write<T>(registry, actor, options, {
    checkRequest() {
      draft.apiVersion = kind.apiVersion;
      draft.kind = kind.kind;
      ensureObjectNamespaceMatchesRequestNamespace(anyKind, draft, namespace);
      checkName(draft, name);
      const stored = read(registry, kind, namespace, name);
      if (!stored) return createOnUpdate(registry, kind, target, draft, actor, options);
      previous = stored;
      if (!isPatch) checkUid(anyKind, draft, previous, options);
      checkResourceVersion(anyKind, draft, previous, options);
      return undefined;
    },
    setDefaults() {
      kind.defaults?.(draft);
      kind.decorator?.strip(draft, previous);
      // A patch gets this warning after admission (upstream: handlers.patchResource).
      if (!isPatch) dedupOwnerReferencesAndAddWarning(draft, options, false);
    },
    updateManagedFields() {
      updateManagedFields(registry, anyKind, { draft, previous, subresource }, actor, options);
    },
    attributes: (step) => ({
      operation: "UPDATE",
      kind: anyKind,
      namespace,
      name,
      ...(transform
        ? transformedObjects(transform, step, draft, previous)
        : { subresource, object: draft, oldObject: previous }),
    }),
    authorize(context) {
      transform?.applyTo(draft, transform.object);
      dedupOwnerReferencesAndAddWarning(draft, options, true);
      ensureObjectNamespaceMatchesRequestNamespace(anyKind, draft, namespace);
      if (subresource === "") kind.authorizeWrite?.(draft, previous, context);
    },
    prepare(context) {
      prepare(kind, subresource, draft, previous, context);
      if (kind.disabledFields) dropDisabledFields(kind.disabledFields, draft, previous);
    },
    validate(context) {
      const errors = validateUpdate(kind, subresource, draft, previous, context);
      if (errors.length > 0) throw ApiError.invalid(kind.groupKind, name, errors);
      if (subresource === "") for (const warning of kind.warnings?.(draft, previous) ?? []) options.warn?.(warning);
    },
    commit: () => commitUpdate(registry, kind, draft, previous, actor, options),
  });
}

/** Returns the objects for admission: the requested ones in the mutation step, the resulting ones in the validation step. */
function transformedObjects<T>(transform: Transform<T>, step: "mutate" | "validate", draft: T, previous: T) {
  const { objectKind, subresource, object, oldObject } = transform;
  if (step === "mutate") return { objectKind, subresource, object, oldObject };
  return { objectKind, subresource, object: transform.fromObject(draft), oldObject: transform.fromObject(previous) };
}

/** Commits a prepared draft. If the draft completes a deletion, the object is deleted. */
export function commitUpdate<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  draft: T,
  previous: T,
  actor: Actor,
  options: WriteOptions,
): T {
  const key = keyFor(kind, draft.metadata.namespace ?? "", draft.metadata.name ?? "");
  if (shouldDeleteDuringUpdate(kind, draft)) {
    if (!options.dryRun) commit(registry, kind, key, null, actor);
    return draft;
  }
  draft.metadata.resourceVersion = previous.metadata.resourceVersion ?? "";
  // The selfLink is never stored.
  if (!options.dryRun) delete draft.metadata.selfLink;
  const stored = canonical(kind, draft);
  const converted = roundTrip(kind, stored);
  if (options.dryRun) return converted;
  // If the stored version differs from the written one, an identical object is still a change.
  const before = registry.store.get(key);
  const next = kind.conversion?.toStorage(stored) ?? stored;
  const isStale = before !== undefined && registry.apiServer?.isStale(kind, before) === true;
  if (before && !isStale && equalIgnoringManagedFieldsTimestamps(next, before)) return previous;
  return fromStorage(kind, commit(registry, kind, key, stored, actor).object);
}

/**
 * Reports whether an object that is being deleted can be removed: its finalizers, its grace period and its kind's finalization have ended.
 */
export function shouldDeleteDuringUpdate(kind: Kind, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  return kind.deletion?.finalization?.done(object) ?? true;
}

export function checkName(draft: KubeObject, name: string): void {
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

function createOnUpdate<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  { namespace, name, subresource }: UpdateTarget,
  draft: T,
  actor: Actor,
  options: WriteOptions,
): T {
  if (!kind.allowCreateOnUpdate || subresource !== "") throw ApiError.notFound(qualifiedResource(kind, options), name);
  if (draft.metadata.uid) {
    throw uidConflict(kind, { namespace, name, wanted: draft.metadata.uid, found: "" }, options);
  }
  delete draft.metadata.resourceVersion;
  return create(registry, kind, namespace, draft, actor, options);
}

/** Checks the uid as a precondition of a PUT. In a patch a different uid is a change (upstream: UpdatedObjectInfo.Preconditions). */
function checkUid(kind: Kind, draft: KubeObject, previous: KubeObject, options: WriteOptions): void {
  const { uid: expected } = draft.metadata;
  const { namespace = "", name = "", uid: actual = "" } = previous.metadata;
  if (expected && expected !== actual)
    throw uidConflict(kind, { namespace, name, wanted: expected, found: actual }, options);
}

function checkResourceVersion(kind: Kind, draft: KubeObject, previous: KubeObject, options: WriteOptions): void {
  const [next, old] = [draft.metadata, previous.metadata];
  const version = next.resourceVersion ?? "";
  if (version !== "") checkParses(version);
  if ((version === "" || version === "0") && kind.allowUnconditionalUpdate === false) {
    // Upstream names the resource here, not the kind.
    throw ApiError.invalid(kind.groupResource, old.name ?? "", [
      invalid(path("metadata", "resourceVersion"), 0, "must be specified for an update"),
    ]);
  }
  if (version !== "" && version !== "0" && version !== old.resourceVersion) {
    throw ApiError.staleVersion(qualifiedResource(kind, options), old.name ?? "");
  }
  // An update without a version applies to the newest version.
  assign(next, old, "resourceVersion");
}

/** Checks that a version is an unsigned 64-bit number. The message is that of Go's parser, here with 400 (upstream: 500). */
function checkParses(version: string): void {
  const why = !/^[0-9]+$/.test(version) ? "invalid syntax" : BigInt(version) >= 2n ** 64n ? "value out of range" : "";
  if (why) throw ApiError.badRequest(`strconv.ParseUint: parsing ${JSON.stringify(version)}: ${why}`);
}

function uidConflict(
  kind: Kind,
  { namespace, name, wanted: expected, found: actual }: Record<"namespace" | "name" | "wanted" | "found", string>,
  options: WriteOptions,
): ApiError {
  const group = kind.custom ? kind.group : "";
  // In a dry run, upstream answers above the layer that adds the prefix of keys.
  const key = [options.dryRun ? "" : "/registry", group, kind.resourcePrefix ?? kind.plural, namespace, name]
    .filter((segment, at) => at === 0 || segment)
    .join("/");
  return ApiError.failedPrecondition(qualifiedResource(kind, options), name, {
    key,
    what: "UID",
    wanted: expected,
    found: actual,
  });
}

function prepare<T extends KubeObject>(
  kind: Kind<T>,
  subresource: string,
  draft: T,
  previous: T,
  context: WriteContext,
): void {
  keepForUpdate(draft, previous);
  const strategy = kind.subresourceStrategies?.[subresource];
  if (strategy) {
    strategy.prepareForUpdate(draft, previous, context);
  } else if (subresource === "status") {
    statusField.only(draft, previous);
  } else {
    statusField.keep(kind, draft, previous);
    kind.prepareForUpdate?.(draft, previous, context);
  }
  // Strategies of the status keep the generation, since the desired state is unchanged.
  if (subresource !== "status" && kind.raisesGeneration?.(draft, previous))
    draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
}
