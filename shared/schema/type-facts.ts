// The facts of all types: Kubernetes' own, and those of the aggregation layer, which is a separate project.
import aggregator from "./facts/aggregator-types.json" with { type: "json" };
import kubernetes from "./facts/kubernetes-types.json" with { type: "json" };

export const typeFacts = {
  types: { ...kubernetes.types, ...aggregator.types },
  enums: kubernetes.enums,
  kinds: [...kubernetes.kinds, ...aggregator.kinds],
};

export interface FieldFacts {
  readonly json?: string;
  /** The protobuf number. */
  readonly n?: number;
  /** A type, `enum:<name>`, a scalar or a special form; `{of: [...]}`: a named slice of strings as the value of a map. */
  readonly type?: string | { readonly of: readonly string[] };
  readonly shape?: "list" | "map";
  /** A type whose fields stand directly in the object. */
  readonly inline?: string;
  readonly wrapped?: boolean;
  readonly ptr?: boolean;
  readonly required?: boolean;
  readonly default?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly structType?: string;
  /** Whether a time that is not set is printed as null. In the newest release, `creationTimestamp` is omitted. */
  readonly nullIfUnset?: boolean;
  /** The feature gate without which the field is dropped. */
  readonly gate?: string;
}
