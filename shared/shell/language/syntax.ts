// What a shell script consists of, once it was read.

export interface Simple {
  readonly type: "simple";
  /** Where it begins, from 1 (busybox counts a command's text from 0). */
  readonly line: number;
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Assignment {
  readonly name: string;
  /** `name[index]=value`. */
  readonly index?: Word;
  readonly value: Word;
  /** `name=(one two)`; `[key]=value` in it has an index. */
  readonly list: readonly Element[] | undefined;
  /** `name+=value`. */
  readonly appends: boolean;
}

export interface Element {
  readonly index?: Word;
  readonly value: Word;
}

/** A compound command: what is redirected is all of it. */
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
  | { readonly kind: "counted"; readonly parts: readonly Word[]; readonly list: List }
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

/** `before` joins it to what stands before it; `background`: an `&` follows, and what stands before that, as it is written. */
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
  /** `2>&1`: the target is a stream. */
  readonly duplicate: boolean;
}

export type Word = readonly Part[];

export type Part =
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly type: "command"; readonly list: List; readonly quoted: boolean }
  | { readonly type: "arithmetic"; readonly expression: Word; readonly quoted: boolean }
  /** `<(list)`: the name of a file with what the list prints. */
  | { readonly type: "file"; readonly list: List; readonly quoted: false }
  | {
      readonly type: "variable";
      /** `x`, `1`, `@`, `list[0]`, `list[@]`; with `!` before it: what the variable names, or the list's keys. */
      readonly name: string;
      /** `:-`, `#`, `%%`, `/`, `length` and the like; `bad`: it cannot be read, and stands in the argument. */
      readonly operator: string;
      readonly argument: Word;
      readonly quoted: boolean;
    };

/** A word that is only text. */
export function literal(word: Word): string | undefined {
  let text = "";
  for (const part of word) {
    if (part.type !== "text") return undefined;
    text += part.text;
  }
  return text;
}
