// Evaluates the CEL expressions of an issuer's configuration: over `claims` of tokens and over `user` (upstream: authentication/cel).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { type Environment, type Program, compile, evaluate, runtimeCostBudget } from "../../../shared/cel/program.ts";
import {
  type CelType,
  anyType,
  boolType,
  listType,
  mapType,
  sameType,
  stringType,
  structType,
} from "../../../shared/cel/types.ts";
import { type Value, isList, itemsOf } from "../../../shared/cel/values.ts";
import { claimValue } from "./claim-values.ts";
import type { Claims } from "./claims.ts";

const strings = listType(stringType);
const userFields: ReadonlyMap<string, CelType> = new Map([
  ["username", stringType],
  ["uid", stringType],
  ["groups", strings],
  ["extra", mapType(stringType, strings)],
]);
const userType = structType("kubernetes.UserInfo", (name) => userFields.get(name));
const environments = {
  claims: { variables: new Map([["claims", mapType(stringType, anyType)]]) },
  user: { variables: new Map([["user", userType]]) },
} satisfies Record<string, Environment>;

/** The variable of an expression. */
export type Subject = keyof typeof environments;

/** Compiles an expression. Returns upstream's error text if it is invalid. */
export function compiledFor(subject: Subject, source: string, isCondition: boolean): Program | string {
  const compiled = compile(source, environments[subject]);
  if ("problems" in compiled) return `compilation failed: ${compiled.problems}`;
  if ("planProblem" in compiled) return `program instantiation failed: ${compiled.planProblem}`;
  const { program } = compiled;
  return isCondition && !sameType(program.result, boolType) ? "must evaluate to bool" : program;
}

export type Evaluated = (program: Program) => Value;

/** Returns an evaluator over claims. It throws an Error that names the expression. */
export function overClaims(claims: Claims, meter: WorkMeter): Evaluated {
  const value = claimValue(claims);
  return (program) => valueOf(program, value, meter);
}

/** Returns an evaluator over a user. */
export function overUser({ name, uid = "", groups, extra = {} }: UserInfo, meter: WorkMeter): Evaluated {
  const fields = new Map<string, Value>([
    ["username", name],
    ["uid", uid],
    ["groups", claimValue(groups)],
    ["extra", claimValue(extra)],
  ]);
  return (program) => valueOf(program, { kind: "struct", type: userType, fields }, meter);
}

/** Returns the texts of a value. Empty texts are left out. */
export function stringsOf(value: Value): string[] {
  if (typeof value === "string") return value ? [value] : [];
  if (value === null) return [];
  const items = isList(value) ? [...itemsOf(value)] : [undefined];
  return items.flatMap((item) => {
    if (typeof item !== "string") throw new Error("expression must return a string or a list of strings");
    return item ? [item] : [];
  });
}

function valueOf(program: Program, value: Value, meter: WorkMeter): Value {
  const outcome = evaluate(program, () => value, meter, runtimeCostBudget);
  if ("error" in outcome) throw new Error(`expression '${program.source}' resulted in error: ${outcome.error}`);
  return outcome.value;
}
