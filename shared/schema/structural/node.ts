// A node of a custom resource's schema, in the form that pruning, defaulting and validation walk. Child nodes are created on first use,
// because an object touches little of a large schema.
import type { JSONSchemaProps, ValidationRule } from "../../k8s/api/apiextensions-v1.ts";
import { isObject } from "../json-values.ts";

export interface SchemaNode {
  readonly props: JSONSchemaProps;
  /** "" if the schema has no type. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly keepsUnknown: boolean;
  readonly isEmbedded: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string | undefined;
  readonly mapType: string | undefined;
  /** Whether the schema has anyOf or the like. */
  readonly hasAlternatives: boolean;
  readonly rules: readonly ValidationRule[];
  /** Fields with a default. */
  readonly defaults: readonly (readonly [string, unknown])[];
  property(name: string): SchemaNode | undefined;
  /** Returns the schema of entries that are no fields; `true` allows any entry, undefined none. */
  additional(): SchemaNode | boolean | undefined;
  items(): SchemaNode | undefined;
  /** Returns the node of a schema in `allOf` or the like. */
  nested(props: JSONSchemaProps): SchemaNode;
}

/** Creates a node. `isUntyped`: upstream's form for checking defaults, in which `x-kubernetes-int-or-string` does not restrict the type. */
export function schemaNode(props: JSONSchemaProps, isUntyped = false): SchemaNode {
  const fields = new Map<string, SchemaNode>();
  const beside = new Map<JSONSchemaProps, SchemaNode>();
  const properties = props.properties ?? {};
  const below = (value: unknown) => (isObject(value) ? schemaNode(value, isUntyped) : undefined);
  const once = <T>(make: () => T) => {
    let cached: { readonly value: T } | undefined;
    return () => (cached ??= { value: make() }).value;
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
    defaults: Object.entries(properties).flatMap(([name, { default: value }]) =>
      value === undefined || value === null ? [] : [[name, value] as const],
    ),
    property: (name) => {
      const cached = fields.get(name);
      if (cached || !Object.hasOwn(properties, name)) return cached;
      const property = below(properties[name]);
      if (property) fields.set(name, property);
      return property;
    },
    additional: once(() => {
      const value = props.additionalProperties;
      return typeof value === "boolean" ? value : below(value);
    }),
    items: once(() => below(props.items)),
    nested: (nestedProps) => {
      const nestedNode = beside.get(nestedProps) ?? schemaNode(nestedProps, isUntyped);
      beside.set(nestedProps, nestedNode);
      return nestedNode;
    },
  };
}

/** Returns the schema of a field or of a map entry. */
export function schemaBelow(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (!node) return undefined;
  const additional = node.property(name) ?? node.additional();
  return typeof additional === "object" ? additional : undefined;
}

/** Returns the node as an object of a kind, which has metadata whatever the schema says. */
export function rootNode(node: SchemaNode): SchemaNode {
  return node.isEmbedded ? node : { ...node, isEmbedded: true };
}

/** The fields that every object has beside those of its schema. */
export const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
