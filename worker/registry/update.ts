// Updating an object or a subresource that is written like it: what it does at each step of a write (upstream: registry.Store.Update and rest.BeforeUpdate).
import { invalid, path } from "../../shared/k8s/field.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";
import type { ObjectType } from "./admission.ts";
import { commit } from "./commit.ts";
import { create } from "./create.ts";
import { assign, keepForUpdate, matchNamespace } from "./metadata.ts";
import {
  type Actor,
  canonical,
  keyFor,
  read,
  type Registry,
  served,
  requestResource,
  shownAs,
  type WriteOptions,
} from "./registry.ts";
import { dropDuplicateOwners } from "./owner-duplicates.ts";
import { isSameButForTimes, recordManagers } from "./managed-fields.ts";
import { statusField } from "./status-field.ts";
import { validateUpdate } from "./validation.ts";
import { write } from "./write.ts";

export interface UpdateTarget {
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** A write that comes as an object of another type: a Scale. Admission sees that one, and what it changes there is taken over. */
export interface Transform<T> {
  readonly type: ObjectType;
  readonly subresource: string;
  readonly object: KubeObject;
  readonly previous: KubeObject;
  /** Puts what admission has left of it into the draft; throws `ApiError` where that is invalid. */
  into(draft: T, object: KubeObject): void;
  /** What an object comes to: the draft, once it is prepared. */
  of(object: T): KubeObject;
}

export interface UpdateOptions<T> extends WriteOptions {
  readonly transform?: Transform<T>;
}

/** Stores a decoded draft (it is consumed) in place of the previous object; writing what is there already writes nothing. */
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
  const plain = kind as Kind;
  const isPatch = actor.origin === "patch" || actor.origin === "apply";
  // What is there, from the first step on.
  let previous: T;
  return write<T>(registry, actor, options, {
    checkRequest() {
      draft.apiVersion = kind.apiVersion;
      draft.kind = kind.kind;
      matchNamespace(plain, draft, namespace);
      matchName(draft, name);
      const found = read(registry, kind, namespace, name);
      if (!found) return createInstead(registry, kind, target, draft, actor, options);
      previous = found;
      if (!isPatch) checkUid(plain, draft, previous, options);
      checkVersion(plain, draft, previous, options);
      return undefined;
    },
    setDefaults() {
      kind.defaults?.(draft);
      kind.decorator?.strip(draft, previous);
      // Of a patch upstream says it only once admission is through.
      if (!isPatch) dropDuplicateOwners(draft, options, false);
    },
    updateManagedFields() {
      recordManagers(registry, plain, { draft, previous, subresource }, actor, options);
    },
    attributes: (step) => ({
      operation: "UPDATE",
      kind: plain,
      namespace,
      name,
      ...(transform ? transformed(transform, step, draft, previous) : { subresource, object: draft, previous }),
    }),
    authorize(context) {
      transform?.into(draft, transform.object);
      dropDuplicateOwners(draft, options, true);
      matchNamespace(plain, draft, namespace);
      if (subresource === "") kind.authorizeWrite?.(draft, previous, context);
    },
    prepare(context) {
      prepare(kind, subresource, draft, previous, context);
    },
    validate(context) {
      const errors = validateUpdate(kind, subresource, draft, previous, context);
      if (errors.length > 0) throw ApiError.invalid(kind.groupKind, name, errors);
      if (subresource === "") for (const warning of kind.warnings?.(draft, previous) ?? []) options.warn?.(warning);
    },
    commit: () => store(registry, kind, draft, previous, actor, options),
  });
}

/** First what was asked, then what it comes to. */
function transformed<T>(transform: Transform<T>, step: "mutate" | "validate", draft: T, previous: T) {
  const { type, subresource } = transform;
  if (step === "mutate") return { type, subresource, object: transform.object, previous: transform.previous };
  return { type, subresource, object: transform.of(draft), previous: transform.of(previous) };
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
  // No storage has it.
  if (!options.dryRun) delete draft.metadata.selfLink;
  const stored = canonical(kind, draft);
  const shown = shownAs(kind, stored);
  if (options.dryRun) return shown;
  // What is stored may be of another version than what is shown: then writing the same is a change.
  const before = registry.store.get(key);
  const next = kind.conversion?.toStorage(stored) ?? stored;
  if (before && isSameButForTimes(next, before)) return previous;
  return served(kind, commit(registry, kind, key, stored, actor).object);
}

/** Whether nothing holds an object that is being deleted any more. */
export function isReleased(kind: Kind, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  return kind.deletion?.finalization?.done(object) ?? true;
}

export function matchName(draft: KubeObject, name: string): void {
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
  if (!kind.allowCreateOnUpdate || subresource !== "") throw ApiError.notFound(requestResource(kind, options), name);
  if (draft.metadata.uid) {
    throw uidConflict(kind, { namespace, name, wanted: draft.metadata.uid, found: "" }, options);
  }
  delete draft.metadata.resourceVersion;
  return create(registry, kind, namespace, draft, actor, options);
}

/** The uid is a precondition of whoever sends a whole object; what a patch makes of it is a change. */
function checkUid(kind: Kind, draft: KubeObject, previous: KubeObject, options: WriteOptions): void {
  const { uid: wanted } = draft.metadata;
  const { namespace = "", name = "", uid: found = "" } = previous.metadata;
  if (wanted && wanted !== found) throw uidConflict(kind, { namespace, name, wanted, found }, options);
}

function checkVersion(kind: Kind, draft: KubeObject, previous: KubeObject, options: WriteOptions): void {
  const [next, old] = [draft.metadata, previous.metadata];
  const version = next.resourceVersion ?? "";
  if (version !== "") refuseUnreadable(version);
  if ((version === "" || version === "0") && kind.allowUnconditionalUpdate === false) {
    // Upstream names the resource here, not the kind.
    throw ApiError.invalid(kind.groupResource, old.name ?? "", [
      invalid(path("metadata", "resourceVersion"), 0, "must be specified for an update"),
    ]);
  }
  if (version !== "" && version !== "0" && version !== old.resourceVersion) {
    throw ApiError.staleVersion(requestResource(kind, options), old.name ?? "");
  }
  // An unconditional update is one of the newest version.
  assign(next, old, "resourceVersion");
}

/** Versions are numbers of 64 bits to upstream, which tells of others as its parser does, and says 500. */
function refuseUnreadable(version: string): void {
  const why = !/^[0-9]+$/.test(version) ? "invalid syntax" : BigInt(version) >= 2n ** 64n ? "value out of range" : "";
  if (why) throw ApiError.badRequest(`strconv.ParseUint: parsing ${JSON.stringify(version)}: ${why}`);
}

function uidConflict(
  kind: Kind,
  { namespace, name, wanted, found }: Record<"namespace" | "name" | "wanted" | "found", string>,
  options: WriteOptions,
): ApiError {
  const group = kind.custom ? kind.group : "";
  // A dry run is answered above where keys get their prefix.
  const key = [options.dryRun ? "" : "/registry", group, kind.storedAs ?? kind.plural, namespace, name]
    .filter((part, at) => at === 0 || part)
    .join("/");
  return ApiError.failedPrecondition(requestResource(kind, options), name, { key, what: "UID", wanted, found });
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
