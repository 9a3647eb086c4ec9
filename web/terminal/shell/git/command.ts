// The interface of git's commands.
import { absolute } from "../../../../shared/shell/paths.ts";
import { globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { type Options, optionsOf, type ProgramCall } from "../program.ts";
import { fatal, GitFailure } from "./failure.ts";
import type { Paint } from "./paint.ts";
import type { Repository } from "./repository.ts";

export interface GitCall {
  readonly call: ProgramCall;
  /** The command's words after its name. */
  readonly args: readonly string[];
  readonly repository: Repository;
  readonly paint: Paint;
  out(text: string): void;
  err(text: string): void;
}

export type GitCommand = (git: GitCall) => Promise<number>;

const usageCode = 129;

/** Parses the options as `optionsOf` does. `paths` are the words after `--`. */
export function parsed(
  { args }: Pick<GitCall, "args">,
  spec: string,
  unknown?: (word: string) => GitFailure,
): Options & { readonly paths: readonly string[]; readonly hasPaths: boolean } {
  const end = args.indexOf("--");
  try {
    const options = optionsOf(end < 0 ? args : args.slice(0, end), spec);
    return { ...options, paths: end < 0 ? [] : args.slice(end + 1), hasPaths: end >= 0 };
  } catch (error) {
    const { message } = error as Error;
    const long = /unrecognized option '--([^'=]*)/.exec(message)?.[1];
    const letter = /-- '(.)'/.exec(message)?.[1];
    const word = long === undefined ? `-${letter ?? ""}` : `--${long}`;
    if (unknown && !message.includes("requires")) throw unknown(word);
    if (long !== undefined) throw new GitFailure(`error: unknown option \`${long}'`, usageCode);
    throw new GitFailure(
      message.startsWith("invalid")
        ? `error: unknown switch \`${letter ?? ""}'`
        : `error: switch \`${letter ?? ""}' requires a value`,
      usageCode,
    );
  }
}

/** Throws if an option of the real git is set that this one leaves out. */
export function refuse(command: string, options: Options, names: readonly string[]): void {
  const name = names.find((each) => options.has(each));
  if (name !== undefined) throw fatal(`${command}: option '${name}' is not in this terminal`);
}

/** Returns the path of a word in the repository; empty for its root. */
export function pathIn({ call, repository }: GitCall, name: string): string {
  const path = absolute(name, call.shell.folder);
  const { dir } = repository;
  if (path === dir) return "";
  const start = dir === "/" ? "/" : `${dir}/`;
  if (path.startsWith(start)) return path.slice(start.length);
  throw new GitFailure(`fatal: ${name}: '${name}' is outside repository at '${dir}'`, 128);
}

/** Returns a path of the repository as it is named from the shell's folder. */
export function nameFrom(git: GitCall, path: string): string {
  const here = pathIn(git, ".");
  if (here === "") return path;
  const [folder, target] = [here.split("/"), path.split("/")];
  let same = 0;
  while (same < folder.length && same < target.length - 1 && folder[same] === target[same]) same++;
  const name = [...folder.slice(same).map(() => ".."), ...target.slice(same)].join("/");
  return path.endsWith("/") && name === "" ? "./" : name;
}

export interface PathSpec {
  matches(path: string): boolean;
  /** Returns the first word that matches none of these paths. */
  missing(paths: Iterable<string>): string | undefined;
}

/** Selects paths by names of files and folders, and by globs. No words select everything. */
export function pathSpec(git: GitCall, names: readonly string[]): PathSpec {
  const tests = names.map((name) => ({ name, test: matcher(git, pathIn(git, name)) }));
  return {
    matches: (path) => tests.length === 0 || tests.some(({ test }) => test(path)),
    missing: (paths) => {
      const all = [...paths];
      return tests.find(({ test }) => !all.some(test))?.name;
    },
  };
}

function matcher({ call }: GitCall, pattern: string): (path: string) => boolean {
  const glob = /[*?[]/.test(pattern) ? globOf(pattern) : undefined;
  return (path) =>
    pattern === "" ||
    path === pattern ||
    path.startsWith(`${pattern}/`) ||
    (glob !== undefined && globMatches(glob, path, (units) => charge(call.process, units)));
}
