// Parses, matches and formats label selectors.
import type { LabelSelector } from "../api/meta-v1.ts";
import { parseRequirements } from "./label-query.ts";
import { type Labels, type Requirement, matcherOf, requirementText } from "./label-requirement.ts";
import { ApiError } from "../status.ts";

export type { Labels, Requirement } from "./label-requirement.ts";

export interface Selector {
  /** Whether the selector matches everything. */
  readonly empty: boolean;
  /** The number of terms. */
  readonly size: number;
  matches(labels: Labels | undefined): boolean;
  toString(): string;
}

export const everything: Selector = selectorOf([]);

export const nothing: Selector = { empty: false, size: 0, matches: () => false, toString: () => "" };

/** Parses the query syntax, `a=b,c in (d,e),!f`. Throws 400 with upstream's message if it is malformed. */
export function parseSelector(text: string): Selector {
  return selectorOf(parseRequirements(text));
}

/** Returns a selector that matches nothing if it is undefined, and everything if it is empty. */
export function labelSelectorAsSelector(selector: LabelSelector | undefined): Selector {
  if (!selector) return nothing;
  const requirements = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: "=", values: [value] }),
  );
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const queryOperator = expressionOperators[operator];
    if (!queryOperator) throw ApiError.internal(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push({ key, operator: queryOperator, values });
  }
  return selectorOf(requirements);
}

/** Returns a selector for exactly these labels. An empty or absent set matches everything. */
export function selectorFromSet(set: Labels | undefined): Selector {
  return selectorOf(
    Object.entries(set ?? {}).map(([key, value]): Requirement => ({ key, operator: "=", values: [value] })),
  );
}

/** Formats a selector as tables and `kubectl describe` do. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const hasUnknown = selector?.matchExpressions?.some(({ operator }) => !expressionOperators[operator]);
  if (hasUnknown) return "<error>";
  return labelSelectorAsSelector(selector).toString() || "<none>";
}

/** Formats labels as `a=b,c=d`, or `<none>`. */
export function formatLabels(labels: Labels | undefined): string {
  return selectorFromSet(labels).toString() || "<none>";
}

const expressionOperators: Readonly<Record<string, Requirement["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function selectorOf(unsorted: readonly Requirement[]): Selector {
  const requirements = [...unsorted].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const matchers = requirements.map(matcherOf);
  return {
    empty: requirements.length === 0,
    size: requirements.length,
    matches: (labels = {}) => matchers.every((matches) => matches(labels)),
    toString: () => requirements.map(requirementText).join(","),
  };
}
