// The spec of a definition in upstream's internal form: what all versions have alike stands once, beside them. Refusals name
// their fields by it.
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

/** What stands in a version or, of all alike, in the spec. */
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
  const shared = names.filter((name) => spec.versions.every((one) => semanticEqual(one[name], first?.[name])));
  const above = Object.fromEntries(shared.map((name) => [name, first?.[name]])) as PerVersion;
  return { ...above, spec, versions: spec.versions.map((one) => without(one, shared)) };
}

function without(version: CustomResourceDefinitionVersion, names: readonly (keyof PerVersion)[]): InternalVersion {
  const rest = { ...version };
  for (const name of names) delete rest[name];
  return rest;
}

/** Every schema of a spec. */
export function schemasOf({ schema, versions }: InternalSpec): JSONSchemaProps[] {
  return [schema, ...versions.map((one) => one.schema)].flatMap((one) => one?.openAPIV3Schema ?? []);
}
