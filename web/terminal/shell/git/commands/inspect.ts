// Commands that only look: `git ls-files`, `git rev-parse`, `git cat-file`.
import { absolute } from "../../../../../shared/shell/paths.ts";
import { type GitCall, type GitCommand, nameFrom, parsed, pathIn, pathSpec } from "../command.ts";
import { changesBetween } from "../changes.ts";
import { fatal } from "../failure.ts";
import { pathText } from "../print/path.ts";
import { byName, shortOf } from "../repository.ts";
import { findCommit, unknownRevision } from "../revision.ts";

export const inspectCommands: Readonly<Record<string, GitCommand>> = {
  "ls-files": listFiles,
  "rev-parse": parseRevision,
  "cat-file": catFile,
  "check-ignore": checkIgnore,
};

async function listFiles(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "osm --others --exclude-standard --stage --modified");
  const spec = pathSpec(git, [...options.rest, ...options.paths]);
  const entries = repository.entries();
  if (options.has("s", "stage")) {
    for (const { path, oid, mode, stage } of entries)
      if (spec.matches(path)) out(`${mode.toString(8)} ${oid} ${stage}\t${pathText(nameFrom(git, path))}\n`);
    return 0;
  }
  const tracked = new Set(entries.map(({ path }) => path));
  const untrackedPaths = () => repository.workPaths().filter((path) => !tracked.has(path));
  const modified = async () => {
    const index = repository.index();
    return changesBetween(index, await repository.work(index.keys())).map(({ path }) => path);
  };
  const paths = options.has("o", "others")
    ? options.has("exclude-standard")
      ? await repository.untracked()
      : untrackedPaths()
    : options.has("m", "modified")
      ? await modified()
      : [...tracked];
  out(
    paths
      .filter(spec.matches)
      .sort(byName)
      .map((path) => `${pathText(nameFrom(git, path))}\n`)
      .join(""),
  );
  return 0;
}

/** Prints which of the named paths are ignored, with `-v` beside the rules that decide. */
async function checkIgnore(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "vqn --verbose --quiet --non-matching --no-index");
  const names = [...options.rest, ...options.paths];
  if (names.length === 0) throw fatal("no path specified");
  const tracked = new Set(options.has("no-index") ? [] : repository.entries().map(({ path }) => path));
  const isVerbose = options.has("v", "verbose");
  const ignored = await repository.ignored();
  let count = 0;
  for (const name of names) {
    const path = pathIn(git, name.replace(/\/$/, ""));
    const isFolder = name.endsWith("/") || repository.files.list(absolute(path, repository.dir)) !== undefined;
    const rule = path === "" || tracked.has(path) ? undefined : ignored.ruleFor(path, isFolder);
    const isShown = rule !== undefined && (isVerbose || !rule.isNegated);
    if (isShown) count++;
    if (options.has("q", "quiet") || (!isShown && !options.has("n", "non-matching"))) continue;
    out(isVerbose ? `${rule ? `${rule.source}:${rule.line}:${rule.pattern}` : "::"}\t${name}\n` : `${name}\n`);
  }
  return count > 0 ? 0 : 1;
}

async function parseRevision(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(
    git,
    "q --short --abbrev-ref --show-toplevel --git-dir --is-inside-work-tree --verify --quiet",
  );
  if (options.has("show-toplevel")) out(`${repository.dir}\n`);
  if (options.has("git-dir")) out(git.call.shell.folder === repository.dir ? ".git\n" : `${repository.gitdir}\n`);
  if (options.has("is-inside-work-tree")) out("true\n");
  for (const name of options.rest) {
    const oid = await findCommit(repository, name);
    if (oid === undefined) throw unknownRevision(name);
    if (options.has("abbrev-ref")) out(`${name === "HEAD" ? (repository.branch ?? "HEAD") : name}\n`);
    else out(`${options.has("short") ? shortOf(oid) : oid}\n`);
  }
  return 0;
}

async function catFile(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "pts");
  const [name = ""] = options.rest;
  const { api, place } = repository;
  const [, revision, path] = /^([^:]*):(.+)$/.exec(name) ?? [];
  const commit = await findCommit(repository, revision ?? name);
  const oid = path === undefined ? (commit ?? name) : (await repository.treeOf(commit)).get(path);
  const full = oid === undefined ? undefined : await api.expandOid({ ...place, oid }).catch(() => undefined);
  if (full === undefined) throw fatal(`Not a valid object name ${name}`);
  const { type, object } = await api.readObject({ ...place, oid: full, format: "content" });
  const bytes = object as Uint8Array;
  if (options.has("t")) out(`${type}\n`);
  else if (options.has("s")) out(`${bytes.length}\n`);
  else if (type === "tree") {
    const { tree } = await api.readTree({ ...place, oid: full });
    out(tree.map((entry) => `${entry.mode} ${entry.type} ${entry.oid}\t${entry.path}\n`).join(""));
  } else out(new TextDecoder().decode(bytes));
  return 0;
}
