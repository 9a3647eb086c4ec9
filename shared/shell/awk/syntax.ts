// The syntax tree of an awk program.

export type Node =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "pattern"; readonly source: string }
  | { readonly kind: "field"; readonly index: Node }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "element"; readonly name: string; readonly keys: readonly Node[] }
  | { readonly kind: "in"; readonly keys: readonly Node[]; readonly name: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: "unary"; readonly operator: string; readonly of: Node }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: "assign"; readonly operator: string; readonly target: Node; readonly value: Node }
  | { readonly kind: "step"; readonly by: 1 | -1; readonly isFirst: boolean; readonly target: Node }
  | { readonly kind: "choice"; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: "getline"; readonly target: Node | undefined; readonly file: Node | undefined };

export type Statement =
  | { readonly kind: "block"; readonly list: readonly Statement[] }
  | {
      readonly kind: "print";
      readonly args: readonly Node[];
      readonly isForm: boolean;
      readonly to?: readonly [operator: string, target: Node];
    }
  | { readonly kind: "do"; readonly value: Node }
  | { readonly kind: "if"; readonly condition: Node; readonly yes: Statement; readonly no: Statement | undefined }
  | {
      readonly kind: "while";
      readonly condition: Node | undefined;
      readonly body: Statement;
      readonly step: Statement | undefined;
      readonly isLate: boolean;
    }
  | { readonly kind: "each"; readonly name: string; readonly list: string; readonly body: Statement }
  | { readonly kind: "delete"; readonly name: string; readonly keys: readonly Node[] | undefined }
  | {
      readonly kind: "leave";
      readonly how: "next" | "exit" | "break" | "continue" | "return";
      readonly value: Node | undefined;
    };

export interface Rule {
  readonly when: "BEGIN" | "END" | readonly Node[];
  readonly body: Statement | undefined;
}

export interface AwkProgram {
  /** Whether the program contains `getline`. */
  readonly hasGetline: boolean;
  readonly rules: readonly Rule[];
  readonly functions: ReadonlyMap<string, { readonly parameters: readonly string[]; readonly body: Statement }>;
}

/** The error of a program that cannot be parsed, or cannot go on. */
export class AwkError extends Error {}
