// Validates the spec of a definition in upstream's order, in the internal form.
import type {
  CustomResourceDefinition,
  CustomResourceColumnDefinition as ColumnDefinition,
  CustomResourceSubresources,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupportedInOrder,
  required,
} from "../../../../shared/k8s/field.ts";
import { dns1035Label, dns1123Subdomain } from "../../../../shared/k8s/names.ts";
import { validateImmutable } from "../../../../shared/k8s/validate-meta.ts";
import { someSchema, unreadable } from "../../../../shared/schema/structural/unsupported.ts";
import { internalForm } from "../../common/go-struct.ts";
import { validateConversion } from "./conversion.ts";
import { type InternalSpec, type InternalVersion, type PerVersion, schemasOf } from "./internal-spec.ts";
import { validateNames } from "./names.ts";
import { validateSchema } from "./schema.ts";
import { validateSelectableFields } from "./selectable-fields.ts";
import type { Strictness } from "./strictness.ts";
import { utf8Length } from "../../../../shared/base/utf8.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const warningMax = 256;

const scopes = ["Cluster", "Namespaced"];
const versionType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion";

export function validateSpec(internal: InternalSpec, strictnessRules: Strictness, at: FieldPath): FieldError[] {
  const { spec, versions } = internal;
  const rules = { ...strictnessRules, structural: strictnessRules.structural || needsStructure(internal) };
  const hasStatus = (perVersion: PerVersion) =>
    (perVersion.subresources ?? internal.subresources)?.status !== undefined;
  const errors = [
    ...validateGroup(spec.group, at.child("group")),
    ...validateScope(spec.scope, at.child("scope")),
    ...missingSchemas(internal, rules, at),
  ];
  if (
    spec.preserveUnknownFields &&
    schemasOf(internal).some((schema) => someSchema(schema, (s) => (s.default ?? null) !== null))
  ) {
    errors.push(
      invalid(at.child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema"),
    );
  }
  for (const [index, version] of versions.entries()) {
    const where = at.child("versions").index(index);
    const wrong = dns1035Label(version.name);
    if (wrong.length > 0) errors.push(invalid(where.child("name"), version.name, wrong.join(",")));
    const deprecation = validateDeprecation(
      version.deprecated ?? false,
      version.deprecationWarning,
      where.child("deprecationWarning"),
    );
    errors.push(...deprecation, ...validatePart(version, version.name, hasStatus(version), rules, where));
  }
  errors.push(...validateVersions(versions, at.child("versions")));
  // The name of the first version is also in the spec.
  const wrongFirst = versions[0]?.name ? dns1035Label(versions[0].name) : [];
  if (wrongFirst.length > 0) errors.push(invalid(at.child("version"), versions[0]?.name, wrongFirst.join(",")));
  errors.push(...missingNames(internal, at.child("names")));
  errors.push(...validateNames(spec.names, at.child("names")));
  const first = versions[0]?.name ?? "";
  const anyStatus = hasStatus(internal) || versions.some(hasStatus);
  errors.push(...validatePart(internal, first, anyStatus, rules, at, { schema: "validation", many: "" }));
  if (spec.conversion) {
    if (spec.conversion.strategy !== "None" && spec.preserveUnknownFields) {
      const why = "must be None if spec.preserveUnknownFields is true";
      errors.push(invalid(at.child("conversion").child("strategy"), spec.conversion.strategy, why));
    }
    errors.push(...validateConversion(spec.conversion, rules, at.child("conversion")));
  }
  return errors;
}

export function validateSpecUpdate(
  next: InternalSpec,
  previous: InternalSpec,
  rules: Strictness,
  at: FieldPath,
): FieldError[] {
  const [is, was] = [next.spec, previous.spec];
  const fixed = rules.fixedNames
    ? [
        ...validateImmutable(is.scope, was.scope, at.child("scope")),
        ...validateImmutable(is.names.kind, was.names.kind, at.child("names", "kind")),
      ]
    : [];
  return [
    ...validateSpec(next, rules, at),
    ...fixed,
    ...validateImmutable(is.group, was.group, at.child("group")),
    ...validateImmutable(is.names.plural, was.names.plural, at.child("names", "plural")),
  ];
}

/** Reports whether a structural schema is required: by pruning, defaults or extensions. */
function needsStructure(internal: InternalSpec): boolean {
  if (!internal.spec.preserveUnknownFields) return true;
  const extensions = [
    "x-kubernetes-embedded-resource",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-validations",
    "default",
  ] as const;
  return schemasOf(internal).some((schema) =>
    someSchema(schema, (s) => extensions.some((name) => s[name] !== undefined)),
  );
}

function validateGroup(group: string, at: FieldPath): FieldError[] {
  if (group === "") return [required(at)];
  const wrong = dns1123Subdomain(group);
  if (wrong.length > 0) return [invalid(at, group, wrong.join(","))];
  return group.includes(".") ? [] : [invalid(at, group, "should be a domain with at least one dot")];
}

function validateScope(scope: string, at: FieldPath): FieldError[] {
  if (scope === "") return [required(at)];
  return scopes.includes(scope) ? [] : [notSupportedInOrder(at, scope, scopes)];
}

function missingSchemas({ schema, spec, versions }: InternalSpec, rules: Strictness, at: FieldPath): FieldError[] {
  if (schema?.openAPIV3Schema) return [];
  return versions.flatMap(({ schema: versionSchema, served }, index) => {
    if (versionSchema?.openAPIV3Schema) return [];
    const where = at.child("versions").index(index).child("schema", "openAPIV3Schema");
    if (rules.openApiSchema) return [required(where)];
    const prunes = !spec.preserveUnknownFields && served;
    return prunes ? [required(where, "because otherwise all fields are pruned")] : [];
  });
}

/** Validates the fields of a version, or those of the spec for all versions. */
function validatePart(
  perVersion: PerVersion,
  version: string,
  hasStatus: boolean,
  rules: Strictness,
  at: FieldPath,
  of = { schema: "schema", many: version },
): FieldError[] {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = perVersion;
  const errors: FieldError[] = [];
  if (schema?.openAPIV3Schema) {
    const where = at.child(of.schema);
    errors.push(...validateSchema(schema.openAPIV3Schema, hasStatus, rules, version, where));
  }
  if (subresources) errors.push(...validateSubresources(subresources, at.child("subresources")));
  errors.push(...validateColumns(additionalPrinterColumns, at.child("additionalPrinterColumns")));
  if (selectableFields.length === 0) return errors;
  const where = at.child("selectableFields");
  const props = schema?.openAPIV3Schema;
  if (!props) {
    const why =
      of.schema === "schema"
        ? "may only be set when `version.schema.openAPIV3Schema` is not included"
        : "may only be set when validations.schema is included";
    return [...errors, invalid(where, "", why)];
  }
  const problem = unreadable(props);
  if (problem) return [...errors, invalid(at.child("schema.openAPIV3Schema"), "", problem)];
  return [...errors, ...validateSelectableFields(selectableFields, props, where, rules.manySelectable.has(of.many))];
}

function validateVersions(versions: readonly InternalVersion[], at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const versionsAsGoStructs = () =>
    versions.length > 0 ? versions.map((version) => internalForm(versionType, version)) : null;
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalid(at, versionsAsGoStructs(), "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(invalid(at, versionsAsGoStructs(), "must have exactly one version marked as storage version"));
  }
  return errors;
}

function missingNames({ spec: { names } }: InternalSpec, at: FieldPath): FieldError[] {
  const all = ["plural", "singular", "kind", "listKind"] as const;
  return all.filter((name) => !names[name]).map((name) => required(at.child(name)));
}

/** Requires that versions in which objects may be stored still exist. */
export function validateStoredVersions({ spec, status }: CustomResourceDefinition, at: FieldPath): FieldError[] {
  const { storedVersions: stored } = status;
  if (stored.length === 0) return [invalid(at, null, "must have at least one stored version")];
  const missing = spec.versions.filter(({ name, storage }) => storage && !stored.includes(name));
  const names = new Set(spec.versions.map(({ name }) => name));
  const gone = [...stored.entries()].filter(([, name]) => !names.has(name));
  return [
    ...missing.map(({ name }) => invalid(at, stored, `must have the storage version ${name}`)),
    ...gone.map(([index, name]) => {
      const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return invalid(at.index(index), name, why);
    }),
  ];
}

function validateSubresources({ scale }: CustomResourceSubresources, at: FieldPath): FieldError[] {
  if (!scale) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...validateScalePath(specReplicasPath, [".spec."], "under .spec", at.child("scale.specReplicasPath")),
    ...validateScalePath(statusReplicasPath, [".status."], "under .status", at.child("scale.statusReplicasPath")),
    ...(labelSelectorPath
      ? validateScalePath(
          labelSelectorPath,
          [".spec.", ".status."],
          "under either .spec or .status",
          at.child("scale.labelSelectorPath"),
        )
      : []),
  ];
}

function validateScalePath(text: string, roots: readonly string[], where: string, at: FieldPath): FieldError[] {
  if (text === "") return [required(at)];
  const wrong = validateSimplePath(text, at);
  if (wrong.length > 0) return wrong;
  return roots.some((root) => text.startsWith(root)) ? [] : [invalid(at, text, `should be a json path ${where}`)];
}

function validateSimplePath(text: string, at: FieldPath): FieldError[] {
  return text.startsWith(".") ? [] : [invalid(at, text, "must be a simple json path starting with .")];
}

function validateColumns(columns: readonly ColumnDefinition[], at: FieldPath): FieldError[] {
  return columns.flatMap((column, index) => validateColumn(column, at.index(index)));
}

function validateColumn({ name, type, format = "", jsonPath }: ColumnDefinition, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const oneOf = (all: readonly string[]) => `must be one of ${all.join(",")}`;
  if (name === "") errors.push(required(at.child("name")));
  if (type === "") errors.push(required(at.child("type"), oneOf(columnTypes)));
  else if (!columnTypes.includes(type)) errors.push(invalid(at.child("type"), type, oneOf(columnTypes)));
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(invalid(at.child("format"), format, oneOf(columnFormats)));
  }
  if (jsonPath === "") errors.push(required(at.child("JSONPath")));
  else errors.push(...validateSimplePath(jsonPath, at.child("JSONPath")));
  return errors;
}

function validateDeprecation(deprecated: boolean, warning: string | undefined, at: FieldPath): FieldError[] {
  if (warning === undefined) return [];
  // Upstream passes a pointer, which is printed as JSON.
  const error = (why: string) => invalid(at, { toJSON: () => warning }, why);
  if (!deprecated) return [error("can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (utf8Length(warning) > warningMax) {
    errors.push(error(`must be <= ${warningMax} characters long`));
  }
  if (warning === "") errors.push(error("must not be an empty string"));
  const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(warning);
  if (hidden) {
    const at = utf8Length(warning.slice(0, hidden.index));
    errors.push(error(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return errors;
}
