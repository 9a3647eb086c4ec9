// The spec of a definition in upstream's internal form: fields that are equal in all versions are in the spec. Error paths refer to this
// form.
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";

/** The fields of a version, or of the spec if all versions are equal. */
export interface PerVersion {
  readonly schema?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: readonly SelectableField[] | undefined;
}

export interface InternalVersion extends PerVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
}

export interface InternalSpec extends PerVersion {
  readonly spec: CustomResourceDefinitionSpec;
  readonly versions: readonly InternalVersion[];
}

export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const names = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
  const [first] = spec.versions;
  const shared = names.filter((name) => spec.versions.every((version) => semanticEqual(version[name], first?.[name])));
  const above = Object.fromEntries(shared.map((name) => [name, first?.[name]])) as PerVersion;
  return { ...above, spec, versions: spec.versions.map((version) => without(version, shared)) };
}

function without(version: CustomResourceDefinitionVersion, names: readonly (keyof PerVersion)[]): InternalVersion {
  const rest = { ...version };
  for (const name of names) delete rest[name];
  return rest;
}

/** Returns every schema of a spec. */
export function schemasOf({ schema, versions }: InternalSpec): JSONSchemaProps[] {
  return [schema, ...versions.map((versionOrSchema) => versionOrSchema.schema)].flatMap(
    (validation) => validation?.openAPIV3Schema ?? [],
  );
}
