// The syntax tree, in which macros are expanded and operators are calls.
import type { Value } from "../values.ts";

interface Node {
  /** The offset in the source that errors refer to. */
  readonly at: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** Whether the selection only tests the presence of the field. */
  readonly isTest: boolean;
}

export interface CallExpr extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly { readonly value: Expr; readonly isOptional: boolean }[];
}

export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly isOptional: boolean }[];
}

export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expr;
    readonly isOptional: boolean;
    readonly at: number;
  }[];
}

/** A loop, to which every macro over a list or a map expands. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  /** The second variable. If there is one, the first is the index or the key. */
  readonly second: string | undefined;
  readonly gathered: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = Literal | Ident | Select | CallExpr | ListExpr | MapExpr | StructExpr | Comprehension;

/** The operators, by the function names of their calls. */
export const operators = {
  add: "_+_",
  and: "_&&_",
  conditional: "_?_:_",
  divide: "_/_",
  equals: "_==_",
  greater: "_>_",
  greaterEquals: "_>=_",
  in: "@in",
  index: "_[_]",
  less: "_<_",
  lessEquals: "_<=_",
  modulo: "_%_",
  multiply: "_*_",
  negate: "-_",
  not: "!_",
  notEquals: "_!=_",
  notStrictlyFalse: "@not_strictly_false",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  or: "_||_",
  subtract: "_-_",
} as const;
