// The strictness of validation. An update may keep violations that the previous definition already had, as upstream allows.
import type { CustomResourceDefinition, JSONSchemaProps } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import { path, rootPath } from "../../../../shared/k8s/field.ts";
import { isObject } from "../../../../shared/schema/json-values.ts";
import { validateStructural } from "../../../../shared/schema/structural/structurality.ts";
import { someSchema, unreadable } from "../../../../shared/schema/structural/unsupported.ts";
import { isTrue } from "./conditions.ts";
import { validateCaBundle } from "./conversion.ts";
import { type InternalSpec, schemasOf } from "./internal-spec.ts";
import { maxSelectableFields } from "./selectable-fields.ts";
import { validateMapKeys } from "./list-rules.ts";

export const schemaTypes = ["array", "boolean", "integer", "number", "object", "string"];
export const reviewVersions = ["v1", "v1beta1"];

export interface Strictness {
  /** The meter that validation charges. */
  readonly meter: WorkMeter;
  readonly knownReviewVersion: boolean;
  readonly fixedNames: boolean;
  readonly openApiSchema: boolean;
  readonly validTypes: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly mapKeys: boolean;
  readonly validCaBundle: boolean;
  /** The versions with an unchanged schema, whose rule costs are not checked again. */
  readonly unchanged: ReadonlySet<string>;
  /** The versions ("" for the spec) that may exceed the limit of selectable fields. */
  readonly manySelectable: ReadonlySet<string>;
}

/** The strictness for a new definition. */
export const strictness: Omit<Strictness, "meter"> = {
  knownReviewVersion: true,
  fixedNames: false,
  openApiSchema: true,
  validTypes: true,
  structural: true,
  prunedDefaults: true,
  atomicSets: true,
  mapKeys: true,
  validCaBundle: false,
  unchanged: new Set(),
  manySelectable: new Set(),
};

export function strictnessAfter(
  previous: CustomResourceDefinition,
  old: InternalSpec,
  next: InternalSpec,
  meter: WorkMeter,
): Strictness {
  const schemas = schemasOf(old);
  const none = (holds: (schema: JSONSchemaProps) => boolean) =>
    !schemas.some((candidate) => someSchema(candidate, holds));
  const reviews = previous.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    meter,
    knownReviewVersion: reviews.length === 0 || reviews.some((version) => reviewVersions.includes(version)),
    fixedNames: isTrue(previous, "Established"),
    openApiSchema:
      old.schema?.openAPIV3Schema !== undefined || old.versions.every((version) => version.schema?.openAPIV3Schema),
    validTypes: none(({ type }) => Boolean(type) && !schemaTypes.includes(type ?? "")),
    structural: schemas.every(
      (schema) => !unreadable(schema) && validateStructural(schema, rootPath, meter).length === 0,
    ),
    prunedDefaults: true,
    atomicSets: none(isLooseSet),
    mapKeys: none((schema) => validateMapKeys(schema, path("")).length > 0),
    validCaBundle: isTrue(previous, "Established") && !hasBadBundle(previous),
    unchanged: unchangedVersions(previous, next),
    manySelectable: manySelectable(old, next),
  };
}

/** Reports whether a list is a set whose items are not atomic. */
export function isLooseSet(props: JSONSchemaProps): boolean {
  const items = isObject(props.items) ? (props.items as JSONSchemaProps) : undefined;
  if (props["x-kubernetes-list-type"] !== "set" || !items) return false;
  if (items.type === "array") return (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic";
  return items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
}

function hasBadBundle({ spec }: CustomResourceDefinition): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  return Boolean(bundle) && validateCaBundle(bundle ?? "", path("caBundle")).length > 0;
}

function unchangedVersions(previous: CustomResourceDefinition, next: InternalSpec): ReadonlySet<string> {
  const same = next.spec.versions.filter(({ name, schema }) => {
    const old = previous.spec.versions.find((previousVersion) => previousVersion.name === name);
    return old && semanticEqual(old.schema, schema);
  });
  return new Set(same.map(({ name }) => name));
}

function manySelectable(old: InternalSpec, next: InternalSpec): ReadonlySet<string> {
  const versionNames = new Set<string>();
  const check = (name: string, was: InternalSpec["selectableFields"], is: InternalSpec["selectableFields"]) => {
    if ((was?.length ?? 0) > maxSelectableFields && semanticEqual(was, is)) versionNames.add(name);
  };
  check("", old.selectableFields, next.selectableFields);
  for (const { name, selectableFields } of next.versions) {
    const was = old.versions.find((previousVersion) => previousVersion.name === name);
    if (was) check(name, was.selectableFields, selectableFields);
  }
  return versionNames;
}
