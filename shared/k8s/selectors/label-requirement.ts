// A term of a label selector: its matcher, its text and its validation.
import { FieldPath, type FieldError, invalid } from "../field.ts";
import { labelValue, qualifiedName } from "../names.ts";

export type Labels = Readonly<Record<string, string>>;

export interface Requirement {
  readonly key: string;
  readonly operator: "=" | "==" | "!=" | "in" | "notin" | ">" | "<" | "exists" | "!";
  readonly values: readonly string[];
}

/** The number of values past which a lookup in a set is faster than a search. */
const fewValues = 8;

/** Returns the test of labels that a requirement stands for. Its time does not depend on the number of values. */
export function matcherOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const set = values.length > fewValues ? new Set(values) : undefined;
  const isListed = set ? (value: string) => set.has(value) : (value: string) => values.includes(value);
  const matches = (value: string | undefined): boolean => {
    switch (operator) {
      case "=":
      case "==":
      case "in":
        return value !== undefined && isListed(value);
      case "!=":
      case "notin":
        return value === undefined || !isListed(value);
      case "exists":
        return value !== undefined;
      case "!":
        return value === undefined;
      default:
        return value !== undefined && compares(value, operator, values[0] ?? "");
    }
  };
  return (labels) => matches(Object.hasOwn(labels, key) ? labels[key] : undefined);
}

export function requirementText({ key, operator, values }: Requirement): string {
  const listed = [...values].sort().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${listed})`;
    default:
      return `${key}${operator}${listed}`;
  }
}

/** Upstream's `labels.NewRequirement`. */
export function validateRequirement({ key, operator, values }: Requirement): FieldError[] {
  const errors = validateKey(key, new FieldPath("key"));
  const at = new FieldPath("values");
  if ((operator === "in" || operator === "notin") && values.length === 0) {
    errors.push(invalid(at, values, "for 'in', 'notin' operators, values set can't be empty"));
  }
  const isCompared = operator === ">" || operator === "<";
  values.forEach((value, index) => {
    if (!isCompared || integer(value) !== undefined) return;
    errors.push(invalid(at.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
  });
  values.forEach((value, index) => {
    const wrong = labelValue(value);
    if (wrong.length) errors.push(invalid(at.index(index).key(key), value, wrong.join("; ")));
  });
  return errors;
}

export function validateKey(key: string, at: FieldPath): FieldError[] {
  const wrong = qualifiedName(key);
  return wrong.length ? [invalid(at, key, wrong.join("; "))] : [];
}

function compares(left: string, operator: ">" | "<", right: string): boolean {
  const a = integer(left);
  const b = integer(right);
  if (a === undefined || b === undefined) return false;
  return operator === ">" ? a > b : a < b;
}

/** Go's ParseInt for 64 bits. */
function integer(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
