// What names stand for where a filter of jq runs, and what its functions are given.
import type { Pattern } from "../../base/pattern.ts";
import type { TextCall } from "../text/call.ts";
import type { Filter } from "./parse.ts";
import type { Json } from "./values.ts";

export type Path = readonly (string | number | { readonly from: number | null; readonly to: number | null })[];

export interface Closure {
  readonly parameters: readonly string[];
  readonly body: Filter;
  readonly scope: Scope;
}

/** What names stand for. */
export interface Scope {
  readonly call: TextCall;
  readonly variables: ReadonlyMap<string, Json>;
  readonly functions: ReadonlyMap<string, Closure>;
  readonly inputs: { next(): Json };
  /** Arrays and objects that exactly one variable or member refers to: an update changes them in place, as jq does by counts of references. */
  readonly owned: WeakSet<object>;
  /** Regular expressions that the program has used. */
  readonly expressions: Map<string, Expression>;
}

/** A compiled regular expression, with the names of its groups. */
export interface Expression {
  readonly names: readonly (string | null)[];
  readonly pattern: Pattern;
}

/** A value, and where it lies; without a path it is new. */
export interface At {
  readonly value: Json;
  readonly path: Path | undefined;
}

/** A call of a function of jq's own, with what evaluates its arguments. */
export interface FunctionCall {
  readonly scope: Scope;
  readonly name: string;
  readonly args: readonly Filter[];
  readonly at: At;
  run(scope: Scope, filter: Filter, at: At): Generator<At, void, undefined>;
  values(scope: Scope, filter: Filter, value: Json): Generator<Json, void, undefined>;
  pathsOf(scope: Scope, filter: Filter, value: Json): Path[];
  recursed(scope: Scope, at: At): Generator<At, void, undefined>;
}
