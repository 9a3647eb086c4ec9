// Expands aliases of commands.
import type { Shell } from "../evaluate/shell.ts";
import { parseScript } from "../language/parse.ts";
import { literal, type Word } from "../language/syntax.ts";
import { hold } from "../meter.ts";
import { quotedFor } from "./assignments.ts";

/**
 * Replaces the first word by its alias, if the alias is a simple command: `alias ll="ls -l"`. In bash `time` is a reserved word, so the
 * word after it names the command.
 */
export function aliased(shell: Shell, words: readonly Word[]): readonly Word[] {
  if (!appliesAliases(shell)) return words;
  if (shell.dialect === "bash" && words.length > 1 && literal(words[0] ?? []) === "time")
    return [...words.slice(0, 1), ...aliased(shell, words.slice(1))];
  const names = new Set<string>();
  let replaced = words;
  for (;;) {
    const name = literal(replaced[0] ?? []);
    const text = name === undefined || names.has(name) ? undefined : shell.aliases.get(name);
    const replacement = text === undefined ? undefined : wordsOf(shell, text);
    if (!replacement) return replaced;
    names.add(name ?? "");
    replaced = [...replacement, ...replaced.slice(1)];
  }
}

/** Returns the line that runs instead of the words, if the alias is more than a simple command: `alias both="a; b"`. */
export function aliasedLine(shell: Shell, [name = "", ...args]: readonly string[]): string | undefined {
  const text = appliesAliases(shell) ? shell.aliases.get(name) : undefined;
  if (text === undefined || wordsOf(shell, text)) return undefined;
  return [text, ...args.map((arg) => quotedFor({ dialect: "bash" }, arg))].join(" ");
}

/** Reports whether the shell expands aliases. Bash expands them only in lines that a user types. */
function appliesAliases({ aliases, dialect, source, isStrict }: Shell): boolean {
  return aliases.changes > 0 && !(isStrict && dialect === "bash" && source !== "typed");
}

function wordsOf(shell: Shell, text: string): readonly Word[] | undefined {
  const { list, error, bytes } = parseScript(text, shell.process, shell);
  hold(shell.process, -bytes);
  const [item, ...furtherItems] = list;
  const [command, ...stages] = item?.pipeline.commands ?? [];
  const isSimple = !error && furtherItems.length === 0 && stages.length === 0 && command?.type === "simple";
  return isSimple && command.assignments.length + command.redirects.length === 0 ? command.words : undefined;
}
