// How the commands print: JSON for programs, tables and lines for people.
import type { Sandbar } from "../index.ts";

/** What was asked of a command, as it is carried out. */
export interface Run {
  readonly client: Sandbar;
  readonly words: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly version: string;
  readonly signal: AbortSignal;
  /** What was asked for. */
  print(text: string | Uint8Array): void;
  /** What is said beside it. */
  say(text: string): void;
  text(option: string): string | undefined;
  texts(option: string): readonly string[];
  has(option: string): boolean;
}

export type Deed = (run: Run) => Promise<number | undefined | void>;

export function printJson({ print }: Pick<Run, "print">, value: unknown): void {
  print(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [head, ...rows].map((row) => `${line(row)}\n`).join("");
}

export function optional<N extends string>(name: N, value: string | undefined): Partial<Record<N, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<N, string>>);
}
