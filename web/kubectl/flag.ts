// The flags of commands: their type, and a constructor for each type of value.

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly type: "bool" | "string" | "strings" | "array" | "int" | "duration";
  readonly default?: string | boolean | number;
  /** The value of a flag without an argument: `--dry-run`. */
  readonly bare?: string;
  readonly usage: string;
  readonly hidden?: boolean;
}

type FlagConstructor = (
  name: string,
  usage: string,
  more?: Pick<Flag, "short" | "default" | "bare" | "hidden">,
) => Flag;

const ofType =
  (type: Flag["type"]): FlagConstructor =>
  (name, usage, more) => ({ name, type, usage, ...more });

export const boolFlag = ofType("bool");
export const stringFlag = ofType("string");
/** A flag whose value is split at commas; it can be repeated. */
export const stringsFlag = ofType("strings");
/** A flag that can be repeated and whose value is not split. */
export const arrayFlag = ofType("array");
export const intFlag = ofType("int");
export const durationFlag = ofType("duration");
