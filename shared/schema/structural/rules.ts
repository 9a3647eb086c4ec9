// Compiles the rules of one node of a schema (`x-kubernetes-validations`; upstream: schema/cel's Compile).
import type { JSONSchemaProps, ValidationRule } from "../../k8s/api/apiextensions-v1.ts";
import { estimate, type Sizes } from "../../cel/cost/estimate.ts";
import { compile, type Program } from "../../cel/program.ts";
import type { Schema } from "../../cel/schema.ts";
import { declaredType, maxCardinality, sizesOf } from "../../cel/schema-types.ts";
import { boolType, type CelType, optionalType, sameType, stringType } from "../../cel/types.ts";
import { knownPath } from "./field-path.ts";
import { schemaNode } from "./node.ts";

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined if the rule does not compile. */
  readonly program?: Program;
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  /** The largest cost of one evaluation. */
  readonly maxCost: number;
  readonly messageMaxCost: number;
  /** The field of violations, below the node of the rule. */
  readonly fieldPath: string;
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** How often the rules could be evaluated for one object without any bound. */
  readonly maxCardinality: number;
}

/** Compiles the rules. Returns undefined if expressions cannot see the values of the node. */
export function compileRules(props: JSONSchemaProps, isRoot: boolean): CompiledRules | undefined {
  // Both types describe the same schemas.
  const declared = declaredType(props as Schema, isRoot);
  if (!declared) return undefined;
  const sizes = sizesOf(declared);
  const rules = props["x-kubernetes-validations"] ?? [];
  return {
    rules: rules.map((rule) => compileRule(rule, props, declared.type, sizes)),
    maxCardinality: maxCardinality(declared),
  };
}

const nothing = { usesOldSelf: false, maxCost: 0, messageMaxCost: 0, fieldPath: "" };

function compileRule(rule: ValidationRule, props: JSONSchemaProps, self: CelType, sizes: Sizes): CompiledRule {
  if (rule.rule.trim() === "") return { rule, ...nothing };
  const old = rule.optionalOldSelf ? optionalType(self) : self;
  const environment = {
    variables: new Map([
      ["self", self],
      ["oldSelf", old],
    ]),
  };
  const compiled = compile(rule.rule, environment);
  if ("problems" in compiled) return { rule, ...nothing, error: `compilation failed: ${compiled.problems}` };
  if ("planProblem" in compiled) {
    return { rule, ...nothing, error: `program instantiation failed: ${compiled.planProblem}` };
  }
  const { program } = compiled;
  if (!sameType(program.result, boolType)) return { rule, ...nothing, error: "cel expression must evaluate to a bool" };
  const compiledRule: CompiledRule = {
    rule,
    ...nothing,
    program,
    usesOldSelf: program.names.has("oldSelf"),
    maxCost: estimate(program.checked, sizes).max,
  };
  const message = rule.messageExpression ? compileMessage(rule.messageExpression, environment.variables, sizes) : {};
  if (message.messageError !== undefined) return { ...compiledRule, ...message };
  const knownField = rule.fieldPath ? knownPath(rule.fieldPath, schemaNode(props)) : undefined;
  const fieldPath = knownField && !("error" in knownField) ? knownField.path.toString() : "";
  return { ...compiledRule, ...message, fieldPath };
}

function compileMessage(
  source: string,
  variables: ReadonlyMap<string, CelType>,
  sizes: Sizes,
): Partial<Pick<CompiledRule, "message" | "messageError" | "messageMaxCost">> {
  const compiled = compile(source, { variables });
  if ("problems" in compiled) return { messageError: `messageExpression compilation failed: ${compiled.problems}` };
  if ("planProblem" in compiled) {
    return { messageError: `messageExpression instantiation failed: ${compiled.planProblem}` };
  }
  const { program } = compiled;
  if (!sameType(program.result, stringType)) return { messageError: "messageExpression must evaluate to a string" };
  return { message: program, messageMaxCost: estimate(program.checked, sizes).max };
}
