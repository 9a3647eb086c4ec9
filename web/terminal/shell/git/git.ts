// `git` for repositories among the terminal's files. There are no remote hosts.
import { absolute } from "../../../../shared/shell/paths.ts";
import { Failure } from "../failure.ts";
import { filesOf, type ProgramCall } from "../program.ts";
import type { GitCall, GitCommand } from "./command.ts";
import { addCommands } from "./commands/add.ts";
import { blameCommands } from "./commands/blame.ts";
import { branchCommands } from "./commands/branch.ts";
import { commitCommands } from "./commands/commit.ts";
import { configCommand } from "./commands/config.ts";
import { diffCommands } from "./commands/diff.ts";
import { cloneCommand, initCommand } from "./commands/init.ts";
import { inspectCommands } from "./commands/inspect.ts";
import { logCommands } from "./commands/log.ts";
import { mergeCommands } from "./commands/merge.ts";
import { pickCommands } from "./commands/pick.ts";
import { rebaseCommands } from "./commands/rebase.ts";
import { resetCommands } from "./commands/reset.ts";
import { stashCommands } from "./commands/stash.ts";
import { switchCommands } from "./commands/switch.ts";
import { tagCommands } from "./commands/tag.ts";
import { GitFailure } from "./failure.ts";
import { loadLibrary } from "./library.ts";
import { inColor, plain } from "./paint.ts";
import { Repository, repositoryAt, repositoryOptions } from "./repository.ts";

const commands: Readonly<Record<string, GitCommand>> = {
  ...addCommands,
  ...commitCommands,
  ...logCommands,
  ...diffCommands,
  ...branchCommands,
  ...switchCommands,
  ...resetCommands,
  ...mergeCommands,
  ...pickCommands,
  ...rebaseCommands,
  ...tagCommands,
  ...stashCommands,
  ...inspectCommands,
  ...blameCommands,
};

/** Commands that need no repository. */
const anywhere: Readonly<Record<string, GitCommand>> = {
  init: initCommand,
  clone: cloneCommand,
  config: configCommand,
};

/** Commands of the real git that are left out. */
const leftOut = new Set(
  "am apply archive bisect bundle clean describe fetch format-patch gc grep notes pull push reflog remote shortlog submodule worktree".split(
    " ",
  ),
);

const version = "git version 2.39.5\n";

export async function git(call: ProgramCall): Promise<number> {
  let { shell } = call;
  let [...args] = call.args;
  for (; args[0] === "-C" || args[0] === "--no-pager"; args = args.slice(args[0] === "-C" ? 2 : 1)) {
    if (args[0] === "--no-pager") continue;
    const folder = absolute(args[1] ?? "", shell.folder);
    if (!filesOf(call).list(folder))
      return fail(call, new GitFailure(`fatal: cannot change to '${args[1] ?? ""}': No such file or directory`, 128));
    shell = { ...shell, folder };
  }
  const [name = "", ...rest] = args;
  if (name === "--version" || name === "version") return call.out.write(version), 0;
  if (name === "" || name === "--help" || name === "help") {
    call.out.write(
      `usage: git [-C <path>] [--no-pager] <command> [<args>]\n\nThese commands are in this terminal:\n\n${names()}`,
    );
    return name === "" ? 1 : 0;
  }
  try {
    return await run({ ...call, shell }, name, rest);
  } catch (error) {
    return fail(call, error);
  }
}

async function run(call: ProgramCall, name: string, args: readonly string[]): Promise<number> {
  const freeCommand = Object.hasOwn(anywhere, name) ? anywhere[name] : undefined;
  const command = freeCommand ?? (Object.hasOwn(commands, name) ? commands[name] : undefined);
  if (!command) {
    if (leftOut.has(name)) throw new GitFailure(`git: '${name}' is not in this terminal. See 'git help'.`, 1);
    throw new GitFailure(`git: '${name}' is not a git command. See 'git --help'.`, 1);
  }
  const api = await loadLibrary();
  const files = filesOf(call);
  const { folder } = call.shell;
  const place = () => repositoryAt(api, files, repositoryOptions(call), folder);
  let repository: Repository;
  try {
    repository = place();
  } catch (error) {
    if (!freeCommand) throw error;
    repository = new Repository(api, files, repositoryOptions(call), folder);
  }
  const git: GitCall = {
    call,
    args,
    repository,
    paint: call.out.isTerminal ? inColor : plain,
    out: (text) => call.out.write(text),
    err: (text) => call.err.write(text),
  };
  const code = await command(git);
  await call.out.settled(call.signal);
  return code;
}

function names(): string {
  return [...Object.keys(anywhere), ...Object.keys(commands)]
    .sort()
    .map((name) => `   ${name}\n`)
    .join("");
}

/** Prints an error as git does, without the name of the program. Errors of storage come from the files. */
function fail(call: ProgramCall, error: unknown): number {
  if (error instanceof GitFailure) {
    if (error.message !== "") call.err.write(`${error.message}\n`);
    return error.code;
  }
  if (error instanceof Failure || !(error instanceof Error)) throw error;
  if (!/no space left|is a directory/.test(error.message) && !("caller" in error)) throw error;
  call.err.write(`fatal: ${error.message}\n`);
  return 128;
}
