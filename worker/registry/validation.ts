// Validates a write: the rules for the metadata of all kinds, and the rules of the kind, in the order of upstream's strategy of the kind
// (upstream: rest.BeforeCreate, rest.BeforeUpdate).
import { type FieldError, path } from "../../shared/k8s/field.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { dns1123Subdomain, validatePathSegmentName } from "../../shared/k8s/names.ts";
import { validateMeta, validateMetaUpdate } from "../../shared/k8s/validate-meta.ts";
import type { Kind, UpdateChecks, WriteContext } from "../kinds/kind.ts";

const at = path("metadata");

export function validateCreate<T extends KubeObject>(kind: Kind<T>, draft: T, context: WriteContext): FieldError[] {
  const kindErrors = kind.validate?.(draft, context) ?? [];
  if (kind.metadataRules === "none" && kindErrors.length > 0) return kindErrors;
  return [...objectMeta(kind, draft), ...kindErrors];
}

/** Validates an update. `subresource` is "" for the object itself. */
export function validateUpdate<T extends KubeObject>(
  kind: Kind<T>,
  subresource: string,
  draft: T,
  previous: T,
  context: WriteContext,
): FieldError[] {
  const [next, old] = [draft.metadata, previous.metadata];
  // As upstream, these errors come first, and the kind's own rules validate the metadata once more. The message has equal errors once.
  const common = [
    ...validateMeta(next, kind.namespaced, validatePathSegmentName, at, { allowsAnyFinalizer: true }),
    ...validateMetaUpdate(next, old, at, { allowsAnyFinalizer: true }),
  ];
  if (subresource === "") return [...common, ...validateOwnUpdate(kind, draft, previous, context)];
  const strategy = kind.subresourceStrategies?.[subresource];
  return [
    ...common,
    ...(kind.metadataRules === "none" ? [] : objectMetaUpdate(kind, draft, previous)),
    ...(strategy?.validateUpdate?.(draft, previous, context) ?? []),
  ];
}

/** Returns the errors of the kind's own rules for an update. */
export function validateOwnUpdate<T extends KubeObject>(
  kind: Kind<T>,
  draft: T,
  previous: T,
  context: WriteContext,
): FieldError[] {
  const check: UpdateChecks = {
    objectMeta: () => objectMeta(kind, draft),
    objectMetaUpdate: () => objectMetaUpdate(kind, draft, previous),
    validate: () => kind.validate?.(draft, context) ?? [],
  };
  if (!kind.validateUpdate) return [...check.objectMetaUpdate(), ...check.validate()];
  return kind.validateUpdate(draft, previous, check, context);
}

function objectMeta(kind: Kind, { metadata }: KubeObject): FieldError[] {
  return validateMeta(metadata, kind.namespaced, kind.validateName ?? dns1123Subdomain, at, {
    allowsAnyFinalizer: anyFinalizer(kind),
  });
}

function objectMetaUpdate(kind: Kind, { metadata: next }: KubeObject, { metadata: old }: KubeObject): FieldError[] {
  return validateMetaUpdate(next, old, at, { allowsAnyFinalizer: anyFinalizer(kind) });
}

/** Reports whether finalizers need no domain: `metadataRules` is set for the kinds that are not validated by the rules of the core API. */
function anyFinalizer({ metadataRules }: Kind): boolean {
  return metadataRules !== undefined;
}
