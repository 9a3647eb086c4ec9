// The facts of every type: Kubernetes' own, and those of the aggregation layer, which is a project beside it.
import aggregator from "./facts/aggregator-types.json" with { type: "json" };
import kubernetes from "./facts/kubernetes-types.json" with { type: "json" };

export const typeFacts = {
  types: { ...kubernetes.types, ...aggregator.types },
  enums: kubernetes.enums,
  kinds: [...kubernetes.kinds, ...aggregator.kinds],
};
