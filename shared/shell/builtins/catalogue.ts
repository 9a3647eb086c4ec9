// The built-in commands of shells. `names.ts` lists which shell has which; the host has those for jobs.
import type { Programs } from "../evaluate/program.ts";
import { changeFolder, evaluate, exec, exit, leaveFunction, leaveLoop, source, trap } from "./flow.ts";
import { alias, command, type, ulimit, umask, unalias } from "./names.ts";
import { set, shopt } from "./options.ts";
import { read } from "./read.ts";
import { compute, declare, getopts, local, mapfile, shift, unset } from "./variables.ts";

const nothing = () => 0;

export const builtins: Programs = {
  ":": nothing,
  true: nothing,
  false: () => 1,
  exit,
  logout: exit,
  return: leaveFunction,
  break: leaveLoop("break"),
  continue: leaveLoop("continue"),
  set,
  shopt,
  export: declare,
  readonly: declare,
  declare,
  typeset: declare,
  local,
  unset,
  shift,
  let: compute,
  getopts,
  mapfile,
  readarray: mapfile,
  read,
  cd: changeFolder,
  pwd: ({ shell, out }) => {
    out(`${shell.folder}\n`);
    return 0;
  },
  eval: evaluate,
  ".": source,
  source,
  trap,
  exec,
  type,
  command,
  builtin: command,
  alias,
  unalias,
  umask,
  ulimit,
  hash: nothing,
  enable: nothing,
  complete: nothing,
  compgen: nothing,
  dirs: ({ shell, out }) => {
    out(`${shell.folder}\n`);
    return 0;
  },
  times: ({ out }) => {
    out("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n");
    return 0;
  },
  history: ({ shell, out }) => {
    for (const [at, line] of shell.history.entries())
      out(
        `${String(at + 1).padStart(shell.dialect === "bash" ? 5 : 4)}${shell.dialect === "bash" ? "  " : " "}${line}\n`,
      );
    return 0;
  },
};
