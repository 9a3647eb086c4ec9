// What a flag of a command is.

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
