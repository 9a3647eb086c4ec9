// Runs the rules of a schema over a value and all that is in it (upstream: schema/cel's Validator).
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

/** `warn` is told of violations that were there before. */
export interface RuleRun {
  readonly isRoot: boolean;
  readonly at: FieldPath;
  readonly old: unknown;
  readonly meter: WorkMeter;
  /** Absent: nothing is excused by what was. */
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
  /** Below zero nothing more is run. */
  budget: number;
  readonly meter: WorkMeter;
  readonly warn: ((message: string) => void) | undefined;
}

/** What tells whether anything changed here, or in what this is in. */
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
const known = new WeakMap<JSONSchemaProps, boolean>();

/** Whether there are rules here or below; found once for each place. */
export function hasRules(props: JSONSchemaProps): boolean {
  const found = known.get(props) ?? someSchema(props, (one) => (one["x-kubernetes-validations"]?.length ?? 0) > 0);
  known.set(props, found);
  return found;
}

interface Ready {
  readonly rules: readonly CompiledRule[];
  readonly schema: Schema;
}

const compiled = new WeakMap<SchemaNode, Ready>();

function readyRules(node: SchemaNode, isRoot: boolean): Ready {
  const found = compiled.get(node);
  if (found) return found;
  const schema = node.props as Schema;
  const rules = compileRules(node.props, isRoot)?.rules ?? [];
  const made = { rules, schema: isRoot ? withMeta(schema) : schema };
  compiled.set(node, made);
  return made;
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
  for (const one of rules) {
    if (state.budget < 0) return;
    if (one.error !== undefined) state.errors.push(invalid(at, node.type, `rule compile error: ${one.error}`));
    if (!one.program || (one.usesOldSelf && !hasOld && !one.rule.optionalOldSelf)) continue;
    const oldSelf = one.rule.optionalOldSelf
      ? (): Value => ({ kind: "optional", value: hasOld ? before() : undefined })
      : before;
    const variables = (name: string) => (name === "self" ? self() : name === "oldSelf" ? oldSelf() : undefined);
    runOne(one, one.program, variables, { node, value, at, was, state });
  }
}

function once(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
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

function runOne(one: CompiledRule, program: Program, variables: Variables, place: Place): void {
  const { node, at, state } = place;
  const wrong = (why: string) => invalid(at, node.type, why);
  const outcome = evaluate(program, variables, state.meter, perCallLimit);
  if (outcome.cost > state.budget) return stop(state, wrong(outOfBudget));
  state.budget -= outcome.cost;
  const told = (one.rule.message || one.rule.rule).trim();
  if ("error" in outcome) {
    if (outcome.isTooExpensive) {
      const why = `'${outcome.error}': no further validation rules will be run due to call cost exceeds limit for rule: ${told}`;
      return stop(state, wrong(why));
    }
    const isOverload = outcome.error.startsWith("no such overload");
    const why = isOverload
      ? `'${outcome.error}': call arguments did not match a supported operator, function or macro signature for rule: ${told}`
      : `${outcome.error} evaluating rule: ${told}`;
    state.errors.push(wrong(why));
    return;
  }
  if (outcome.value !== true) violated(one, told, variables, place);
}

function violated(one: CompiledRule, told: string, variables: Variables, place: Place): void {
  const { node, value, at, was, state } = place;
  const where = one.fieldPath ? at.child(one.fieldPath.replace(/^\./, "")) : at;
  const add = (error: FieldError) => {
    // What was so before stays so.
    const isExcused = !one.usesOldSelf && (was.here ?? was.above)?.isEqual === true;
    if (isExcused) state.warn?.(`${error.field || "<nil>"}: ${error.message}`);
    else state.errors.push(error);
  };
  const said = one.message ? messageOf(one.message, variables, state) : undefined;
  if (said && "error" in said) {
    add(invalid(where, node.type, said.error));
    state.budget = -1;
    return;
  }
  const detail = said?.text ?? (one.rule.message ? one.rule.message.trim() : `failed rule: ${told}`);
  const isWhole = node.type === "object" || node.type === "array";
  add(errorFor(one.rule.reason, where, isWhole ? undefined : value, detail, isWhole));
}

/** Undefined where the expression says nothing that could be told. */
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
