// An OpenAPI schema, with the subset of the standard that Kubernetes publishes.

export interface Schema {
  description?: string;
  type?: string;
  format?: string;
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  default?: unknown;
  enum?: readonly string[];
  required?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-selectable-fields"?: readonly { readonly fieldPath: string }[];
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-unions"?: readonly Union[];
}

/** Fields of which exactly one is set: the one that the discriminator names, if there is one. */
export interface Union {
  readonly discriminator?: string;
  readonly "fields-to-discriminateBy": Readonly<Record<string, string>>;
}

/** Returns the text of a type (`field` is "") or of a field, as its type declares it. */
export type Describe = (type: string, field: string) => string | undefined;

export const refPrefix = "#/components/schemas/";

export function refTo(type: string): Schema {
  return { $ref: refPrefix + type };
}
