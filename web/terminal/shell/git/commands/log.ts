// `git log` and `git show`.
import { type Change, changesBetween, countLines } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, pathSpec, type PathSpec, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { type CommitFormat, commitText, dateText, decorationsOf, styles } from "../print/commit.ts";
import { besideGraph, Graph, inGraphOrder } from "../print/graph.ts";
import { patchText } from "../print/patch.ts";
import { statText } from "../print/stat.ts";
import type { Commit, Repository } from "../repository.ts";
import { commitOf, findCommit, fullRef } from "../revision.ts";

export const logCommands: Readonly<Record<string, GitCommand>> = { log, show };

type Options = ReturnType<typeof parsed>;

const logSpec =
  "n:pU: --oneline --all --decorate --decorate= --no-decorate --stat --patch --format= --pretty= --reverse --author= --grep= --merges --no-merges --name-only --name-status --max-count= --abbrev-commit --first-parent --no-patch --follow --graph --topo-order --no-color --color --unified=";

async function log(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(countAsOption(git), logSpec, unrecognized);
  refuse("log", options, ["first-parent", "follow"]);
  const { starts, hidden, names } = await startsOf(git, options);
  if (starts.length === 0) return 0;
  const spec = pathSpec(git, names);
  const hasGraph = options.has("graph");
  if (hasGraph && options.has("reverse")) throw fatal("options '--reverse' and '--graph' cannot be used together");
  if (hasGraph && names.length > 0) throw fatal("log: option 'graph' with paths is not in this terminal");
  const history = await repository.history(starts, hidden);
  const ordered = hasGraph || options.has("topo-order") ? inGraphOrder(history) : history;
  const visible = new Set(history.map(({ oid }) => oid));
  const graph = hasGraph ? new Graph(git.paint) : undefined;
  const commits = await chosen(git, ordered, options, spec, names.length > 0);
  const format = await formatOf(git, options);
  const showsDetails = options.has("p", "patch", "stat", "name-only", "name-status");
  let isFirst = true;
  for (const commit of options.has("reverse") ? commits.reverse() : commits) {
    const isSpaced = !isFirst && styles.has(format.style) && format.style !== "oneline";
    const details = showsDetails && commit.parent.length < 2 ? await detailsOf(git, commit, options, spec) : "";
    const text = `${commitText(commit, format)}${details && separator(format, options)}${details}`;
    graph?.update(
      commit,
      commit.parent.filter((oid) => visible.has(oid)),
    );
    if (isSpaced) out(graph ? `${graph.padding()}\n` : "\n");
    out(graph ? besideGraph(graph, text) : text);
    isFirst = false;
  }
  return 0;
}

function separator({ style }: CommitFormat, options: Options): string {
  if (style === "oneline") return "";
  return options.has("p", "patch") && options.has("stat") ? "---\n" : "\n";
}

function unrecognized(word: string): GitFailure {
  return fatal(`unrecognized argument: ${word}`);
}

/** Reads `-3` as `-n 3`. */
function countAsOption(git: GitCall): GitCall {
  return { ...git, args: git.args.map((arg) => arg.replace(/^-(\d+)$/, "-n$1")) };
}

/** Returns the commits from which the log starts, those that it hides, and the paths. */
async function startsOf(
  git: GitCall,
  options: Options,
): Promise<{ starts: string[]; hidden: string[]; names: string[] }> {
  const { repository } = git;
  const [starts, hidden, names]: [string[], string[], string[]] = [[], [], [...options.paths]];
  for (const word of options.rest) {
    const [, from, to] = /^(.*?)\.\.(?!\.)(.*)$/.exec(word) ?? [];
    if (from !== undefined && to !== undefined) {
      hidden.push(await commitOf(repository, from));
      starts.push(await commitOf(repository, to));
    } else if (word.startsWith("^")) hidden.push(await commitOf(repository, word.slice(1)));
    else {
      const oid = await findCommit(repository, word);
      if (oid !== undefined) starts.push(oid);
      else if (!options.hasPaths && isPath(git, word)) names.push(word);
      else starts.push(await commitOf(repository, word));
    }
  }
  if (options.has("all")) {
    for (const name of await repository.api.listBranches(repository.place))
      starts.push(await commitOf(repository, `refs/heads/${name}`));
    for (const name of await repository.api.listTags(repository.place))
      starts.push(await commitOf(repository, `refs/tags/${name}`));
  }
  if (starts.length > 0) return { starts, hidden, names };
  const head = await repository.head();
  if (head === undefined && !options.has("all"))
    throw fatal(`your current branch '${repository.branch ?? "HEAD"}' does not have any commits yet`);
  return { starts: head === undefined ? [] : [head], hidden, names };
}

export function isPath({ call, repository }: GitCall, name: string): boolean {
  const { files } = repository;
  const path = name.startsWith("/") ? name : `${call.shell.folder}/${name}`;
  return files.read(path) !== undefined || files.list(path) !== undefined;
}

async function chosen(
  { repository }: GitCall,
  commits: readonly Commit[],
  options: Options,
  spec: PathSpec,
  hasPaths: boolean,
): Promise<Commit[]> {
  const limit = Number(options.value("n", "max-count") ?? Infinity);
  if (Number.isNaN(limit)) throw fatal(`'${options.value("n", "max-count") ?? ""}': not an integer`);
  const [author, grep] = [options.value("author"), options.value("grep")];
  const result: Commit[] = [];
  for (const commit of commits) {
    if (result.length >= limit) break;
    const isMerge = commit.parent.length > 1;
    if ((isMerge && options.has("no-merges")) || (!isMerge && options.has("merges"))) continue;
    if (author !== undefined && !`${commit.author.name} <${commit.author.email}>`.includes(author)) continue;
    if (grep !== undefined && !commit.message.includes(grep)) continue;
    if (hasPaths && (isMerge || (await changesOf(repository, commit, spec)).length === 0)) continue;
    result.push(commit);
  }
  return result;
}

async function changesOf(repository: Repository, commit: Commit, spec: PathSpec): Promise<Change[]> {
  const from = await repository.treeOf(commit.parent[0]);
  return changesBetween(from, await repository.treeOf(commit.oid), spec.matches);
}

async function formatOf(git: GitCall, options: Options): Promise<CommitFormat> {
  const { call, repository, paint } = git;
  const text = options.value("format", "pretty");
  const style = text === undefined ? (options.has("oneline") ? "oneline" : "medium") : text.replace(/^t?format:/, "");
  if (!styles.has(style) && !style.includes("%")) throw fatal(`invalid --pretty format: ${style}`);
  const isDecorated = options.has("decorate") || (call.out.isTerminal && !options.has("no-decorate"));
  const isNamed = /%[dD]/.test(style);
  return {
    style,
    abbreviates: options.has("oneline", "abbrev-commit"),
    decorations: isDecorated || isNamed ? await decorationsOf(repository, paint) : undefined,
    paint,
    nowMs: call.shell.machine.kubectl.surroundings.clock.nowMs(),
  };
}

async function detailsOf(git: GitCall, commit: Commit, options: Options, spec: PathSpec): Promise<string> {
  return changesText(git, await changesOf(git.repository, commit, spec), options);
}

const usualContext = 3;

/** Returns changes in the form that the options select. A patch if they select none. */
export async function changesText(git: GitCall, changes: readonly Change[], options: Options): Promise<string> {
  const { repository, paint } = git;
  if (options.has("name-only")) return changes.map(({ path }) => `${path}\n`).join("");
  if (options.has("name-status"))
    return changes
      .map(({ kind, path, oldPath }) => (oldPath === undefined ? `${kind}\t${path}\n` : `R100\t${oldPath}\t${path}\n`))
      .join("");
  const stat = options.has("stat") ? statText(await countLines(repository, changes), paint) : "";
  if (options.has("stat") && !options.has("p", "patch")) return stat;
  const context = Number(options.value("U", "unified") ?? usualContext);
  if (!Number.isInteger(context) || context < 0)
    throw new GitFailure("error: --unified expects a numerical value", 129);
  return `${stat}${stat && "\n"}${await patchText(repository, changes, { paint, context })}`;
}

async function show(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, logSpec, unrecognized);
  const names = options.rest.length > 0 ? options.rest : ["HEAD"];
  const spec = pathSpec(git, options.paths);
  for (const [at, name] of names.entries()) {
    if (at > 0) out("\n");
    const [, revision, path] = /^([^:]*):(.*)$/.exec(name) ?? [];
    if (revision !== undefined && path !== undefined) {
      out(await fileAt(git, revision, path));
      continue;
    }
    await showTag(git, name);
    const commit = await repository.commit(await commitOf(repository, name));
    const format = await formatOf(git, options);
    out(commitText(commit, format));
    if (commit.parent.length > 1 && format.style === "medium") out("\n");
    if (options.has("no-patch") || commit.parent.length > 1) continue;
    const details = await detailsOf(git, commit, options, spec);
    out(`${details && separator(format, options)}${details}`);
  }
  return 0;
}

/** Prints a tag that has a message, before its commit. */
async function showTag({ repository, out, paint }: GitCall, name: string): Promise<void> {
  const ref = await fullRef(repository, name);
  const oid = ref?.startsWith("refs/tags/") ? await repository.ref(ref) : undefined;
  const tag =
    oid === undefined ? undefined : await repository.api.readTag({ ...repository.place, oid }).catch(() => undefined);
  if (!tag) return;
  const { tagger, message, tag: tagName } = tag.tag;
  const person = tagger ? `Tagger: ${tagger.name} <${tagger.email}>\nDate:   ${dateText(tagger)}\n` : "";
  out(`${paint("yellow", `tag ${tagName}`)}\n${person}\n${message.trimEnd()}\n\n`);
}

async function fileAt({ repository }: GitCall, revision: string, path: string): Promise<string> {
  if (revision === "") {
    const oid = repository.index().get(path);
    if (oid === undefined) throw fatal(`path '${path}' does not exist (neither on disk nor in the index)`);
    return repository.text(oid);
  }
  const commit = await findCommit(repository, revision);
  if (commit === undefined) throw fatal(`invalid object name '${revision}'.`);
  const tree = await repository.treeOf(commit);
  const oid = tree.get(path);
  if (oid !== undefined) return repository.text(oid);
  throw fatal(
    repository.readWork(path) === undefined
      ? `path '${path}' does not exist in '${revision}'`
      : `path '${path}' exists on disk, but not in '${revision}'`,
  );
}
