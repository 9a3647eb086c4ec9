// The kind CustomResourceDefinition of apiextensions.k8s.io: what adds kinds to a cluster.
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, invalid, path } from "../../../../shared/k8s/field.ts";
import { equalJson } from "../../../../shared/schema/json-values.ts";
import { coerceDefaults } from "../../../../shared/schema/structural/default-values.ts";
import { defaultClient } from "../../admissionregistration/webhook-client.ts";
import { validateApproval } from "./approval.ts";
import { setCondition } from "./conditions.ts";
import { internalSpec, schemasOf } from "./internal-spec.ts";
import { validateNames } from "./names.ts";
import { strictness, type Strictness, strictnessAfter } from "./strictness.ts";
import { summaryOf } from "./summary.ts";
import { validateSpec, validateSpecUpdate, validateStoredVersions } from "./validation.ts";
import { defineKindBeside } from "../../kind.ts";
import { isKnownFormat } from "../../../../shared/schema/structural/formats.ts";
import { someSchema } from "../../../../shared/schema/structural/unsupported.ts";

/** The finalizer that keeps a definition until its instances are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export const customResourceDefinitions = defineKindBeside<CustomResourceDefinition>(
  {
    group: "apiextensions.k8s.io",
    version: "v1",
    resource: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
    namespaced: false,
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    subresources: { status: ["get", "patch", "put"] },
  },
  {
    allowUnconditionalUpdate: false,
    defaults({ spec, status }) {
      const { names } = spec;
      names.singular ||= names.kind.toLowerCase();
      if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
      spec.conversion ??= { strategy: "None" };
      if (spec.conversion.webhook?.clientConfig) defaultClient(spec.conversion.webhook.clientConfig);
      if (status.storedVersions.length === 0) {
        status.storedVersions = spec.versions
          .filter(({ storage }) => storage)
          .map(({ name }) => name)
          .slice(0, 1);
      }
    },
    prepareForCreate(draft) {
      draft.status.storedVersions = [];
      storeVersion(draft);
      coerceAll(draft);
    },
    prepareForUpdate(draft) {
      storeVersion(draft);
      coerceAll(draft);
    },
    raisesGeneration: (next, previous) => !equalJson(next.spec, previous.spec),
    metadataRules: "apimachinery",
    validate: (object, { meter }) => validate(object, undefined, meter),
    validateUpdate: (next, previous, check, { meter }) => [
      ...check.objectMetaUpdate(),
      ...validate(next, previous, meter),
    ],
    warnings: (next, previous) => formatWarnings(next.spec, previous?.spec),
    deletion: {
      finalization: {
        begin(draft) {
          const finalizers = draft.metadata.finalizers ?? [];
          if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer];
          const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
          // Upstream sets the deletion timestamp to now, without a grace period, and does not raise the generation.
          delete draft.metadata.deletionGracePeriodSeconds;
          draft.metadata.generation = (draft.metadata.generation ?? 1) - 1;
          const now = draft.metadata.deletionTimestamp ?? "";
          const condition = { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message };
          draft.status.conditions = setCondition(draft.status.conditions, condition, now);
        },
        // A repeated deletion is handled as for any object.
        again(draft) {
          draft.metadata.deletionGracePeriodSeconds = 0;
        },
        done: () => true,
      },
    },
    subresourceStrategies: {
      status: {
        prepareForUpdate(draft, previous) {
          draft.spec = previous.spec;
        },
        validateUpdate: ({ status }) => validateNames(status.acceptedNames, path("status", "acceptedNames")),
      },
    },
    indexValue: summaryOf,
    columns: [],
  },
);

/** Adds the storage version to the stored versions, since objects may be stored in it. */
function storeVersion({ spec, status }: CustomResourceDefinition): void {
  const stored = spec.versions.find(({ storage }) => storage)?.name;
  if (stored !== undefined && !status.storedVersions.includes(stored)) {
    status.storedVersions = [...status.storedVersions, stored];
  }
}

/** Coerces the schemas, as upstream does during default validation. */
function coerceAll({ spec }: CustomResourceDefinition): void {
  for (const { schema } of spec.versions) if (schema?.openAPIV3Schema) coerceDefaults(schema.openAPIV3Schema);
}

function validate(
  object: CustomResourceDefinition,
  previous: CustomResourceDefinition | undefined,
  meter: WorkMeter,
): FieldError[] {
  const spec = internalSpec(object.spec);
  const old = previous && internalSpec(previous.spec);
  const rules: Strictness = previous && old ? strictnessAfter(previous, old, spec, meter) : { ...strictness, meter };
  const at = path("spec");
  return [
    ...(previous ? [] : validateName(object)),
    ...(old ? validateSpecUpdate(spec, old, rules, at) : validateSpec(spec, rules, at)),
    ...validateNames(object.status.acceptedNames, path("status", "acceptedNames")),
    ...validateStoredVersions(object, path("status", "storedVersions")),
    ...validateApproval(object, previous),
    ...validateUnknownFields(object, previous),
  ];
}

/** Validates the name beyond the general rules. */
function validateName({ metadata: { name = "", generateName = "" }, spec }: CustomResourceDefinition): FieldError[] {
  const names = { generateName, name };
  return Object.entries(names).flatMap(([field, values]) =>
    values === "" || values === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid(path("metadata", field), values, 'must be spec.names.plural+"."+spec.group')],
  );
}

function validateUnknownFields(object: CustomResourceDefinition, previous?: CustomResourceDefinition): FieldError[] {
  if (previous?.spec.preserveUnknownFields || !object.spec.preserveUnknownFields) return [];
  const why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalid(path("spec", "preserveUnknownFields"), true, why)];
}

function formatWarnings(
  next: CustomResourceDefinitionSpec,
  previous: CustomResourceDefinitionSpec | undefined,
): string[] {
  const before = new Set(previous ? unknownFormats(previous) : []);
  return unknownFormats(next)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(spec: CustomResourceDefinitionSpec): string[] {
  const changedFields: string[] = [];
  for (const schema of schemasOf(internalSpec(spec))) {
    someSchema(schema, ({ format, type = "" }) => {
      if (format && !isKnownFormat(format, type)) changedFields.push(format);
      return false;
    });
  }
  return changedFields;
}
