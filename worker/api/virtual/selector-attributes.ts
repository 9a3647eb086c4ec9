// Validates and parses the selectors of access reviews.
import type { ResourceAttributes } from "../../../shared/k8s/api/authorization-v1.ts";
import type { Attributes } from "../../../shared/k8s/authorizer.ts";
import { type FieldError, type FieldPath, forbidden, invalid, path, required } from "../../../shared/k8s/field.ts";
import { parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import { parseRequirements } from "../../../shared/k8s/selectors/label-query.ts";
import { validateRequirement } from "../../../shared/k8s/selectors/label-requirement.ts";
import { labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

/** The parsed requirements of a selector. Invalid requirements are left out, which makes the review cover more objects, not fewer. */
interface Understood {
  readonly count: number;
  readonly isWhole: boolean;
}

const attributes = path("spec.resourceAttributes");

export function selectorErrors(of: ResourceAttributes | undefined): FieldError[] {
  const [fields, labels] = [attributes.child("fieldSelector"), attributes.child("labelSelector")];
  return [
    ...attributeErrors(of?.fieldSelector, fields, (requirement, at) => [
      ...keyErrors(requirement, at),
      ...operatorErrors(requirement, at),
    ]),
    ...attributeErrors(of?.labelSelector, labels, labelErrors),
  ];
}

/** Returns the requirements of a field selector as pairs of a field and its value. */
export function demandedFields({ fieldSelector }: ResourceAttributes): NonNullable<Attributes["fields"]> {
  return readFields(fieldSelector).terms;
}

/** Returns the errors of selectors that could not be parsed, or only in part. */
export function selectorComplaints({ fieldSelector, labelSelector }: ResourceAttributes): string[] {
  return [
    ...complaints("fieldSelector", readFields(fieldSelector)),
    ...complaints("labelSelector", readLabels(labelSelector)),
  ];
}

function complaints(name: string, { isWhole, count }: Understood): string[] {
  if (isWhole) return [];
  return [`spec.resourceAttributes.${name} ${count > 0 ? "partially " : ""}ignored due to parse error`];
}

function readFields(selector: SelectorAttributes = {}): Understood & { terms: NonNullable<Attributes["fields"]> } {
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector) {
    const terms = tried(() => parseFieldSelector(rawSelector).terms);
    const equal = (terms ?? []).filter(({ operator }) => operator === "=");
    const demanded = equal.map(({ field, value }) => [field, value] as const);
    return { terms: demanded, count: terms?.length ?? 0, isWhole: terms !== undefined };
  }
  const read = requirements.filter(
    ({ operator, values = [] }) => (operator === "In" || operator === "NotIn") && values.length === 1,
  );
  const equal = read.filter(({ operator }) => operator === "In");
  const terms = equal.map(({ key, values: [value = ""] = [] }) => [key, value] as const);
  return { terms, count: read.length, isWhole: read.length === requirements.length };
}

const labelOperators = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" } as const;

function readLabels({ rawSelector = "", requirements = [] }: SelectorAttributes = {}): Understood {
  if (rawSelector) {
    const read = tried(() => parseRequirements(rawSelector));
    return { count: read?.length ?? 0, isWhole: read !== undefined };
  }
  const read = requirements.filter(({ key, operator, values = [] }) => {
    const parsedOperator = labelOperators[operator as keyof typeof labelOperators];
    return parsedOperator !== undefined && validateRequirement({ key, operator: parsedOperator, values }).length === 0;
  });
  return { count: read.length, isWhole: read.length === requirements.length };
}

function tried<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function attributeErrors(
  selector: SelectorAttributes | undefined,
  field: FieldPath,
  check: (requirement: Requirement, at: FieldPath) => FieldError[],
): FieldError[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const at = field.child("requirements");
  const errors: FieldError[] = [];
  if (rawSelector && requirements.length > 0) {
    errors.push(invalid(field.child("rawSelector"), rawSelector, "may not specified at the same time as requirements"));
  }
  if (!rawSelector && requirements.length === 0) {
    errors.push(required(at, `when ${field} is specified, requirements or rawSelector is required`));
  }
  return [...errors, ...requirements.flatMap((requirement, index) => check(requirement, at.index(index)))];
}

function keyErrors({ key }: Requirement, at: FieldPath): FieldError[] {
  return key ? [] : [required(at.child("key"), "must be specified")];
}

/** Validates an operator. Unknown operators may be those of a newer client. */
function operatorErrors({ operator, values = [] }: Requirement, at: FieldPath): FieldError[] {
  const field = at.child("values");
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    return [forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}

function labelErrors(requirement: Requirement, at: FieldPath): FieldError[] {
  const { key, values = [] } = requirement;
  return [
    ...operatorErrors(requirement, at),
    ...qualifiedName(key).map((why) => invalid(at.child("key"), key, why)),
    ...values.flatMap((value, index) =>
      labelValue(value).map((why) => invalid(at.child("values").index(index), value, why)),
    ),
  ];
}
