// `git config`: settings of the repository and of the user.
import { type GitCall, parsed } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { userConfigFolder } from "../file-system.ts";
import { homeOf } from "../repository.ts";

export async function configCommand(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "l --global --local --get --unset --list --add");
  const [path, value] = options.rest;
  const isGlobal = options.has("global");
  const isInRepository = repository.readState("HEAD") !== undefined;
  const gitdir = isGlobal ? userConfigFolder : repository.gitdir;
  if (options.has("l", "list")) {
    if (!options.has("local")) out(listed(repository.files.read(`${homeOf(git.call.shell)}/.gitconfig`)));
    if (!isGlobal && isInRepository) out(listed(repository.readState("config")));
    return 0;
  }
  if (path === undefined) throw new GitFailure("usage: git config [<options>]", 129);
  if (!/^[\w-]+(\..+)?\.[A-Za-z][\w-]*$/.test(path)) {
    const isSection = !path.includes(".");
    throw new GitFailure(
      isSection ? `error: key does not contain a section: ${path}` : `error: invalid key: ${path}`,
      isSection ? 2 : 1,
    );
  }
  const isWriting = value !== undefined || options.has("unset");
  if (!isWriting) {
    const options = { ...repository.place, gitdir, path };
    const setting: unknown = isGlobal ? await repository.api.getConfig(options) : await repository.setting(path);
    if (setting === undefined || setting === null) return 1;
    out(`${typeof setting === "string" ? setting : JSON.stringify(setting)}\n`);
    return 0;
  }
  if (!isGlobal && !isInRepository) throw fatal("not in a git directory");
  const file = isGlobal ? `${homeOf(git.call.shell)}/.gitconfig` : `${repository.gitdir}/config`;
  const before = repository.files.read(file) ?? "";
  const after = withSetting(before, path, options.has("unset") ? undefined : value);
  if (after === before && options.has("unset")) return 5;
  repository.files.write(file, after);
  return 0;
}

/** Sets a setting in the text of a file, or removes it. */
function withSetting(text: string, path: string, value: string | undefined): string {
  const [section = "", ...rest] = path.split(".");
  const key = rest.pop() ?? "";
  const heading = rest.length > 0 ? `[${section} "${rest.join(".")}"]` : `[${section}]`;
  const lines = text.split("\n").slice(0, -1);
  const start = lines.findIndex((line) => line.trim().toLowerCase() === heading.toLowerCase());
  const next = lines.findIndex((line, at) => at > start && line.trim().startsWith("["));
  const end = next < 0 ? lines.length : next;
  const isKey = (line: string) => line.split("=")[0]?.trim().toLowerCase() === key.toLowerCase();
  const at = start < 0 ? -1 : lines.findIndex((line, index) => index > start && index < end && isKey(line));
  const written = value === undefined ? [] : [`\t${key} = ${value}`];
  if (at >= 0) lines.splice(at, 1, ...written);
  else if (start >= 0) lines.splice(end, 0, ...written);
  else if (value !== undefined) lines.push(heading, ...written);
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns a file of settings as lines `section.name=value`. */
function listed(text: string | undefined): string {
  let section = "";
  let lines = "";
  for (const line of (text ?? "").split("\n")) {
    const [, name, sub] = /^\s*\[([\w.-]+)(?: "(.*)")?\]/.exec(line) ?? [];
    if (name !== undefined) section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
    const [, key, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(line.trim()) ?? [];
    if (key !== undefined) lines += `${section}.${key.toLowerCase()}=${value.trimStart()}\n`;
  }
  return lines;
}
