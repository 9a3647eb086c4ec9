// The validation of metadata: upstream's `ValidateObjectMeta` and `ValidateObjectMetaUpdate`, labels, annotations and selectors.
import { limits } from "../base/limits.ts";
import { utf8Length } from "../base/utf8.ts";
import type {
  LabelSelector,
  LabelSelectorRequirement,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from "./api/meta-v1.ts";
import { semanticEqual } from "./equal.ts";
import { type FieldError, type FieldPath, forbidden, invalid, required, tooLong } from "./field.ts";
import { dns1123Label, labelValue, maskTrailingDash, qualifiedName } from "./names.ts";

/** The limit of bytes of all annotations of an object, keys and values. */
const annotationBytesMax = 256 * 1024;

const none: readonly FieldError[] = [];

const mostControllersTold = 10;

/** Finalizers that need no domain. */
const standardFinalizers: readonly string[] = ["kubernetes", "foregroundDeletion", "orphan"];

/** Validates metadata. `validateName` gets the name, or, with `prefix` true, the `generateName` without its trailing dash. */
export function validateMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  validateName: (name: string, prefix: boolean) => string[],
  path: FieldPath,
  { allowsAnyFinalizer = false }: { readonly allowsAnyFinalizer?: boolean } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  const { name, generateName, namespace } = meta;
  if (generateName) {
    errors.push(...each(validateName(maskTrailingDash(generateName), true), path.child("generateName"), generateName));
  }
  if (name) errors.push(...each(validateName(name, false), path.child("name"), name));
  else errors.push(required(path.child("name"), "name or generateName is required"));
  if (!namespaced && namespace) errors.push(forbidden(path.child("namespace"), "not allowed on this type"));
  if (namespaced && !namespace) errors.push(required(path.child("namespace")));
  if (namespaced && namespace) errors.push(...each(dns1123Label(namespace), path.child("namespace"), namespace));
  if ((meta.generation ?? 0) < 0) errors.push(notNegative(path.child("generation"), meta.generation));
  errors.push(...validateCommon(meta, path));
  errors.push(...validateFinalizers(meta.finalizers ?? [], path.child("finalizers")));
  if (!allowsAnyFinalizer) errors.push(...validateStandardFinalizers(meta.finalizers ?? [], path.child("finalizers")));
  errors.push(...validateManagedFields(meta.managedFields ?? [], path.child("managedFields")));
  return errors;
}

export function validateMetaUpdate(
  next: ObjectMeta,
  previous: ObjectMeta,
  path: FieldPath,
  { allowsAnyFinalizer = false }: { readonly allowsAnyFinalizer?: boolean } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  if (previous.deletionTimestamp) {
    errors.push(...validateNoNewFinalizers(next.finalizers ?? [], previous.finalizers ?? [], path.child("finalizers")));
  }
  if (!next.resourceVersion) {
    errors.push(invalid(path.child("resourceVersion"), "", "must be specified for an update"));
  }
  if ((next.generation ?? 0) < (previous.generation ?? 0)) {
    errors.push(invalid(path.child("generation"), next.generation ?? 0, "must not be decremented"));
  }
  for (const field of immutableFields) {
    errors.push(...validateImmutable(next[field] ?? "", previous[field] ?? "", path.child(field)));
  }
  errors.push(...validateCommon(next, path));
  if (!allowsAnyFinalizer) errors.push(...validateStandardFinalizers(next.finalizers ?? [], path.child("finalizers")));
  errors.push(...validateManagedFields(next.managedFields ?? [], path.child("managedFields")));
  return errors;
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

export function validateImmutable(next: unknown, previous: unknown, path: FieldPath): FieldError[] {
  return semanticEqual(next, previous) ? [] : [invalid(path, next, "field is immutable")];
}

export function validateNonNegative(value: number | undefined, path: FieldPath): FieldError[] {
  return value !== undefined && value < 0 ? [notNegative(path, value)] : [];
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  return few(Object.entries(labels ?? {}), ([key, value]) => [
    ...each(qualifiedName(key), path, key),
    ...each(labelValue(value), path, value),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = few(entries, ([key]) => each(qualifiedName(key.toLowerCase()), path, key));
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  if (bytes > annotationBytesMax) errors.push(tooLong(path, annotationBytesMax));
  return errors;
}

export function validateLabelSelector(selector: LabelSelector | undefined, path: FieldPath): FieldError[] {
  if (!selector) return [];
  const expressions = selector.matchExpressions ?? [];
  return [
    ...validateLabels(selector.matchLabels, path.child("matchLabels")),
    ...few(expressions, (expression, at) => validateExpression(expression, path.child("matchExpressions").index(at))),
  ];
}

function validateExpression({ key, operator, values = [] }: LabelSelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(required(path.child("values"), detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbidden(path.child("values"), detail));
  } else {
    errors.push(invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  errors.push(...each(qualifiedName(key), path.child("key"), key));
  return errors;
}

function validateCommon(meta: ObjectMeta, path: FieldPath): FieldError[] {
  return [
    ...validateLabels(meta.labels, path.child("labels")),
    ...validateAnnotations(meta.annotations, path.child("annotations")),
    ...validateOwnerReferences(meta.ownerReferences ?? [], path.child("ownerReferences")),
  ];
}

function validateOwnerReferences(owners: readonly OwnerReference[], path: FieldPath): FieldError[] {
  const [first, ...otherControllers] = owners.filter(({ controller }) => controller);
  const nameOf = ({ kind, name }: OwnerReference) => `${kind}/${name}`;
  // Each error lists all owners.
  const doubled = otherControllers.slice(0, mostControllersTold).map((owner) => {
    const which = `${first ? nameOf(first) : ""} and ${nameOf(owner)}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${which}`;
    return invalid(path, owners, detail);
  });
  return [...few(owners, (owner) => validateOwnerReference(owner, path)), ...doubled];
}

function validateOwnerReference(owner: OwnerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const version = owner.apiVersion.split("/").length > 2 ? "" : (owner.apiVersion.split("/").at(-1) ?? "");
  if (!version) errors.push(invalid(path.child("apiVersion"), owner.apiVersion, "version must not be empty"));
  for (const field of ["kind", "name", "uid"] as const) {
    if (!owner[field]) errors.push(invalid(path.child(field), owner[field], "must not be empty"));
  }
  if (owner.apiVersion === "v1" && owner.kind === "Event") {
    errors.push(invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  const errors = few(finalizers, (finalizer) => each(qualifiedName(finalizer), path, finalizer));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

function validateStandardFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  return few(finalizers, (finalizer, at) =>
    finalizer.includes("/") || standardFinalizers.includes(finalizer)
      ? []
      : [invalid(path.index(at), finalizer, "name is neither a standard finalizer name nor is it fully qualified")],
  );
}

function validateNoNewFinalizers(next: readonly string[], previous: readonly string[], path: FieldPath): FieldError[] {
  const before = new Set(previous);
  const added = next.filter((finalizer) => !before.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ];
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[], path: FieldPath): FieldError[] {
  return few(entries, (entry, index) => {
    const at = path.index(index);
    const errors: FieldError[] = [];
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      errors.push(invalid(at.child("operation"), entry.operation ?? "", "must be `Apply` or `Update`"));
    }
    if (entry.fieldsType && entry.fieldsType !== "FieldsV1") {
      errors.push(invalid(at.child("fieldsType"), entry.fieldsType, "must be `FieldsV1`"));
    }
    if (utf8Length(entry.manager ?? "") > 128) errors.push(tooLong(at.child("manager"), 128));
    if (utf8Length(entry.subresource ?? "") > 256) errors.push(tooLong(at.child("subresource"), 256));
    return errors;
  });
}

/** Returns the errors of the items, up to the number that an answer lists. */
function few<T>(all: readonly T[], validate: (item: T, at: number) => readonly FieldError[]): FieldError[] {
  const errors: FieldError[] = [];
  for (let at = 0; at < all.length && errors.length <= limits.toldErrors; at++) {
    // The index is below the length, so the item exists.
    errors.push(...validate(all[at] as T, at));
  }
  return errors;
}

function notNegative(path: FieldPath, value: unknown): FieldError {
  return invalid(path, value, "must be greater than or equal to 0");
}

function each(messages: readonly string[], path: FieldPath, value: unknown): readonly FieldError[] {
  return messages.length === 0 ? none : messages.map((message) => invalid(path, value, message));
}
