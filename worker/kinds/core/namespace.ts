// The kind Namespace, with its phase, its finalizers, and the label with its name.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import { type FieldError, type FieldPath, invalid, path } from "../../../shared/k8s/field.ts";
import { dns1123Label, qualifiedName, unprefixed } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";

/** Upstream's standard finalizers. Others must have a domain. */
const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

export const namespaces = defineKind<Namespace>("", "v1", "namespaces", {
  validateName: unprefixed(dns1123Label),
  defaults(draft) {
    labelWithName(draft);
    draft.status.phase ??= "Active";
  },
  prepareForCreate(draft) {
    labelWithName(draft);
    draft.status = { phase: "Active" };
    const finalizers = draft.spec.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) draft.spec.finalizers = [...finalizers, "kubernetes"];
  },
  prepareForUpdate(draft, previous) {
    draft.spec = previous.spec;
    draft.status = previous.status;
  },
  validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.objectMetaUpdate()],
  validate: (namespace) =>
    (namespace.spec.finalizers ?? []).flatMap((finalizer) => validateFinalizer(finalizer, path("spec", "finalizers"))),
  resetFields: { finalize: ["status"] },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validatePhase,
    },
    finalize: {
      prepareForUpdate(draft, previous) {
        draft.status = previous.status;
      },
      validateUpdate: (next) =>
        (next.spec.finalizers ?? []).flatMap((finalizer, at) =>
          validateFinalizer(finalizer, path("spec", "finalizers").index(at)),
        ),
    },
  },
  deletion: {
    finalization: {
      begin(draft) {
        draft.status = { ...draft.status, phase: "Terminating" };
      },
      done: (namespace) => !namespace.spec.finalizers?.length && !namespace.metadata.finalizers?.length,
    },
  },
  selectableFields: (namespace) => ({ "status.phase": namespace.status.phase ?? "" }),
  columns: [
    nameColumn,
    {
      name: "Status",
      type: "string",
      description: "Whether the namespace takes new content or is being emptied.",
      cell: (namespace) => namespace.status.phase ?? "",
    },
    ageColumn,
  ],
});

function labelWithName({ metadata }: Namespace): void {
  if (!metadata.name) return;
  metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
}

function validateFinalizer(name: string, at: FieldPath): FieldError[] {
  const errors = qualifiedName(name).map((message) => invalid(at, name, message));
  if (!name.includes("/") && !standardFinalizers.includes(name)) {
    errors.push(invalid(at, name, "name is neither a standard finalizer name nor is it fully qualified"));
  }
  return errors;
}

function validatePhase(next: Namespace): FieldError[] {
  const at = path("status", "Phase");
  const phase = next.status.phase ?? "";
  if (!next.metadata.deletionTimestamp) {
    return phase === "Active" ? [] : [invalid(at, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return phase === "Terminating"
    ? []
    : [invalid(at, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
}
