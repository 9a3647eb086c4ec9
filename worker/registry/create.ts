// Creating an object: the steps of a write in their order (upstream: registry.Store.Create and rest.BeforeCreate).
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError, type GroupName } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";
import type { AdmissionRequest } from "./admission.ts";
import { commit } from "./commit.ts";
import { fillForCreate, generateName, matchNamespace, wipeForCreate } from "./metadata.ts";
import { dropDuplicateOwners } from "./owner-duplicates.ts";
import { recordManagers } from "./managed-fields.ts";
import {
  type Actor,
  admit,
  canonical,
  contextOf,
  keyOfObject,
  optionsOf,
  type Registry,
  served,
  shownAs,
  requestResource,
  type WriteOptions,
} from "./registry.ts";
import { statusField } from "./status-field.ts";
import { validateCreate } from "./validation.ts";

/** Upstream retries a generated name that is taken this often. */
const generatedNameAttempts = 8;

/** Stores a decoded draft (it is consumed) and returns the stored, frozen object. */
export function create<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  namespace: string,
  draft: T,
  actor: Actor,
  options: WriteOptions = {},
): T {
  const context = contextOf(registry, actor, options);
  const isGenerated = !draft.metadata.name && Boolean(draft.metadata.generateName);
  if (kind.refusesCreation) {
    throw ApiError.forbidden(kind.groupResource, draft.metadata.name ?? "", kind.refusesCreation);
  }
  // 1. what the request says
  draft.apiVersion = kind.apiVersion;
  draft.kind = kind.kind;
  wipeForCreate(draft);
  matchNamespace(kind, draft, namespace);
  // 2. defaults
  kind.defaults?.(draft);
  dropDuplicateOwners(draft, options, false);
  // What admission and the strategy add is nobody's.
  recordManagers(registry, kind, { draft, previous: undefined, subresource: "" }, actor, options);
  // 3. admission that changes
  const request = admissionRequest(kind, draft, actor, options, context);
  admit(registry, "mutate", request);
  dropDuplicateOwners(draft, options, true);
  matchNamespace(kind, draft, namespace);
  kind.authorizeWrite?.(draft, undefined, context);
  // 4. the strategy prepares
  fillForCreate(registry, kind, draft);
  if (!kind.keepsStatusOnCreate) statusField.clear(kind, draft);
  kind.prepareForCreate?.(draft, context);
  // 5. validation
  const errors = validateCreate(kind, draft, context);
  if (errors.length > 0) throw ApiError.invalid(kind.groupKind, draft.metadata.name ?? "", errors);
  for (const warning of kind.warnings?.(draft, undefined) ?? []) options.warn?.(warning);
  // 6. admission that checks
  admit(registry, "validate", { ...request, name: draft.metadata.name ?? "" });
  // 7. the store takes it: no version yet, and the name must be free
  if (!options.dryRun) leaveVersion(draft);
  freeName(registry, kind, draft, isGenerated, requestResource(kind, options));
  // 8. commit the canonical form; it is frozen
  const stored = canonical(kind, draft);
  const shown = shownAs(kind, stored);
  if (options.dryRun) return shown;
  return served(kind, commit(registry, kind, keyOfObject(kind, stored), stored, actor).object);
}

/** Upstream's storage refuses a version that could be one, and says 500; a dry run does not get there. */
function leaveVersion({ metadata }: KubeObject): void {
  const { resourceVersion = "" } = metadata;
  if (/^[0-9]+$/.test(resourceVersion) && Number(resourceVersion) > 0) {
    throw ApiError.badRequest("resourceVersion should not be set on objects to be created");
  }
  // The store gives it one: here it only gets its place among the fields.
  metadata.resourceVersion = "0";
}

function freeName(registry: Registry, kind: Kind, draft: KubeObject, isGenerated: boolean, resource: GroupName): void {
  const meta = draft.metadata;
  for (let attempt = 1; ; attempt++) {
    const found = registry.store.get(keyOfObject(kind, draft));
    if (!found) return;
    if (!meta.generateName) {
      throw ApiError.alreadyExists(resource, meta.name ?? "", found.metadata.deletionTimestamp !== undefined);
    }
    if (!isGenerated || attempt === generatedNameAttempts) {
      throw ApiError.noGeneratedName(resource, meta.name ?? "");
    }
    meta.name = generateName(registry, meta.generateName);
  }
}

function admissionRequest(
  kind: Kind,
  draft: KubeObject,
  actor: Actor,
  options: WriteOptions,
  context: AdmissionRequest["context"],
): AdmissionRequest {
  return {
    operation: "CREATE",
    kind,
    subresource: "",
    namespace: draft.metadata.namespace ?? "",
    name: draft.metadata.name ?? "",
    object: draft,
    previous: undefined,
    user: actor.user,
    dryRun: options.dryRun ?? false,
    requestKind: options.requestKind,
    annotations: options.annotations,
    options: optionsOf("CreateOptions", options),
    context,
    warn: (message) => options.warn?.(message),
  };
}
