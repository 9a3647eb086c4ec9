// What a line of the terminal's shell consists of, once it was read.

export interface Simple {
  readonly type: "simple";
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** What is redirected is all of it. */
export interface Compound {
  readonly type: "compound";
  readonly body: Body;
  readonly redirects: readonly Redirect[];
}

export type Body =
  | { readonly kind: "group"; readonly list: List }
  | { readonly kind: "subshell"; readonly list: List }
  | { readonly kind: "while"; readonly isUntil: boolean; readonly condition: List; readonly list: List }
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
  readonly isNegated: boolean;
  readonly commands: readonly Command[];
}

/** `before` joins it to what stands before it. */
export interface Item {
  readonly before: ";" | "&&" | "||";
  readonly pipeline: Pipeline;
  readonly isBackground: boolean;
  /** As it was typed, for `jobs`. */
  readonly text: string;
}

export type List = readonly Item[];

export interface Redirect {
  readonly operator: "<" | ">" | ">>" | "<<" | "<<<";
  /** 1 is output, 2 is errors. */
  readonly stream: number | "both";
  /** A file, a stream's number, or the text of a here-document. */
  readonly target: Word;
  /** `2>&1`: the target is a stream. */
  readonly isDuplicate: boolean;
}

export type Word = readonly Part[];

export interface VariablePart {
  readonly type: "variable";
  readonly name: string;
  /** `:-`, `#`, `%%`, `/`, `length` and the like; "" for none. */
  readonly operator: string;
  readonly argument: Word;
  readonly isQuoted: boolean;
}

export type Part =
  | { readonly type: "text"; readonly text: string; readonly isQuoted: boolean }
  | { readonly type: "command"; readonly list: List; readonly isQuoted: boolean }
  /** `<(commands)`: a file with what they print. */
  | { readonly type: "process"; readonly list: List; readonly isQuoted: false }
  | { readonly type: "arithmetic"; readonly expression: Word; readonly isQuoted: boolean }
  | VariablePart;

/** The text of a word in which nothing is expanded. */
export function literal(word: Word): string | undefined {
  let text = "";
  for (const part of word) {
    if (part.type !== "text") return undefined;
    text += part.text;
  }
  return text;
}
