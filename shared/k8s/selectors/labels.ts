// Label selectors: what they match, and how they print.
import type { LabelSelector } from "../api/meta-v1.ts";
import { parseRequirements } from "./label-query.ts";
import { type Labels, type Requirement, matcherOf, requirementText } from "./label-requirement.ts";
import { ApiError } from "../status.ts";

export type { Labels, Requirement } from "./label-requirement.ts";

export interface Selector {
  /** Restricts nothing. */
  readonly empty: boolean;
  /** The number of its terms. */
  readonly size: number;
  matches(labels: Labels | undefined): boolean;
  toString(): string;
}

export const everything: Selector = selectorOf([]);

export const nothing: Selector = { empty: false, size: 0, matches: () => false, toString: () => "" };

/** The query syntax, `a=b,c in (d,e),!f`; a malformed one is a 400 with upstream's words. */
export function parseSelector(text: string): Selector {
  return selectorOf(parseRequirements(text));
}

/** Absent matches nothing, empty matches everything. */
export function labelSelectorAsSelector(selector: LabelSelector | undefined): Selector {
  if (!selector) return nothing;
  const requirements = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: "=", values: [value] }),
  );
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const known = expressionOperators[operator];
    if (!known) throw ApiError.internal(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push({ key, operator: known, values });
  }
  return selectorOf(requirements);
}

/** Exactly these labels; none matches everything. */
export function selectorFromSet(set: Labels | undefined): Selector {
  return selectorOf(
    Object.entries(set ?? {}).map(([key, value]): Requirement => ({ key, operator: "=", values: [value] })),
  );
}

/** As in tables and in `kubectl describe`. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const hasUnknown = selector?.matchExpressions?.some(({ operator }) => !expressionOperators[operator]);
  if (hasUnknown) return "<error>";
  return labelSelectorAsSelector(selector).toString() || "<none>";
}

/** `a=b,c=d`, or `<none>`. */
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
