// Creating an object: the steps of a write in their order (upstream: registry.Store.Create and rest.BeforeCreate).
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { path } from "../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../shared/k8s/names.ts";
import { validateMeta } from "../../shared/k8s/validate-meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { AdmissionRequest } from "./admission.ts";
import { commit } from "./commit.ts";
import { fillForCreate, generateName, matchNamespace } from "./metadata.ts";
import { recordOwners } from "./ownership.ts";
import {
  type Actor,
  admit,
  canonical,
  contextOf,
  keyOfObject,
  type Registry,
  served,
  type WriteOptions,
} from "./registry.ts";
import { statusField } from "./status-field.ts";

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
  matchNamespace(kind, draft, namespace);
  if (draft.metadata.resourceVersion) {
    throw ApiError.badRequest("resourceVersion should not be set on objects to be created");
  }
  // 2. defaults
  kind.defaults?.(draft);
  // What admission and the strategy add is nobody's.
  recordOwners(registry, kind, { draft, previous: undefined, subresource: "" }, actor, options);
  // 3. admission that changes
  const request = admissionRequest(kind, draft, actor, options, context);
  admit(registry, "mutate", request);
  kind.refuseWriter?.(draft, undefined, context);
  // 4. the strategy prepares
  fillForCreate(registry, kind, draft);
  if (!kind.keepsStatusOnCreate) statusField.clear(kind, draft);
  kind.prepareForCreate?.(draft, context);
  // 5. validation
  const errors = [
    ...validateMeta(
      draft.metadata,
      kind.namespaced,
      kind.validateName ?? dns1123Subdomain,
      path("metadata"),
      kind.anyFinalizer,
    ),
    ...(kind.validate?.(draft, context) ?? []),
  ];
  if (errors.length > 0) throw ApiError.invalid(kind.groupKind, draft.metadata.name ?? "", errors);
  for (const warning of kind.warnings?.(draft, undefined) ?? []) options.warn?.(warning);
  // 6. admission that checks
  admit(registry, "validate", { ...request, name: draft.metadata.name ?? "" });
  // 7. the name must be free
  freeName(registry, kind, draft, isGenerated);
  // 8. commit the canonical form; it is frozen
  const stored = canonical(kind, draft);
  if (options.dryRun) return stored;
  return served(kind, commit(registry, kind, keyOfObject(kind, stored), stored, actor).object);
}

function freeName(registry: Registry, kind: Kind, draft: KubeObject, isGenerated: boolean): void {
  const meta = draft.metadata;
  for (let attempt = 1; registry.store.get(keyOfObject(kind, draft)); attempt++) {
    if (!meta.generateName) throw ApiError.alreadyExists(kind.groupResource, meta.name ?? "");
    if (!isGenerated || attempt === generatedNameAttempts) {
      throw ApiError.noGeneratedName(kind.groupResource, meta.name ?? "");
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
    context,
    warn: (message) => options.warn?.(message),
  };
}
