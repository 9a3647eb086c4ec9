// Schemas of data: structural schemas of custom resources, and those of the API's own types.
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

const text: Schema = { type: "string" };

/** Adds apiVersion, kind and metadata to the schema of a resource. */
export function withMeta(schema: Schema): Schema {
  const metadata: Schema = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

/** Returns the schema of additional properties; undefined if none is declared. */
export function extraSchema({ additionalProperties: extra }: Schema): Schema | undefined {
  return typeof extra === "object" ? extra : undefined;
}
