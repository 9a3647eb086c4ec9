// One place of a custom resource's schema, in the form that pruning, defaulting and validation walk. The nodes below it are made
// when a value first reaches them: of a schema of a megabyte an object touches little.
import type { JSONSchemaProps, ValidationRule } from "../../k8s/api/apiextensions-v1.ts";
import { isObject } from "../json-values.ts";

export interface SchemaNode {
  readonly props: JSONSchemaProps;
  /** "" where none is given. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly keepsUnknown: boolean;
  readonly isEmbedded: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string | undefined;
  readonly mapType: string | undefined;
  /** Whether it has anyOf or the like. */
  readonly hasAlternatives: boolean;
  readonly rules: readonly ValidationRule[];
  /** Fields that have a default, with it. */
  readonly defaults: readonly (readonly [string, unknown])[];
  property(name: string): SchemaNode | undefined;
  /** The schema of entries that are no fields; `true`: any; undefined: there are none. */
  additional(): SchemaNode | boolean | undefined;
  items(): SchemaNode | undefined;
  /** A schema beside this one, of `allOf` and its like. */
  nested(props: JSONSchemaProps): SchemaNode;
}

/** `isUntyped`: upstream's form for checking defaults, in which `x-kubernetes-int-or-string` says nothing of the type. */
export function schemaNode(props: JSONSchemaProps, isUntyped = false): SchemaNode {
  const fields = new Map<string, SchemaNode>();
  const beside = new Map<JSONSchemaProps, SchemaNode>();
  const given = props.properties ?? {};
  const below = (value: unknown) => (isObject(value) ? schemaNode(value, isUntyped) : undefined);
  const once = <T>(make: () => T) => {
    let made: { readonly value: T } | undefined;
    return () => (made ??= { value: make() }).value;
  };
  return {
    props,
    type: props.type ?? "",
    isNullable: props.nullable === true,
    keepsUnknown: props["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbedded: props["x-kubernetes-embedded-resource"] === true,
    isIntOrString: !isUntyped && props["x-kubernetes-int-or-string"] === true,
    listType: props["x-kubernetes-list-type"],
    mapType: props["x-kubernetes-map-type"],
    hasAlternatives: Boolean(props.anyOf ?? props.oneOf ?? props.allOf ?? props.not),
    rules: props["x-kubernetes-validations"] ?? [],
    defaults: Object.entries(given).flatMap(([name, { default: value }]) =>
      value === undefined || value === null ? [] : [[name, value] as const],
    ),
    property: (name) => {
      const known = fields.get(name);
      if (known || !Object.hasOwn(given, name)) return known;
      const made = below(given[name]);
      if (made) fields.set(name, made);
      return made;
    },
    additional: once(() => {
      const value = props.additionalProperties;
      return typeof value === "boolean" ? value : below(value);
    }),
    items: once(() => below(props.items)),
    nested: (one) => {
      const known = beside.get(one) ?? schemaNode(one, isUntyped);
      beside.set(one, known);
      return known;
    },
  };
}

/** The schema of a field or of an entry of a map. */
export function schemaBelow(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (!node) return undefined;
  const additional = node.property(name) ?? node.additional();
  return typeof additional === "object" ? additional : undefined;
}

/** As a whole object of a kind: with metadata of its own, whatever the schema says. */
export function rootNode(node: SchemaNode): SchemaNode {
  return node.isEmbedded ? node : { ...node, isEmbedded: true };
}

/** What stands in every object beside what its schema says. */
export const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
