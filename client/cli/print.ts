// Functions that commands share: selecting a subcommand, and printing JSON for programs, tables and lines for people.
import type { Run } from "./command-run.ts";
import { UsageError } from "./values.ts";

export type CommandHandler = (run: Run) => Promise<number | undefined | void>;

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

/** Runs the subcommand that the first word names. */
export async function runSubcommand(
  run: Run,
  subcommands: Readonly<Record<string, CommandHandler>>,
): Promise<number | undefined | void> {
  const [word = "", ...words] = run.words;
  const handler = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  if (!handler) throw new UsageError(`say ${Object.keys(subcommands).join(", ")}, not ${JSON.stringify(word)}`);
  return handler({ ...run, words });
}
