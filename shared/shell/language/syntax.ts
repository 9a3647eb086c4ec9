// The syntax tree of a shell script.

export interface Simple {
  readonly type: "simple";
  /** The line of the command, from 1 (busybox counts a command's text from 0). */
  readonly line: number;
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Assignment {
  readonly name: string;
  /** The index of `name[index]=value`. */
  readonly index?: Word;
  readonly value: Word;
  /** The elements of `name=(one two)`; those of the form `[key]=value` have an index. */
  readonly list: readonly Element[] | undefined;
  /** Whether this is `name+=value`. */
  readonly appends: boolean;
}

export interface Element {
  readonly index?: Word;
  readonly value: Word;
}

/** A compound command, whose redirections apply to all of it. */
export interface Compound {
  readonly type: "compound";
  readonly line: number;
  readonly body: Body;
  readonly redirects: readonly Redirect[];
}

export type Body =
  | { readonly kind: "group"; readonly list: List }
  | { readonly kind: "subshell"; readonly list: List }
  | { readonly kind: "while"; readonly until: boolean; readonly condition: List; readonly list: List }
  | { readonly kind: "counted"; readonly clauses: readonly Word[]; readonly list: List }
  | { readonly kind: "for"; readonly name: string; readonly words: readonly Word[] | undefined; readonly list: List }
  | { readonly kind: "if"; readonly arms: readonly Arm[]; readonly otherwise: List | undefined }
  | { readonly kind: "case"; readonly word: Word; readonly arms: readonly CaseArm[] }
  | { readonly kind: "arithmetic"; readonly expression: Word }
  | { readonly kind: "function"; readonly name: string; readonly body: Command };

export interface Arm {
  readonly condition: List;
  readonly list: List;
}

export interface CaseArm {
  readonly patterns: readonly Word[];
  readonly list: List;
}

export type Command = Simple | Compound;

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly Command[];
}

/** A pipeline of a list. `before` is the operator before it. `background`: the text before an `&` that follows, as it is written. */
export interface Item {
  readonly before: ";" | "&&" | "||";
  readonly pipeline: Pipeline;
  readonly background: string | undefined;
}

export type List = readonly Item[];

export interface Redirect {
  readonly operator: "<" | ">" | ">>" | "<<" | "<<<";
  /** The stream: 1 is output, 2 is errors, "both" is `&>`. */
  readonly stream: number | "both";
  readonly target: Word;
  /** Whether the target is a stream, as in `2>&1`. */
  readonly duplicate: boolean;
}

export type Word = readonly Piece[];

export type Piece =
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly type: "command"; readonly list: List; readonly quoted: boolean }
  | { readonly type: "arithmetic"; readonly expression: Word; readonly quoted: boolean }
  /** `<(list)`: the name of a file with the output of the list. */
  | { readonly type: "file"; readonly list: List; readonly quoted: false }
  | {
      readonly type: "variable";
      /** `x`, `1`, `@`, `list[0]` or `list[@]`. With `!` before it: the variable that the value names, or the list's keys. */
      readonly name: string;
      /** The operator `:-`, `#`, `%%`, `/`, `length` and so on. `bad`: the expansion cannot be read, and the argument has its text. */
      readonly operator: string;
      readonly argument: Word;
      readonly quoted: boolean;
    };

/** Returns the text of a word without expansions. */
export function literal(word: Word): string | undefined {
  let text = "";
  for (const piece of word) {
    if (piece.type !== "text") return undefined;
    text += piece.text;
  }
  return text;
}
