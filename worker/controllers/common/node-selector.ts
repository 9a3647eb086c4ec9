// Matches a pod's node selector and required node affinity against nodes (upstream: `component-helpers/nodeaffinity`).
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Labels } from "../../../shared/k8s/selectors/labels.ts";

/** The fields that terms are matched against: a node's labels and its name. */
export interface NodeTarget {
  readonly name: string;
  readonly facts: { readonly labels: Labels };
}

export function targetOf({ metadata }: Node): NodeTarget {
  return { name: metadata.name ?? "", facts: { labels: metadata.labels ?? {} } };
}

/** Returns upstream's `GetRequiredNodeAffinity(pod).Match`. */
export function requiredNodeMatch({ spec }: Pod): ((node: NodeTarget) => boolean) | undefined {
  const selector = Object.entries(spec.nodeSelector ?? {});
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (selector.length === 0 && !required) return undefined;
  return (node) => {
    if (selector.some(([key, value]) => node.facts.labels[key] !== value)) return false;
    return !required || required.nodeSelectorTerms.some((term) => nodeTermMatches(term, node));
  };
}

/** Matches a term. A term without requirements matches nothing. */
export function nodeTermMatches(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: NodeTarget,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const fields: Labels = { "metadata.name": node.name };
  return (
    matchExpressions.every((requirement) => requirementMatches(requirement, node.facts.labels)) &&
    matchFields.every((requirement) => requirementMatches(requirement, fields))
  );
}

function requirementMatches({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return compare(value, values, (a, b) => a > b);
    case "Lt":
      return compare(value, values, (a, b) => a < b);
    default:
      return false;
  }
}

function compare(
  value: string | undefined,
  values: readonly string[],
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const [bound] = values;
  const isInteger = (text: string | undefined): text is string => text !== undefined && /^[+-]?\d+$/.test(text);
  return values.length === 1 && isInteger(value) && isInteger(bound) && holds(BigInt(value), BigInt(bound));
}
