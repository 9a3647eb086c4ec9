// Completes the word before the cursor: programs, kubectl's words, variables and files.
import { absolute } from "../../../../shared/shell/paths.ts";
import { findResource, groupVersionOf } from "../../../kubectl/cluster/discovery.ts";
import { fieldsOf, placeAt, schemasOf } from "../schema.ts";
import type { Shell } from "../shell.ts";

export interface Completion {
  /** The start of the word that is completed. */
  readonly from: number;
  /** The sorted words to insert, escaped for the shell. */
  readonly words: readonly string[];
}

const nothing: Completion = { from: 0, words: [] };
/** The maximum number of completions. */
const mostOffered = 200;

/** Completes a line. `before` is the text up to the cursor; `programs` are the names that can begin a command. */
export async function completeLine(
  before: string,
  shell: Shell,
  programs: Iterable<string>,
  signal: AbortSignal,
): Promise<Completion> {
  const { words, from, isTarget } = lastCommand(before);
  const last = words.at(-1) ?? { text: "", from };
  const offer = (candidates: readonly string[]): Completion => ({
    from: last.from,
    words: [...new Set(candidates)]
      .filter((word) => word.startsWith(last.text))
      .sort()
      .slice(0, mostOffered)
      .map((word) => written(word)),
  });
  const [, name] = /\$\{?([A-Za-z_]\w*)?$/.exec(before) ?? [];
  if (/\$\{?(?:[A-Za-z_]\w*)?$/.test(last.text)) return variables(before, name ?? "", shell);
  if (isTarget) return offer(filesNamed(shell, last.text));
  if (words.length === 1) {
    if (last.text.includes("/")) return offer(filesNamed(shell, last.text));
    return offer([...programs, ...namesOf(shell.aliases), ...namesOf(shell.functions), ...keywords]);
  }
  const [first] = words;
  const command = [...expandedAlias(shell, first?.text ?? ""), ...words.slice(1).map(({ text }) => text)];
  // A prefix such as `sudo` is skipped, so that the command behind it is completed.
  while (command.length > 2 && prefixes.has(command[0] ?? ""))
    command.splice(0, command[0] === "watch" && command[1] === "-n" ? 3 : 1);
  if (command[0] === "kubectl") return kubectlWords(shell, command.slice(1), last, signal);
  if (command[0] === "cd") return offer(filesNamed(shell, last.text).filter((path) => path.endsWith("/")));
  if (command[0] === "which" || command[0] === "man" || command[0] === "type") return offer([...programs]);
  if (last.text.startsWith("-")) return nothing;
  return offer(filesNamed(shell, last.text));
}

const keywords = ["for", "while", "until", "if", "case", "function", "do", "done", "then", "fi"];
const prefixes = new Set(["watch", "time", "sudo", "env", "nohup", "command", "xargs"]);

async function kubectlWords(
  shell: Shell,
  words: readonly string[],
  last: TypedWord,
  signal: AbortSignal,
): Promise<Completion> {
  if (words.includes("explain") && last.text.includes(".")) return explainedFields(shell, last, signal);
  const completions = await shell.machine.kubectl.complete(words, signal);
  const [, flag = ""] = /^(--[\w-]+=)/.exec(last.text) ?? [];
  if (flag === "" || completions.length > 0) return { from: last.from, words: completions.map(written) };
  // `--output=y` is completed like `--output y`.
  const value = last.text.slice(flag.length);
  const again = await shell.machine.kubectl.complete([...words.slice(0, -1), flag.slice(0, -1), value], signal);
  return { from: last.from + flag.length, words: again.map(written) };
}

/** Completes the fields of `kubectl explain pods.spec.con`. */
async function explainedFields({ machine }: Shell, last: TypedWord, signal: AbortSignal): Promise<Completion> {
  const { surroundings, discovery } = machine.kubectl;
  // Completing a type loads discovery if it is not cached.
  if (!discovery.cached) await machine.kubectl.complete(["get", ""], signal);
  const served = await discovery.cached?.catch(() => undefined);
  const [type = "", ...path] = last.text.split(".");
  const mapping = served && findResource(served, type);
  const root = mapping && (await schemasOf(surroundings).kind(groupVersionOf(mapping), mapping.kind));
  const place = root && placeAt(root, path.slice(0, -1), true);
  const start = last.text.slice(0, last.text.lastIndexOf(".") + 1);
  const words = place ? fieldsOf(place).map(({ name }) => start + name) : [];
  return { from: last.from, words: words.filter((word) => word.startsWith(last.text)).sort() };
}

function variables(before: string, name: string, shell: Shell): Completion {
  const names = namesOf(shell.variables)
    .filter((fieldName) => fieldName.startsWith(name))
    .sort();
  return { from: before.length - name.length, words: names };
}

function filesNamed(shell: Shell, typed: string): string[] {
  const { files } = shell.machine.kubectl.surroundings;
  const slash = typed.lastIndexOf("/") + 1;
  const start = typed.slice(0, slash);
  const home = shell.variables.get("HOME") ?? "/";
  const folder = absolute(start.replace(/^~(?=\/)/, home) || ".", shell.folder);
  return (files.list(folder) ?? [])
    .filter((name) => !name.startsWith(".") || typed.slice(slash).startsWith("."))
    .map((name) => start + name + (files.list(absolute(name, folder)) ? "/" : ""));
}

/** Escapes the characters that the shell would interpret. */
function written(word: string): string {
  return word.replace(/[\s'"\\$`;|&<>()*?[\]!#]/g, "\\$&");
}

function namesOf(names: Iterable<readonly [string, unknown]>): string[] {
  return [...names].map(([name]) => name);
}

function expandedAlias(shell: Shell, name: string): string[] {
  const text = shell.aliases.get(name);
  return text === undefined ? [name] : text.trim().split(/\s+/);
}

interface TypedWord {
  /** The text without its quotes. */
  readonly text: string;
  readonly from: number;
}

/** Returns the words of the command at the cursor. The last one is being typed, or empty if a new word begins. */
function lastCommand(before: string): { words: TypedWord[]; from: number; isTarget: boolean } {
  let words: TypedWord[] = [];
  let word: { text: string; from: number } | undefined;
  let quote = "";
  let isTarget = false;
  const end = () => {
    if (word) words.push(word);
    if (word) isTarget = false;
    word = undefined;
  };
  for (let at = 0; at < before.length; at++) {
    const letter = before.charAt(at);
    if (quote === "'" || quote === '"') {
      if (letter === quote) quote = "";
      else if (letter === "\\" && quote === '"')
        word = { text: (word?.text ?? "") + before.charAt(++at), from: word?.from ?? at };
      else word = { text: (word?.text ?? "") + letter, from: word?.from ?? at };
      // `"$(` begins a command inside quotes.
      if (quote === '"' && letter === "(" && before[at - 1] === "$") [words, word, quote] = [[], undefined, ""];
      continue;
    }
    if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= { text: "", from: at };
    } else if (letter === "\\") word = { text: (word?.text ?? "") + before.charAt(++at), from: word?.from ?? at - 1 };
    else if (/\s/.test(letter)) {
      end();
      if (letter === "\n") words = [];
    } else if (/[;|&(`]/.test(letter) || (letter === "{" && !word)) [words, word] = [[], undefined];
    else if (letter === "<" || letter === ">") {
      if (word && /^\d$/.test(word.text)) word = undefined;
      end();
      isTarget = true;
    } else if (letter === ")") [words, word] = [[{ text: "", from: at }], undefined];
    else word = { text: (word?.text ?? "") + letter, from: word?.from ?? at };
  }
  const typed = word ?? { text: "", from: before.length };
  const isWordFollowing =
    words.length > 0 && ["do", "then", "else", "!", "while", "if", "until"].includes(words[0]?.text ?? "");
  const all = [...(isWordFollowing ? words.slice(1) : words), typed];
  // Skips assignments: `NAME=value command`.
  while (all.length > 1 && /^[A-Za-z_]\w*=/.test(all[0]?.text ?? "")) all.shift();
  return { words: all, from: typed.from, isTarget };
}
