// The commands `set` and `shopt`, and the same letters at the start of a shell.
import { quotedFor } from "../expansion/assignments.ts";
import { complain, fatal } from "../evaluate/complaints.ts";
import { charge } from "../meter.ts";
import { type ProgramCall } from "../evaluate/program.ts";
import { printedLines } from "../lines.ts";
import type { Shell, ShellOptions } from "../evaluate/shell.ts";

const letters: Readonly<Record<string, string>> = {
  a: "allexport",
  e: "errexit",
  f: "noglob",
  n: "noexec",
  u: "nounset",
  v: "verbose",
  x: "xtrace",
  C: "noclobber",
};
/** Options without an effect. */
const ignored = "bhikmlprstBEHPT";
const idle =
  "ignoreeof interactive monitor nolog notify posix vi emacs stdin braceexpand hashall histexpand history physical privileged";
const validNames = new Set([...Object.values(letters), "pipefail", ...idle.split(" ")]);

/** Sets options. Returns the number of words that were read; undefined after printing the error of an unknown option. */
export function readOptions(shell: Shell, args: readonly string[], builtin?: string): number | undefined {
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!/^[-+]./.test(arg) || arg === "--") break;
    const isOn = arg.startsWith("-");
    for (const letter of arg.slice(1)) {
      if (letter === "o") {
        const name = args[++at] ?? "";
        const isThere = validNames.has(name) && !(name === "pipefail" && shell.isStrict && shell.dialect === "dash");
        if (!isThere) return refuse(shell, `-o ${name}`, `${name}: invalid option name`, builtin);
        switchOption(shell, name, isOn);
      } else if (Object.hasOwn(letters, letter)) switchOption(shell, letters[letter] ?? "", isOn);
      else if (!ignored.includes(letter)) return refuse(shell, `-${letter}`, `-${letter}: invalid option`, builtin);
    }
  }
  return at;
}

function refuse(shell: Shell, option: string, words: string, builtin?: string): undefined {
  const bad = `${shell.dialect === "dash" ? "Illegal" : "illegal"} option ${option}`;
  fatal(shell, { ash: bad, dash: bad, bash: words }, builtin, 2);
  // Bash goes on after the error.
  if (shell.dialect === "bash") shell.flow = undefined;
  return undefined;
}

function switchOption(shell: Shell, name: string, isOn: boolean): void {
  if (name === "errexit") shell.stopsOnFailure = isOn;
  else if (name === "xtrace") shell.traces = isOn;
  else shell.options = { ...shell.options, [name]: isOn };
}

export function set(call: ProgramCall): number {
  const { shell, args, process, out } = call;
  if (args.length === 0) {
    const lines: string[] = [];
    for (const [name, value] of shell.variables)
      if (/^\w+$/.test(name)) lines.push(`${name}=${shownValue(shell, value)}`);
    charge(process, lines.length / 4);
    out(printedLines(process, lines.sort()));
    return 0;
  }
  if (args.length === 1 && args[0] === "-o") {
    out(listed(shell));
    return 0;
  }
  const read = readOptions(shell, args, "set");
  if (read === undefined) return 2;
  const rest = args.slice(read);
  if (rest[0] === "--") shell.parameters = [shell.parameters[0] ?? "sh", ...rest.slice(1)];
  else if (rest.length > 0)
    shell.parameters = [shell.parameters[0] ?? "sh", ...(rest[0] === "-" ? rest.slice(1) : rest)];
  return 0;
}

function shownValue(shell: Shell, value: string): string {
  return shell.dialect === "bash" ? quotedFor(shell, value) : `'${value.replaceAll("'", `'"'"'`)}'`;
}

function listed(shell: Shell): string {
  const { dialect, options, stopsOnFailure, traces } = shell;
  const names = [...Object.values(letters), ...(dialect === "dash" ? [] : ["pipefail"])];
  const isOn = (name: string) =>
    name === "errexit" ? stopsOnFailure : name === "xtrace" ? traces : options[name as keyof ShellOptions];
  const lines = (dialect === "bash" ? names.sort() : names).map(
    (name) =>
      `${name.padEnd(dialect === "bash" ? 15 : 16)}${dialect === "bash" ? "\t" : ""}${isOn(name) ? "on" : "off"}\n`,
  );
  return (dialect === "dash" ? "Current option settings\n" : "") + lines.join("");
}

const shellOptions = new Set(
  "nullglob extglob globstar dotglob expand_aliases nocaseglob nocasematch checkwinsize histappend lastpipe failglob inherit_errexit".split(
    " ",
  ),
);

/** The command `shopt`. Only `nullglob` has an effect. */
export function shopt(call: ProgramCall): number {
  const { shell, args } = call;
  const names = args.filter((arg) => !arg.startsWith("-"));
  for (const name of names) {
    if (!shellOptions.has(name)) {
      complain(shell, `${name}: invalid shell option name`, "shopt");
      return 1;
    }
    if (name === "nullglob" && args.some((arg) => /^-[su]$/.test(arg)))
      shell.options = { ...shell.options, nullglob: args.includes("-s") };
  }
  return 0;
}
