// `git init` and `git clone` of a folder.
import { absolute } from "../../../../../shared/shell/paths.ts";
import { filesOf } from "../../program.ts";
import { type GitCall, parsed, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";
import { repositoryOptions, Repository } from "../repository.ts";

const hint = `hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint: 
hint: \tgit config --global init.defaultBranch <name>
hint: 
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint: 
hint: \tgit branch -m <name>
`;

const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";

function newRepository(git: GitCall, dir: string, branch: string): Repository {
  const { call } = git;
  const files = filesOf(call);
  const repository = new Repository(git.repository.api, files, repositoryOptions(call), dir);
  repository.writeState("HEAD", `ref: refs/heads/${branch}\n`);
  repository.writeState("config", config);
  files.makeFolder(`${repository.gitdir}/objects`);
  files.makeFolder(`${repository.gitdir}/refs`);
  return repository;
}

export async function initCommand(git: GitCall): Promise<number> {
  const { call, out, err } = git;
  const options = parsed(git, "qb: --quiet --initial-branch=");
  const dir = absolute(options.rest[0] ?? ".", call.shell.folder);
  const isQuiet = options.has("q", "quiet");
  if (filesOf(call).read(`${dir}/.git/HEAD`) !== undefined) {
    if (!isQuiet) out(`Reinitialized existing Git repository in ${dir}/.git/\n`);
    return 0;
  }
  const branch = options.value("b", "initial-branch") ?? (await git.repository.setting("init.defaultBranch"));
  if (branch === undefined && !isQuiet) err(hint);
  newRepository(git, dir, branch ?? "master");
  if (!isQuiet) out(`Initialized empty Git repository in ${dir}/.git/\n`);
  return 0;
}

export async function cloneCommand(git: GitCall): Promise<number> {
  const { call, err } = git;
  const options = parsed(git, "qb:o: --quiet --branch= --origin= --depth=");
  refuse("clone", options, ["o", "origin"]);
  const [from, name] = options.rest;
  if (from === undefined) throw new GitFailure("fatal: You must specify a repository to clone.", 129);
  if (/^(https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(from)) throw hostFailure(from);
  const sourceDir = absolute(from.replace(/^file:\/\//, "").replace(/\/?\.git\/?$/, ""), call.shell.folder);
  const files = filesOf(call);
  if (files.read(`${sourceDir}/.git/HEAD`) === undefined) throw fatal(`repository '${from}' does not exist`);
  const target = name ?? sourceDir.split("/").at(-1) ?? "";
  const dir = absolute(target, call.shell.folder);
  if ((files.list(dir) ?? []).length > 0)
    throw fatal(`destination path '${target}' already exists and is not an empty directory.`);
  const source = new Repository(git.repository.api, files, repositoryOptions(call), sourceDir);
  if (!options.has("q", "quiet")) err(`Cloning into '${target}'...\n`);
  const branch = options.value("b", "branch") ?? source.branch ?? "master";
  if (options.has("b", "branch") && (await source.ref(`refs/heads/${branch}`)) === undefined)
    throw fatal(`Remote branch ${branch} not found in upstream origin`);
  const repository = newRepository(git, dir, branch);
  copyObjects(git, source, repository);
  await copyRefs(source, repository, sourceDir, branch);
  const head = await repository.head();
  if (head === undefined) err("warning: You appear to have cloned an empty repository.\n");
  else {
    const tree = await repository.treeOf(head);
    await repository.stageAll(tree);
    for (const [path, oid] of tree) repository.writeWork(path, await repository.text(oid));
  }
  if (!options.has("q", "quiet")) err("done.\n");
  return 0;
}

function hostFailure(address: string): GitFailure {
  const host = /^(?:\w+:\/\/)?(?:[^@/]*@)?([^:/]+)/.exec(address)?.[1] ?? address;
  return fatal(`unable to access '${address}': Could not resolve host: ${host}`);
}

function copyObjects({ call }: GitCall, source: Repository, target: Repository): void {
  const files = filesOf(call);
  const copy = (folder: string) => {
    for (const name of files.list(`${source.gitdir}/${folder}`) ?? []) {
      const text = source.readState(`${folder}/${name}`);
      if (text === undefined) copy(`${folder}/${name}`);
      else target.writeState(`${folder}/${name}`, text);
    }
  };
  copy("objects");
}

async function copyRefs(source: Repository, target: Repository, url: string, branch: string): Promise<void> {
  const { api } = source;
  for (const name of await api.listBranches(source.place)) {
    const oid = await source.ref(`refs/heads/${name}`);
    if (oid === undefined) continue;
    await target.setRef(`refs/remotes/origin/${name}`, oid);
    if (name === branch) await target.setRef(`refs/heads/${name}`, oid);
  }
  target.writeState("refs/remotes/origin/HEAD", `ref: refs/remotes/origin/${source.branch ?? branch}\n`);
  for (const name of await api.listTags(source.place)) {
    const oid = await source.ref(`refs/tags/${name}`);
    if (oid !== undefined) await target.setRef(`refs/tags/${name}`, oid);
  }
  const text = `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "${branch}"]\n\tremote = origin\n\tmerge = refs/heads/${branch}\n`;
  target.writeState("config", `${target.readState("config") ?? ""}${text}`);
}
