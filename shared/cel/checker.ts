// Finds the type of every subexpression, and the functions that each call may refer to.
import type { Functions, Overload } from "./functions.ts";
import type { Problem } from "./problems.ts";
import {
  type CallExpr,
  type Comprehension,
  type Expr,
  type ListExpr,
  type MapExpr,
  type Select,
  type StructExpr,
  operators,
} from "./syntax/tree.ts";
import {
  type CelType,
  appliedText,
  boolType,
  dynType,
  errorType,
  intType,
  isDyn,
  isDynOrError,
  listType,
  mapType,
  optionalType,
  paramType,
  stringType,
  typeText,
  typeType,
  unwrapOptional,
} from "./types.ts";
import { typeOfLiteral } from "./syntax/literals.ts";
import { Bindings, mostGeneral, substitute } from "./unify.ts";

/** The meaning of a name: a variable, or a type as a value. */
export type Reference = { readonly variable: string } | { readonly type: CelType };

export interface Checked {
  readonly tree: Expr;
  readonly types: ReadonlyMap<Expr, CelType>;
  /** References of names, and of selections that are dotted names. */
  readonly references: ReadonlyMap<Expr, Reference>;
  readonly calls: ReadonlyMap<CallExpr, Resolved>;
}

/** The overloads that a call may refer to: one, or several that only the values at run time can tell apart. */
export interface Resolved {
  readonly name: string;
  readonly target: Expr | undefined;
  readonly overloads: readonly Overload[];
}

export interface Names {
  variable(name: string): CelType | undefined;
  struct(name: string): CelType | undefined;
  readonly functions: Functions;
}

interface Checker {
  readonly names: Names;
  readonly problems: Problem[];
  readonly types: Map<Expr, CelType>;
  readonly references: Map<Expr, Reference>;
  readonly calls: Map<CallExpr, Resolved>;
  readonly scopes: Map<string, CelType>[];
  readonly bound: Bindings;
  fresh: number;
}

export function check(tree: Expr, names: Names): { readonly checked: Checked; readonly problems: readonly Problem[] } {
  const checker: Checker = {
    names,
    problems: [],
    types: new Map(),
    references: new Map(),
    calls: new Map(),
    scopes: [],
    bound: new Bindings(),
    fresh: 0,
  };
  visit(checker, tree);
  for (const [expr, type] of checker.types) checker.types.set(expr, substitute(checker.bound, type, true));
  const { types, references, calls, problems } = checker;
  return { checked: { tree, types, references, calls }, problems };
}

function visit(checker: Checker, expr: Expr): CelType {
  // A macro may use a subexpression twice; without the cache, nested macros would take exponential time.
  const checkedType = checker.types.get(expr);
  if (checkedType) return checkedType;
  const type = typeOf(checker, expr);
  checker.types.set(expr, type);
  return type;
}

function typeOf(checker: Checker, expr: Expr): CelType {
  switch (expr.kind) {
    case "literal":
      return typeOfLiteral(expr.value);
    case "ident":
      return named(checker, expr, expr.name) ?? undeclared(checker, expr.at, expr.name);
    case "select":
      return selected(checker, expr);
    case "call":
      return called(checker, expr);
    case "list":
      return listed(checker, expr);
    case "map":
      return mapped(checker, expr);
    case "struct":
      return built(checker, expr);
    case "comprehension":
      return looped(checker, expr);
  }
}

function report(checker: Checker, at: number, message: string): CelType {
  checker.problems.push({ at, message });
  return errorType;
}

function undeclared(checker: Checker, at: number, name: string): CelType {
  return report(checker, at, `undeclared reference to '${name}' (in container '')`);
}

function mismatch(checker: Checker, at: number, expected: CelType, actual: CelType): CelType {
  return report(checker, at, `expected type '${typeText(expected)}' but found '${typeText(actual)}'`);
}

function named(checker: Checker, expr: Expr, fullName: string): CelType | undefined {
  const name = fullName.startsWith(".") ? fullName.slice(1) : fullName;
  if (!fullName.startsWith(".")) {
    for (let depth = checker.scopes.length - 1; depth >= 0; depth--) {
      const local = checker.scopes[depth]?.get(name);
      if (!local) continue;
      checker.references.set(expr, { variable: name });
      return local;
    }
  }
  const variable = checker.names.variable(name);
  if (variable) {
    checker.references.set(expr, { variable: name });
    return variable;
  }
  const type = checker.names.struct(name);
  if (!type) return undefined;
  checker.references.set(expr, { type });
  return typeType(type);
}

function selected(checker: Checker, expr: Select): CelType {
  const name = qualifiedName(expr);
  const variable = name === undefined ? undefined : named(checker, expr, name);
  if (variable) return variable;
  const result = fieldOf(checker, expr.at, expr.operand, expr.field, false);
  return expr.isTest ? boolType : substitute(checker.bound, result, false);
}

/** Returns `a.b.c` if the expression consists of names only. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.isTest) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function fieldOf(checker: Checker, at: number, operand: Expr, field: string, isOptional: boolean): CelType {
  const operandType = substitute(checker.bound, visit(checker, operand), false);
  const { type, wasOptional } = unwrapOptional(operandType);
  let result: CelType = dynType;
  switch (type.kind) {
    case "map":
      result = type.params[1] ?? dynType;
      break;
    case "struct":
      result = fieldOfStruct(checker, at, type, field);
      break;
    case "param":
      bind(checker, dynType, type);
      break;
    default:
      if (!isDynOrError(type)) report(checker, at, `type '${typeText(type)}' does not support field selection`);
  }
  return wasOptional || isOptional ? optionalType(result) : result;
}

function fieldOfStruct(checker: Checker, at: number, type: CelType, field: string): CelType {
  if (!type.field) return report(checker, at, `unexpected failed resolution of '${type.name}'`);
  return type.field(field) ?? report(checker, at, `undefined field '${field}'`);
}

function bind(checker: Checker, target: CelType, source: CelType): boolean {
  return checker.bound.assign([target], [source]);
}

function called(checker: Checker, expr: CallExpr): CelType {
  if (expr.name === operators.optionalSelect) return optionallySelected(checker, expr);
  for (const arg of expr.args) visit(checker, arg);
  const { functions } = checker.names;
  const plainName = expr.name.startsWith(".") ? expr.name.slice(1) : expr.name;
  if (!expr.target) {
    const overloads = functions.get(plainName);
    if (!overloads) return undeclared(checker, expr.at, expr.name);
    return resolve(checker, expr, plainName, overloads, undefined);
  }
  const prefix = qualifiedName(expr.target);
  const qualified = prefix === undefined ? undefined : `${prefix}.${expr.name}`;
  const global = qualified === undefined ? undefined : functions.get(qualified);
  if (qualified !== undefined && global) return resolve(checker, expr, qualified, global, undefined);
  visit(checker, expr.target);
  const overloads = functions.get(expr.name);
  if (!overloads) return undeclared(checker, expr.at, expr.name);
  return resolve(checker, expr, expr.name, overloads, expr.target);
}

function optionallySelected(checker: Checker, expr: CallExpr): CelType {
  const [operand, field] = expr.args;
  if (!operand || field?.kind !== "literal" || typeof field.value !== "string") return errorType;
  checker.types.set(field, stringType);
  const result = fieldOf(checker, expr.at, operand, field.value, true);
  const overloads = checker.names.functions.get(operators.optionalSelect) ?? [];
  checker.calls.set(expr, { name: expr.name, target: undefined, overloads });
  return substitute(checker.bound, result, false);
}

function resolve(
  checker: Checker,
  expr: CallExpr,
  name: string,
  overloads: readonly Overload[],
  target: Expr | undefined,
): CelType {
  const all = target ? [target, ...expr.args] : expr.args;
  const argTypes = all.map((arg) => checker.types.get(arg) ?? errorType);
  if (name === operators.and || name === operators.or) return logical(checker, expr, name, overloads, argTypes);
  const fitting: Overload[] = [];
  let result: CelType | undefined;
  for (const overload of overloads) {
    if (overload.isMember !== (target !== undefined)) continue;
    const { args, result: declared } = instance(checker, overload);
    if (!checker.bound.assign(argTypes, args)) continue;
    fitting.push(overload);
    const instanceResult = substitute(checker.bound, declared, false);
    if (!result) result = instanceResult;
    else if (!isDyn(result) && typeText(instanceResult) !== typeText(result)) result = dynType;
  }
  if (!result) {
    const types = argTypes.map((type) => substitute(checker.bound, type, true));
    const applied = appliedText(types, target !== undefined);
    return report(checker, expr.at, `found no matching overload for '${name}' applied to '${applied}'`);
  }
  checker.calls.set(expr, { name, target, overloads: fitting });
  return result;
}

function logical(
  checker: Checker,
  expr: CallExpr,
  name: string,
  overloads: readonly Overload[],
  argTypes: readonly CelType[],
): CelType {
  let isWrong = false;
  argTypes.forEach((type, index) => {
    if (bind(checker, type, boolType)) return;
    mismatch(checker, expr.args[index]?.at ?? expr.at, boolType, type);
    isWrong = true;
  });
  checker.calls.set(expr, { name, target: undefined, overloads });
  return isWrong ? errorType : boolType;
}

/** Returns a signature whose type parameters are fresh. */
function instance(checker: Checker, { args, result, params }: Overload): { args: CelType[]; result: CelType } {
  if (!params.length) return { args: [...args], result };
  const freshParams = new Map(params.map((name) => [name, freshParam(checker)]));
  return {
    args: args.map((type) => substitute(freshParams, type, false)),
    result: substitute(freshParams, result, false),
  };
}

function freshParam(checker: Checker): CelType {
  return paramType(`_var${checker.fresh++}`);
}

function listed(checker: Checker, expr: ListExpr): CelType {
  let joined: CelType | undefined;
  for (const { value, isOptional } of expr.items) {
    const type = element(checker, value, isOptional);
    joined = join(checker, joined, type);
  }
  return listType(joined ?? freshParam(checker));
}

function mapped(checker: Checker, expr: MapExpr): CelType {
  let key: CelType | undefined;
  let value: CelType | undefined;
  for (const entry of expr.entries) {
    key = join(checker, key, visit(checker, entry.key));
    value = join(checker, value, element(checker, entry.value, entry.isOptional));
  }
  return mapType(key ?? freshParam(checker), value ?? freshParam(checker));
}

function element(checker: Checker, expr: Expr, isOptional: boolean): CelType {
  const itemType = visit(checker, expr);
  if (!isOptional) return itemType;
  const { type, wasOptional } = unwrapOptional(itemType);
  if (!wasOptional && !isDyn(type)) mismatch(checker, expr.at, optionalType(type), type);
  return type;
}

function join(checker: Checker, previous: CelType | undefined, current: CelType): CelType {
  if (!previous) return current;
  // The lint reports whether they may differ, once all types are known.
  return bind(checker, previous, current) ? mostGeneral(previous, current) : dynType;
}

function built(checker: Checker, expr: StructExpr): CelType {
  const reference = named(checker, expr, expr.name);
  if (!reference) return undeclared(checker, expr.at, expr.name);
  const [type] = reference.params;
  if (reference.kind !== "type" || !type) return report(checker, expr.at, `'${typeText(reference)}' is not a type`);
  if (type.kind !== "struct") report(checker, expr.at, `'${type.name}' is not a message type`);
  for (const field of expr.fields) {
    const provided = element(checker, field.value, field.isOptional);
    const declared = type.kind === "struct" ? fieldOfStruct(checker, field.at, type, field.name) : errorType;
    if (bind(checker, declared, provided)) continue;
    const texts = `is '${typeText(declared)}' but provided type is '${typeText(provided)}'`;
    report(checker, field.at, `expected type of field '${field.name}' ${texts}`);
  }
  return type.kind === "struct" ? type : errorType;
}

function looped(checker: Checker, expr: Comprehension): CelType {
  visit(checker, expr.range);
  const gathered = visit(checker, expr.init);
  const range = substitute(checker.bound, checker.types.get(expr.range) ?? errorType, false);
  checker.scopes.push(new Map([[expr.gathered, gathered]]));
  checker.scopes.push(loopVariables(checker, expr, range));
  expectType(checker, expr.condition, visit(checker, expr.condition), boolType);
  expectType(checker, expr.step, visit(checker, expr.step), gathered);
  checker.scopes.pop();
  const result = visit(checker, expr.result);
  checker.scopes.pop();
  return substitute(checker.bound, result, false);
}

function expectType(checker: Checker, expr: Expr, actual: CelType, type: CelType): void {
  if (!bind(checker, type, actual)) mismatch(checker, expr.at, type, actual);
}

function loopVariables(checker: Checker, expr: Comprehension, range: CelType): Map<string, CelType> {
  const [first, second] = rangeTypes(checker, expr, range);
  const variables = new Map([[expr.variable, first]]);
  if (expr.second !== undefined) variables.set(expr.second, second);
  return variables;
}

function rangeTypes(checker: Checker, expr: Comprehension, range: CelType): readonly [CelType, CelType] {
  const [first = dynType, second = dynType] = range.params;
  switch (range.kind) {
    case "list":
      return expr.second === undefined ? [first, first] : [intType, first];
    case "map":
      return [first, second];
    case "dyn":
    case "any":
    case "error":
    case "param":
      bind(checker, dynType, range);
      return [dynType, dynType];
    default: {
      const why = "cannot be range of a comprehension (must be list, map, or dynamic)";
      report(checker, expr.range.at, `expression of type '${typeText(range)}' ${why}`);
      return [errorType, errorType];
    }
  }
}
