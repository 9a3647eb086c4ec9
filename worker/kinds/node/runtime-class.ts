// The kind RuntimeClass of node.k8s.io.
import type { Toleration } from "../../../shared/k8s/api/core-v1.ts";
import type { RuntimeClass } from "../../../shared/k8s/api/node-v1.ts";
import { type FieldError, type FieldPath, duplicate, path, required } from "../../../shared/k8s/field.ts";
import { dns1123Label } from "../../../shared/k8s/names.ts";
import { validateImmutable, validateLabels } from "../../../shared/k8s/validate-meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { defineKind } from "../kind.ts";
import { each } from "../common/checks.ts";
import { getNodeLabelDeprecatedMessage } from "../core/pod/scheduling-warnings.ts";
import { validateResources } from "../core/pod/validation/resources.ts";
import { validateTolerations } from "../core/pod/validation/scheduling.ts";
import { repeatsOf } from "../../../shared/k8s/repeats.ts";

const identity = ["key", "operator", "value", "effect"] as const;

export const runtimeClasses = defineKind<RuntimeClass>("node.k8s.io", "v1", "runtimeclasses", {
  metadataRules: "apimachinery",
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: ({ handler, overhead, scheduling }) => [
    ...(handler ? each(dns1123Label(handler), path("handler"), handler) : [required(path("handler"))]),
    ...(overhead ? validateResources({ limits: overhead.podFixed ?? {} }, [], path("overhead")) : []),
    ...validateLabels(scheduling?.nodeSelector, path("scheduling", "nodeSelector")),
    ...validateUniqueTolerations(scheduling?.tolerations ?? [], path("scheduling", "tolerations")),
  ],
  validateUpdate: (next, previous, check) => [
    ...check.objectMeta(),
    ...check.validate(),
    ...check.objectMetaUpdate(),
    ...validateImmutable(next.handler, previous.handler, path("handler")),
  ],
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
      const message = getNodeLabelDeprecatedMessage(key);
      return message ? [`${path("scheduling", "nodeSelector")}: ${message}`] : [];
    }),
  columns: [
    nameColumn,
    {
      name: "Handler",
      type: "string",
      description: "The name by which the container runtime knows the class.",
      cell: ({ handler }) => handler,
    },
    ageColumn,
  ],
});

function validateUniqueTolerations(tolerations: readonly Toleration[], at: FieldPath): FieldError[] {
  const repeats = repeatsOf(tolerations, (toleration) =>
    JSON.stringify(identity.map((field) => toleration[field] ?? "")),
  );
  const repeated = tolerations.flatMap((toleration, index) =>
    repeats[index] ? [duplicate(at.index(index), internal(toleration))] : [],
  );
  return [...validateTolerations(tolerations, at), ...repeated];
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internal({ key, operator, value, effect, tolerationSeconds }: Toleration): unknown {
  return {
    Key: key ?? "",
    Operator: operator ?? "",
    Value: value ?? "",
    Effect: effect ?? "",
    TolerationSeconds: tolerationSeconds ?? null,
  };
}
