// The syntax tree of a template.

/** A node of an expression. `text` is its normalized source, which errors show. */
export type Operand =
  | { readonly form: "dot" | "nil"; readonly start: number; readonly text: string }
  | { readonly form: "constant"; readonly start: number; readonly text: string; readonly value: unknown }
  | { readonly form: "field"; readonly start: number; readonly text: string; readonly path: readonly string[] }
  | {
      readonly form: "variable";
      readonly start: number;
      readonly text: string;
      readonly name: string;
      readonly path: readonly string[];
    }
  | { readonly form: "function"; readonly start: number; readonly text: string; readonly name: string }
  | { readonly form: "pipe"; readonly start: number; readonly text: string; readonly pipe: Pipe }
  | {
      readonly form: "chain";
      readonly start: number;
      readonly text: string;
      readonly of: Operand;
      readonly path: readonly string[];
    };

export interface Command {
  readonly start: number;
  readonly text: string;
  readonly first: Operand;
  readonly rest: readonly Operand[];
}

export interface Pipe {
  readonly start: number;
  readonly text: string;
  readonly variables: readonly string[];
  /** True for `$x = value`, which changes a variable of an outer scope. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type Node =
  | { readonly form: "text"; readonly start: number; readonly text: string }
  | { readonly form: "action"; readonly start: number; readonly pipe: Pipe }
  | { readonly form: "template"; readonly start: number; readonly name: string; readonly pipe: Pipe | undefined }
  | { readonly form: "break" | "continue"; readonly start: number }
  | Branch;

export interface Branch {
  readonly form: "if" | "range" | "with";
  readonly start: number;
  readonly pipe: Pipe;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[] | undefined;
}

/** A parsed template: its nodes, and the text that positions refer to. */
export interface Template {
  readonly name: string;
  /** The name of the file that defines the template. */
  readonly file: string;
  readonly source: string;
  readonly nodes: readonly Node[];
}
