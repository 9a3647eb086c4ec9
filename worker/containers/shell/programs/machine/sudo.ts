// `sudo` and `su`, which run a command or a shell as the user of the container. A simulated shell has no other user.
import { charge } from "../../../../../shared/shell/meter.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { inner } from "../../inner.ts";
import type { ProgramCall } from "../../program.ts";
import type { Shell } from "../../shell.ts";

interface Sudo {
  /** Whether a shell runs the command, or runs alone. */
  isShell: boolean;
  isLogin: boolean;
  isList: boolean;
  /** Whether it only refreshes or forgets a password, which nobody is asked for. */
  isIdle: boolean;
  user: string;
  command: readonly string[];
}

/** Thrown with the message of a wrong option. */
class WrongOption extends Error {}

/** The number of characters of the list of users that one unit of work reads. */
const charactersPerUnit = 64;
const usage =
  "usage: sudo -h | -K | -k | -V\nusage: sudo [-EHknS] [-u user] [VAR=value] [-i | -s] [command [arg ...]]\n";
/** The options with a value, and those that change nothing here. */
const lettersWithValue = "CDghpRrTtU";
const lettersWithoutEffect = "ABbEHnPS";
const longLetters: Readonly<Record<string, string>> = {
  background: "b",
  group: "g",
  host: "h",
  list: "l",
  login: "i",
  "non-interactive": "n",
  "preserve-env": "E",
  "remove-timestamp": "K",
  "reset-timestamp": "k",
  "set-home": "H",
  shell: "s",
  stdin: "S",
  user: "u",
  validate: "v",
};
const assignment = /^([A-Za-z_]\w*)=(.*)$/s;

/** Runs `sudo [-u user] [VAR=value] [-i | -s] [command]`. Nobody is asked for a password. */
export function* sudo(call: ProgramCall): Task<number> {
  const shell = inner(call);
  const options = readSudo(call, shell);
  if (!options) return 1;
  const { user, command, isList, isIdle, isShell, isLogin } = options;
  if (!isKnown(call, user)) {
    call.err(`sudo: unknown user ${user}\nsudo: error initializing audit plugin sudoers_audit\n`);
    return 1;
  }
  if (isList) {
    const host = call.process.files.get("/etc/hostname")?.text?.trim() ?? "localhost";
    call.out(`User ${user} may run the following commands on ${host}:\n    (ALL : ALL) ALL\n`);
    return 0;
  }
  if (isShell) return yield* runShell(shell, user, isLogin, command);
  if (command.length > 0) {
    yield* shell.run(shell, command);
    return shell.exitCode;
  }
  if (isIdle) return 0;
  call.err(usage);
  return 1;
}

/** Reads the options, and sets the variables. Prints what is wrong and returns undefined. */
function readSudo(call: ProgramCall, shell: Shell): Sudo | undefined {
  const sudo: Sudo = { isShell: false, isLogin: false, isList: false, isIdle: false, user: "root", command: [] };
  const words = [...call.args];
  try {
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      const [, name, value = ""] = assignment.exec(word) ?? [];
      if (name !== undefined) shell.variables.set(name, value);
      else if (word.startsWith("-") && word.length > 1 && word !== "--") readOption(sudo, word, words);
      else {
        sudo.command = word === "--" ? words : [word, ...words];
        break;
      }
    }
    return sudo;
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error;
    call.err(`sudo: ${error.message}\n${usage}`);
    return undefined;
  }
}

/** Reads a word of options. Takes the value of the last one from `words` if the word does not have it. */
function readOption(sudo: Sudo, word: string, words: string[]): void {
  if (word.startsWith("--")) {
    const [name = "", ...values] = word.slice(2).split("=");
    const letter = longLetters[name];
    if (letter === undefined) throw new WrongOption(`unrecognized option '${word}'`);
    if (letter === "u" || lettersWithValue.includes(letter)) {
      const value = values.length > 0 ? values.join("=") : words.shift();
      if (value === undefined) throw new WrongOption(`option '--${name}' requires an argument`);
      if (letter === "u") sudo.user = value;
    } else setFlag(sudo, letter);
    return;
  }
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    if (letter !== "u" && !lettersWithValue.includes(letter)) {
      setFlag(sudo, letter);
      continue;
    }
    const value = word.slice(at + 1) || words.shift();
    if (value === undefined) throw new WrongOption(`option requires an argument -- '${letter}'`);
    if (letter === "u") sudo.user = value;
    return;
  }
}

function setFlag(sudo: Sudo, letter: string): void {
  if (letter === "i" || letter === "s") {
    sudo.isShell = true;
    sudo.isLogin ||= letter === "i";
  } else if (letter === "l") sudo.isList = true;
  else if ("vkK".includes(letter)) sudo.isIdle = true;
  else if (!lettersWithoutEffect.includes(letter)) throw new WrongOption(`invalid option -- '${letter}'`);
}

/** Runs `su [- | -l] [user] [-c command]`. */
export function* su(call: ProgramCall): Task<number> {
  const words = [...call.args];
  let isLogin = false;
  let command: string | undefined;
  const users: string[] = [];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "-" || word === "-l" || word === "--login") isLogin = true;
    else if (word === "-c" || word === "--command") command = words.shift() ?? "";
    else if (word === "-s" || word === "--shell") words.shift();
    else if (word.startsWith("-")) {
      if (!/^-[mp]+$/.test(word)) {
        call.err(
          `su: invalid option -- '${word.replace(/^-+/, "").charAt(0)}'\nTry 'su --help' for more information.\n`,
        );
        return 1;
      }
    } else users.push(word);
  }
  const [user = "root"] = users;
  if (!isKnown(call, user)) {
    call.err(`su: user ${user} does not exist or the user entry does not contain all the required fields\n`);
    return 1;
  }
  return yield* runShell(inner(call), user, isLogin, command === undefined ? [] : [command]);
}

/** Runs a command of a shell, or the shell alone, which a login begins in the user's home. */
function* runShell(shell: Shell, user: string, isLogin: boolean, command: readonly string[]): Task<number> {
  const { dialect } = shell;
  if (isLogin) {
    const home = user === "root" ? "/root" : `/home/${user}`;
    shell.folder = home;
    shell.variables.set("HOME", home);
    shell.variables.set("PWD", home);
  }
  shell.variables.set("USER", user);
  shell.variables.set("LOGNAME", user);
  yield* shell.run(shell, [
    dialect === "bash" ? "bash" : "sh",
    ...(command.length > 0 ? ["-c", command.join(" ")] : []),
  ]);
  return shell.exitCode;
}

function isKnown({ process }: ProgramCall, user: string): boolean {
  if (user === "root" || /^#\d+$/.test(user)) return true;
  const text = process.files.get("/etc/passwd")?.text ?? "";
  charge(process, text.length / charactersPerUnit);
  return text.startsWith(`${user}:`) || text.includes(`\n${user}:`);
}
