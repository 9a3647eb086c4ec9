// The context for compiling the rules of a schema: their position, and the cost limit of all rules.
import type { JSONSchemaProps } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, forbidden, internalError, invalid } from "../../../../shared/k8s/field.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import type { RuleCheck } from "../../../../shared/schema/structural/default-values.ts";
import { type CompiledRule, compileRules } from "../../../../shared/schema/structural/rules.ts";
import { runRules } from "../../../../shared/schema/structural/run-rules.ts";
import { internalForm } from "../../common/go-struct.ts";

const ruleType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule";
const staticEstimatedCostLimit = 10_000_000;
const maxTotalCost = 100_000_000;
/** A rule with at least this cost, 1 % of the limit, is named if the total exceeds the limit. Upstream names the four most expensive. */
const minNamedCost = maxTotalCost / 100;
const maxNamedRules = 4;
/** Upstream counts costs in uint64 and stops at its maximum. A number has the same order of magnitude, which messages show. */
const maxUint64 = 2 ** 64;

/** The estimated cost of a rule, or of its message expression. `at` is the path that errors name. */
interface RuleCost {
  readonly at: FieldPath;
  readonly cost: number;
}

/** The context of the rules at one position of a schema. */
export interface RuleContext {
  readonly isRoot: boolean;
  readonly props: JSONSchemaProps;
  /** The maximum number of values at this position; undefined if unbounded. */
  readonly maxValues: number | undefined;
  /** The estimated costs of all rules of the schema. All positions share this list, and `compileErrors` appends to it. */
  readonly costs: RuleCost[];
  readonly meter: WorkMeter;
  /** Returns the context of a property, of the values of a map, or of the items of a list. */
  child(props: JSONSchemaProps): RuleContext;
}

/** The position at which rules are validated. */
export interface RulePlace {
  readonly at: FieldPath;
  /** Whether a single rule above its cost limit is an error. False for a schema that an update leaves unchanged, as upstream. */
  readonly reportsRulesAboveLimit: boolean;
  /** Undefined: rules are not compiled. */
  readonly context: RuleContext | undefined;
  /** The path of the nearest list in which old and new items cannot be matched; undefined if there is none. */
  readonly uncorrelated: FieldPath | undefined;
}

/** The work of compiling a character of a rule and estimating its cost. */
const compileWork = 1;

export function ruleContext(props: JSONSchemaProps, meter: WorkMeter): RuleContext {
  return contextOf(props, true, 1, { costs: [], meter });
}

type Shared = Pick<RuleContext, "costs" | "meter">;

function contextOf(
  props: JSONSchemaProps,
  isRoot: boolean,
  maxValues: number | undefined,
  shared: Shared,
): RuleContext {
  const perValue = maxElements(props);
  const maxChildren =
    maxValues === undefined || perValue === undefined ? undefined : Math.min(maxValues * perValue, maxUint64);
  return {
    isRoot,
    props,
    maxValues,
    ...shared,
    child: (childProps) =>
      contextOf(childProps, childProps["x-kubernetes-embedded-resource"] === true, maxChildren, shared),
  };
}

/** Returns the maximum number of children of one value: of the items of a list or the values of a map; undefined if unbounded. */
function maxElements(props: JSONSchemaProps): number | undefined {
  if (props.type === "array") return props.maxItems === undefined ? undefined : Math.max(0, props.maxItems);
  if (props.type !== "object" || props.additionalProperties === undefined) return 1;
  return props.maxProperties === undefined ? undefined : Math.max(0, props.maxProperties);
}

/** Returns the compile errors of the rules at one position. Adds the costs of the rules to those of the context. */
export function compileErrors(
  context: RuleContext,
  { at, reportsRulesAboveLimit, uncorrelated }: RulePlace,
): FieldError[] {
  const { props, isRoot, costs, meter } = context;
  const rules = props["x-kubernetes-validations"] ?? [];
  const characters = rules.reduce(
    (sum, { rule, messageExpression = "" }) => sum + rule.length + messageExpression.length,
    0,
  );
  meter.charge(characters * compileWork);
  const compiled = compileRules(props, isRoot);
  if (!compiled) {
    const why =
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    return [internalError(at, why)];
  }
  // Without a bound in the schema, the maximum size of a request bounds the number of values.
  const cardinality = context.maxValues ?? compiled.maxCardinality;
  return compiled.rules.flatMap((compiledRule, index) => {
    const where = at.index(index);
    const charge = (cost: number, what: string, field: FieldPath) => {
      costs.push({ at: field, cost });
      return reportsRulesAboveLimit && cost > staticEstimatedCostLimit
        ? [forbidden(field, costText(what, cost, staticEstimatedCostLimit))]
        : [];
    };
    const cost = compiledRule.maxCost === 0 ? 0 : Math.min(compiledRule.maxCost * cardinality, maxUint64);
    return [
      ...charge(cost, "estimated rule cost", where.child("rule")),
      ...ruleErrors(compiledRule, where),
      ...(compiledRule.message
        ? charge(compiledRule.messageMaxCost, "estimated messageExpression cost", where.child("messageExpression"))
        : []),
      ...oldSelfErrors(compiledRule, uncorrelated, where),
    ];
  });
}

function ruleErrors({ rule, error, messageError }: CompiledRule, at: FieldPath): FieldError[] {
  const ruleAsGoStruct = () => internalForm(ruleType, rule);
  return [
    ...(error === undefined ? [] : [invalid(at.child("rule"), ruleAsGoStruct(), error)]),
    ...(messageError === undefined ? [] : [invalid(at.child("messageExpression"), ruleAsGoStruct(), messageError)]),
  ];
}

function oldSelfErrors({ rule, usesOldSelf }: CompiledRule, uncorrelated: FieldPath | undefined, at: FieldPath) {
  if (usesOldSelf && uncorrelated) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated.toString()}`;
    return [invalid(at.child("rule"), rule.rule, why)];
  }
  if (usesOldSelf || rule.optionalOldSelf === undefined) return [];
  return [invalid(at.child("optionalOldSelf"), rule.optionalOldSelf, "may not be set if oldSelf is not used in rule")];
}

/** Returns the errors of the most expensive rules if all rules together exceed the cost limit. */
export function totalCostErrors({ costs }: RuleContext, at: FieldPath): FieldError[] {
  const total = Math.min(
    costs.reduce((sum, { cost }) => sum + cost, 0),
    maxUint64,
  );
  if (total <= maxTotalCost) return [];
  const costly = costs.filter(({ cost }) => cost >= minNamedCost).sort((a, b) => b.cost - a.cost);
  const why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...costly.slice(0, maxNamedRules).map((expensive) => forbidden(expensive.at, why)),
    forbidden(at, costText(what, total, maxTotalCost)),
  ];
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Returns a check of a default, which must satisfy the rules as a new and as an old value. */
export function defaultRules(meter: WorkMeter): RuleCheck {
  return (node, value, isRoot, at) => {
    const updateErrors = runRules(node, value, { isRoot, at, meter, old: value });
    return updateErrors.length > 0 ? updateErrors : runRules(node, value, { isRoot, at, meter, old: undefined });
  };
}
