// The kind StorageClass of storage.k8s.io.
import type { TopologySelectorTerm } from "../../../shared/k8s/api/core-v1.ts";
import type { StorageClass } from "../../../shared/k8s/api/storage-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, type FieldPath, duplicate, notSupported, path, required } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { getNodeLabelDeprecatedMessage } from "../core/pod/scheduling-warnings.ts";
import { validateParameters, validateProvisioner } from "./parameters.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

/** The annotations of the default class. The second is the older name. */
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const immutableFields = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const;

export const storageClasses = defineKind<StorageClass>("storage.k8s.io", "v1", "storageclasses", {
  deletion: { returnsObject: true },
  defaults(draft) {
    draft.reclaimPolicy ??= "Delete";
    draft.volumeBindingMode ??= "Immediate";
  },
  validate: (sc) => [
    ...validateProvisioner(sc.provisioner, path("provisioner")),
    ...validateParameters(sc.parameters ?? {}, path("parameters")),
    ...(sc.reclaimPolicy ? oneOf(sc.reclaimPolicy, path("reclaimPolicy"), reclaimPolicies) : []),
    ...(sc.volumeBindingMode === undefined
      ? [required(path("volumeBindingMode"))]
      : oneOf(sc.volumeBindingMode, path("volumeBindingMode"), bindingModes)),
    ...validateTopologies(sc.allowedTopologies ?? [], path("allowedTopologies")),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...immutableFields.flatMap((field) => validateImmutable(next[field], previous[field], path(field))),
  ],
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ key }, at) => {
        const message = getNodeLabelDeprecatedMessage(key);
        const where = path("allowedTopologies").index(index).child("matchLabelExpressions").index(at).child("key");
        return message ? [`${where}: ${message}`] : [];
      }),
    ),
  columns: [
    {
      ...nameColumn,
      cell: (sc: StorageClass) => `${sc.metadata.name ?? ""}${isDefaultStorageClass(sc) ? " (default)" : ""}`,
    },
    {
      name: "Provisioner",
      type: "string",
      description: "The driver that makes the volumes.",
      cell: (sc) => sc.provisioner,
    },
    {
      name: "ReclaimPolicy",
      type: "string",
      description: "What becomes of a volume when its claim is gone.",
      cell: (sc) => sc.reclaimPolicy ?? "Delete",
    },
    {
      name: "VolumeBindingMode",
      type: "string",
      description: "When claims get their volumes.",
      cell: (sc) => sc.volumeBindingMode ?? "Immediate",
    },
    {
      name: "AllowVolumeExpansion",
      type: "string",
      description: "Whether volumes may grow.",
      cell: (sc) => sc.allowVolumeExpansion ?? false,
    },
    ageColumn,
  ],
});

export function isDefaultStorageClass({ metadata }: StorageClass): boolean {
  return defaultAnnotations.some((name) => metadata.annotations?.[name] === "true");
}

function oneOf(value: string, at: FieldPath, supported: readonly string[]): FieldError[] {
  return supported.includes(value) ? [] : [notSupported(at, value, supported)];
}

function validateTopologies(terms: readonly TopologySelectorTerm[], at: FieldPath): FieldError[] {
  // Upstream compares the key-value sets of each term with the earlier ones, and with as many empty ones as there are terms.
  const termSets: Record<string, string[]>[] = terms.map(() => ({}));
  return terms.flatMap((term, index) => {
    const where = at.index(index).child("matchLabelExpressions");
    const expressions = term.matchLabelExpressions ?? [];
    const repeats = repeatsOf(expressions, ({ key }) => key);
    const errors = expressions.flatMap(({ key, values }, keyAt) => [
      ...validateValues(values, where.index(keyAt).child("values")),
      ...each(qualifiedName(key), where.index(keyAt).child("key"), key),
      ...(repeats[keyAt] ? [duplicate(where.index(keyAt).child("key"), key)] : []),
    ]);
    const sets = Object.fromEntries(expressions.map(({ key, values }) => [key, [...new Set(values)].sort()]));
    for (const earlierSets of termSets) if (isSame(earlierSets, sets)) errors.push(duplicate(where, ""));
    termSets.push(sets);
    return errors;
  });
}

/** Reports whether two sets are equal. Sets with different keys are not. */
function isSame(a: Record<string, string[]>, b: Record<string, string[]>): boolean {
  return (
    Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => key in b) && semanticEqual(a, b)
  );
}

function validateValues(values: readonly string[], at: FieldPath): FieldError[] {
  if (!values.length) return [required(at)];
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [duplicate(at.index(index), value)] : []));
}
