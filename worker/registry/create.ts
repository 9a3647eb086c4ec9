// The steps of a write for creation (upstream: registry.Store.Create and rest.BeforeCreate).
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError, type GroupName } from "../../shared/k8s/status.ts";
import { dropDisabledFields } from "../../shared/schema/facts/releases/disabled-fields.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Change } from "../store/change.ts";
import { NameTaken } from "../store/name-taken.ts";
import { commit, commitNew } from "./commit.ts";
import {
  fillObjectMetaSystemFields,
  generateName,
  ensureObjectNamespaceMatchesRequestNamespace,
  wipeObjectMetaSystemFields,
} from "./metadata.ts";
import { dedupOwnerReferencesAndAddWarning } from "./owner-references.ts";
import { updateManagedFields } from "./managed-fields.ts";
import {
  type Actor,
  canonical,
  keyOfObject,
  type Registry,
  fromStorage,
  roundTrip,
  qualifiedResource,
  type WriteOptions,
} from "./registry.ts";
import { statusField } from "./status-field.ts";
import { validateCreate } from "./validation.ts";
import { write } from "./write.ts";

/** The number of attempts to generate a free name. */
const maxNameGenerationCreateAttempts = 8;

/** Stores a decoded draft, which must not be used afterwards, and returns the stored, frozen object. */
export function create<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  namespace: string,
  draft: T,
  actor: Actor,
  options: WriteOptions = {},
): T {
  const { metadata } = draft;
  const isGenerated = !metadata.name && Boolean(metadata.generateName);
  return write<T>(registry, actor, options, {
    checkRequest() {
      if (kind.refusesCreation) throw ApiError.forbidden(kind.groupResource, metadata.name ?? "", kind.refusesCreation);
      draft.apiVersion = kind.apiVersion;
      draft.kind = kind.kind;
      wipeObjectMetaSystemFields(draft);
      ensureObjectNamespaceMatchesRequestNamespace(kind, draft, namespace);
      return undefined;
    },
    setDefaults() {
      kind.defaults?.(draft);
      dedupOwnerReferencesAndAddWarning(draft, options, false);
    },
    updateManagedFields() {
      updateManagedFields(registry, kind, { draft, previous: undefined, subresource: "" }, actor, options);
    },
    attributes: () => ({
      operation: "CREATE",
      kind,
      subresource: "",
      namespace: draft.metadata.namespace ?? "",
      name: draft.metadata.name ?? "",
      object: draft,
      oldObject: undefined,
    }),
    authorize(context) {
      dedupOwnerReferencesAndAddWarning(draft, options, true);
      ensureObjectNamespaceMatchesRequestNamespace(kind, draft, namespace);
      kind.authorizeWrite?.(draft, undefined, context);
    },
    prepare(context) {
      fillObjectMetaSystemFields(registry, kind, draft);
      if (!kind.keepsStatusOnCreate) statusField.clear(kind, draft);
      kind.prepareForCreate?.(draft, context);
      if (kind.disabledFields) dropDisabledFields(kind.disabledFields, draft, undefined);
    },
    validate(context) {
      const errors = validateCreate(kind, draft, context);
      if (errors.length > 0) throw ApiError.invalid(kind.groupKind, draft.metadata.name ?? "", errors);
      for (const warning of kind.warnings?.(draft, undefined) ?? []) options.warn?.(warning);
    },
    commit() {
      if (!options.dryRun) rejectResourceVersion(draft);
      const ensureFreeName = () =>
        requireFreeName(registry, kind, draft, isGenerated, qualifiedResource(kind, options));
      if (options.dryRun) {
        ensureFreeName();
        return roundTrip(kind, canonical(kind, draft));
      }
      return fromStorage(kind, commitWithFreeName(registry, kind, draft, actor, ensureFreeName).object);
    },
  });
}

/** Stores the draft. If its name is taken, calls `ensureFreeName`, which throws or generates another name. */
function commitWithFreeName(
  registry: Registry,
  kind: Kind,
  draft: KubeObject,
  actor: Actor,
  ensureFreeName: () => void,
): Change {
  // Companions (the IPAddresses of a Service) are stored before the object, so its name must be checked first.
  if (kind.companions) ensureFreeName();
  const commitDraft = kind.companions ? commit : commitNew;
  for (;;) {
    const stored = canonical(kind, draft);
    // Calls the conversion webhook before anything is stored.
    roundTrip(kind, stored);
    try {
      return commitDraft(registry, kind, keyOfObject(kind, stored), stored, actor);
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      ensureFreeName();
    }
  }
}

/** Rejects a valid resourceVersion. (Upstream's storage does so with 500, which a dry run does not reach.) */
function rejectResourceVersion({ metadata }: KubeObject): void {
  const { resourceVersion = "" } = metadata;
  if (/^[0-9]+$/.test(resourceVersion) && Number(resourceVersion) > 0) {
    throw ApiError.badRequest("resourceVersion should not be set on objects to be created");
  }
  // The store sets the version. The placeholder gives the field its position in the JSON.
  metadata.resourceVersion = "0";
}

function requireFreeName(
  registry: Registry,
  kind: Kind,
  draft: KubeObject,
  isGenerated: boolean,
  resource: GroupName,
): void {
  const meta = draft.metadata;
  for (let attempt = 1; ; attempt++) {
    const existing = registry.store.get(keyOfObject(kind, draft));
    if (!existing) return;
    if (!meta.generateName) {
      throw ApiError.alreadyExists(resource, meta.name ?? "", existing.metadata.deletionTimestamp !== undefined);
    }
    if (!isGenerated || attempt === maxNameGenerationCreateAttempts) {
      throw ApiError.noGeneratedName(resource, meta.name ?? "");
    }
    meta.name = generateName(registry, meta.generateName);
  }
}
