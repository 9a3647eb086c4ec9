// Completion with Tab in an interactive shell.
import { additionText } from "../../../shared/base/completion.ts";
import { builtinNames } from "../../../shared/shell/builtins/names.ts";
import { absolute, isFolder, namesIn } from "./files.ts";
import { charge } from "../../../shared/shell/meter.ts";
import type { Shell } from "./shell.ts";

/** The maximum number of candidates that are listed. */
const mostListed = 200;

/** Prints the completion, or the candidates followed by the line again. Dash has no completion. */
export function complete(shell: Shell, line: string, prompt: string): void {
  if (shell.dialect === "dash") return;
  charge(shell.process, 1 + line.length / 64);
  let begin = line.length;
  while (begin > 0 && !/[\s;|&()<>"']/.test(line.charAt(begin - 1))) begin--;
  const word = line.slice(begin);
  const isCommand = /(?:^|[;|&(]|\bthen|\bdo|\belse|\bsudo|\bexec)\s*$/.test(line.slice(0, line.length - word.length));
  const candidates = [...new Set(candidatesFor(shell, word, isCommand))].sort();
  charge(shell.process, candidates.length / 4);
  const [first] = candidates;
  if (first === undefined) return shell.out(additionText(""));
  const shared = candidates.reduce((start, candidate) => commonStart(start, candidate), first);
  const last = word.slice(word.lastIndexOf("/") + 1).replace(/^\$/, "");
  const addition = shared.slice(last.length) + (candidates.length === 1 && !shared.endsWith("/") ? " " : "");
  if (addition !== "" || candidates.length === 1) return shell.out(additionText(addition) + addition);
  const listed = candidates.length > mostListed ? [...candidates.slice(0, mostListed), "..."] : candidates;
  shell.out(`${additionText("")}\n${listed.join("  ")}\n${prompt}${line}`);
}

function candidatesFor(shell: Shell, word: string, isCommand: boolean): string[] {
  const { process } = shell;
  if (word.startsWith("$"))
    return [...shell.variables].flatMap(([name]) => (name.startsWith(word.slice(1)) ? [name] : []));
  if (isCommand && !word.includes("/")) {
    const names = [
      ...builtinNames(shell),
      ...[...shell.aliases].map(([name]) => name),
      ...[...shell.functions].map(([name]) => name),
      ...(process.programs ?? []),
    ];
    charge(process, names.length / 16);
    return names.filter((name) => name.startsWith(word));
  }
  const slash = word.lastIndexOf("/") + 1;
  const home = shell.variables.get("HOME") ?? "/root";
  const folder = absolute(word.slice(0, slash).replace(/^~(?=\/)/, home) || ".", shell.folder);
  const start = word.slice(slash);
  return namesIn(process.files, folder)
    .filter((name) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
    .map((name) => (isFolder(process.files, folder === "/" ? `/${name}` : `${folder}/${name}`) ? `${name}/` : name));
}

function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.slice(0, at);
}
