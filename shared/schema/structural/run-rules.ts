// Evaluates the rules of a schema for a value and everything in it (upstream: schema/cel's Validator).
import { once } from "../../base/once.ts";
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import {
  duplicate,
  duplicateWithoutValue,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  invalidWithoutValue,
  required,
} from "../../k8s/field.ts";
import { evaluate, perCallLimit, type Program, runtimeCostBudget } from "../../cel/program.ts";
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import { type Schema, withMeta } from "../../cel/schema.ts";
import { schemaValue } from "../../cel/schema-values.ts";
import type { Value } from "../../cel/values.ts";
import { isObject } from "../json-values.ts";
import { Correlation } from "./correlation.ts";
import type { SchemaNode } from "./node.ts";
import { type CompiledRule, compileRules } from "./rules.ts";
import { someSchema } from "./unsupported.ts";

const maxMessageBytes = 5 * 1024;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The parameters of a run. `warn` receives violations of unchanged values. */
export interface RuleRun {
  readonly isRoot: boolean;
  readonly at: FieldPath;
  readonly old: unknown;
  readonly meter: WorkMeter;
  /** The correlation with the previous value. If it is undefined, no violation is excused. */
  readonly correlation?: Correlation | undefined;
  warn?(message: string): void;
}

export function runRules(node: SchemaNode, value: unknown, run: RuleRun): FieldError[] {
  const state: State = { errors: [], budget: runtimeCostBudget, meter: run.meter, warn: run.warn };
  const was: Was = { here: run.correlation, above: undefined, isRoot: run.correlation !== undefined };
  walk(node, value, run.old, run.isRoot, run.at, was, state);
  return state.errors;
}

interface State {
  readonly errors: FieldError[];
  /** The remaining cost. Below zero no rule is evaluated. */
  budget: number;
  readonly meter: WorkMeter;
  readonly warn: ((message: string) => void) | undefined;
}

/** The correlations that show whether the value, or a value that contains it, has changed. */
interface Was {
  readonly here: Correlation | undefined;
  readonly above: Correlation | undefined;
  readonly isRoot: boolean;
}

function walk(
  node: SchemaNode,
  value: unknown,
  old: unknown,
  isRoot: boolean,
  at: FieldPath,
  was: Was,
  state: State,
): void {
  if (value === null || value === undefined || state.budget < 0 || !hasRules(node.props)) return;
  runOwn(node, value, old, isRoot, at, was, state);
  if (Array.isArray(value)) {
    const items = node.items();
    if (!items) return;
    const before = new Correlation(node, value, Array.isArray(old) ? old : []);
    for (const [index, item] of (value as unknown[]).entries()) {
      const inner = { here: was.here?.index(index), above: was.here ?? was.above, isRoot: false };
      walk(items, item, before.index(index)?.old, items.isEmbedded, at.index(index), inner, state);
    }
  } else if (isObject(value)) {
    const before = isObject(old) ? old : {};
    const additional = node.additional();
    for (const [name, item] of Object.entries(value)) {
      const field = node.property(name);
      const below = field ?? (typeof additional === "object" ? additional : undefined);
      if (!below) continue;
      const isHidden = was.isRoot && (name === "apiVersion" || name === "kind");
      const inner = isHidden ? nothing : { here: was.here?.key(name), above: was.here ?? was.above, isRoot: false };
      const then = Object.hasOwn(before, name) ? before[name] : undefined;
      walk(below, item, then, below.isEmbedded, field ? at.child(name) : at.key(name), inner, state);
    }
  }
}

const nothing: Was = { here: undefined, above: undefined, isRoot: false };
const rulesPresent = new WeakMap<JSONSchemaProps, boolean>();

/** Reports whether there are rules at the node or below. The result is cached. */
export function hasRules(props: JSONSchemaProps): boolean {
  const hasSome =
    rulesPresent.get(props) ?? someSchema(props, (schema) => (schema["x-kubernetes-validations"]?.length ?? 0) > 0);
  rulesPresent.set(props, hasSome);
  return hasSome;
}

interface Ready {
  readonly rules: readonly CompiledRule[];
  readonly schema: Schema;
}

const compiled = new WeakMap<SchemaNode, Ready>();

function readyRules(node: SchemaNode, isRoot: boolean): Ready {
  const cached = compiled.get(node);
  if (cached) return cached;
  const schema = node.props as Schema;
  const rules = compileRules(node.props, isRoot)?.rules ?? [];
  const ready = { rules, schema: isRoot ? withMeta(schema) : schema };
  compiled.set(node, ready);
  return ready;
}

function runOwn(
  node: SchemaNode,
  value: unknown,
  old: unknown,
  isRoot: boolean,
  at: FieldPath,
  was: Was,
  state: State,
): void {
  if (node.rules.length === 0) return;
  if (state.budget <= 0) return stop(state, invalid(at, node.type, outOfBudget));
  const { rules, schema } = readyRules(node, isRoot);
  const hasOld = old !== undefined && old !== null;
  const self = once(() => schemaValue(value, schema));
  const before = once(() => schemaValue(old, schema));
  for (const compiledRule of rules) {
    if (state.budget < 0) return;
    if (compiledRule.error !== undefined)
      state.errors.push(invalid(at, node.type, `rule compile error: ${compiledRule.error}`));
    if (!compiledRule.program || (compiledRule.usesOldSelf && !hasOld && !compiledRule.rule.optionalOldSelf)) continue;
    const oldSelf = compiledRule.rule.optionalOldSelf
      ? (): Value => ({ kind: "optional", value: hasOld ? before() : undefined })
      : before;
    const variables = (name: string) => (name === "self" ? self() : name === "oldSelf" ? oldSelf() : undefined);
    runOne(compiledRule, compiledRule.program, variables, { node, value, at, was, state });
  }
}

function stop(state: State, error: FieldError): void {
  state.errors.push(error);
  state.budget = -1;
}

interface Place {
  readonly node: SchemaNode;
  readonly value: unknown;
  readonly at: FieldPath;
  readonly was: Was;
  readonly state: State;
}

type Variables = (name: string) => Value | undefined;

function runOne(compiledRule: CompiledRule, program: Program, variables: Variables, place: Place): void {
  const { node, at, state } = place;
  const wrong = (why: string) => invalid(at, node.type, why);
  const outcome = evaluate(program, variables, state.meter, perCallLimit);
  if (outcome.cost > state.budget) return stop(state, wrong(outOfBudget));
  state.budget -= outcome.cost;
  const description = (compiledRule.rule.message || compiledRule.rule.rule).trim();
  if ("error" in outcome) {
    if (outcome.isTooExpensive) {
      const why = `'${outcome.error}': no further validation rules will be run due to call cost exceeds limit for rule: ${description}`;
      return stop(state, wrong(why));
    }
    const isOverload = outcome.error.startsWith("no such overload");
    const why = isOverload
      ? `'${outcome.error}': call arguments did not match a supported operator, function or macro signature for rule: ${description}`
      : `${outcome.error} evaluating rule: ${description}`;
    state.errors.push(wrong(why));
    return;
  }
  if (outcome.value !== true) violated(compiledRule, description, variables, place);
}

function violated(compiledRule: CompiledRule, description: string, variables: Variables, place: Place): void {
  const { node, value, at, was, state } = place;
  const where = compiledRule.fieldPath ? at.child(compiledRule.fieldPath.replace(/^\./, "")) : at;
  const add = (error: FieldError) => {
    // A violation by an unchanged value is excused.
    const isExcused = !compiledRule.usesOldSelf && (was.here ?? was.above)?.isEqual === true;
    if (isExcused) state.warn?.(`${error.field || "<nil>"}: ${error.message}`);
    else state.errors.push(error);
  };
  const evaluatedMessage = compiledRule.message ? messageOf(compiledRule.message, variables, state) : undefined;
  if (evaluatedMessage && "error" in evaluatedMessage) {
    add(invalid(where, node.type, evaluatedMessage.error));
    state.budget = -1;
    return;
  }
  const detail =
    evaluatedMessage?.text ??
    (compiledRule.rule.message ? compiledRule.rule.message.trim() : `failed rule: ${description}`);
  const isWhole = node.type === "object" || node.type === "array";
  add(errorFor(compiledRule.rule.reason, where, isWhole ? undefined : value, detail, isWhole));
}

/** Returns the message; undefined if the expression returns no usable text. */
function messageOf(
  program: Program,
  variables: Variables,
  state: State,
): { text: string } | { error: string } | undefined {
  const outcome = evaluate(program, variables, state.meter, perCallLimit);
  if (outcome.cost > state.budget) {
    return {
      error:
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  }
  if ("error" in outcome && outcome.isTooExpensive) {
    const source = JSON.stringify(program.source);
    return {
      error: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
    };
  }
  state.budget -= outcome.cost;
  if ("error" in outcome || typeof outcome.value !== "string") return undefined;
  const text = outcome.value.trim();
  const isTold = text !== "" && !text.includes("\n") && text.length <= maxMessageBytes;
  return isTold ? { text } : undefined;
}

function errorFor(
  reason: string | undefined,
  at: FieldPath,
  value: unknown,
  detail: string,
  isWhole: boolean,
): FieldError {
  if (reason === "FieldValueForbidden") return forbidden(at, detail);
  if (reason === "FieldValueRequired") return required(at, detail);
  if (reason === "FieldValueDuplicate") return isWhole ? duplicateWithoutValue(at) : duplicate(at, value);
  return isWhole ? invalidWithoutValue(at, detail) : invalid(at, value, detail);
}
