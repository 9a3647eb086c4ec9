// The variables and functions of a running jq filter, and the arguments of its functions.
import { BoundedCache } from "../../base/bounded-cache.ts";
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

/** The meaning of names at one place of a filter. */
export interface Scope {
  readonly call: TextCall;
  readonly variables: ReadonlyMap<string, Json>;
  readonly functions: ReadonlyMap<string, Closure>;
  readonly inputs: { next(): Json };
  /** Arrays and objects to which exactly one variable or member refers. An update changes them in place, as jq does by reference counts. */
  readonly owned: WeakSet<object>;
  /** Regular expressions that the program has compiled. */
  readonly expressions: BoundedCache<string, Expression>;
}

/** A compiled regular expression, with the names of its groups. */
export interface Expression {
  readonly names: readonly (string | null)[];
  readonly pattern: Pattern;
}

/** A value with its path. Without a path it is new. */
export interface At {
  readonly value: Json;
  readonly path: Path | undefined;
}

/** A call of a built-in function, with the functions that evaluate its arguments. */
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
