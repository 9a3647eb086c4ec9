// `git add`, `git rm`, `git mv`.
import { type GitCall, type GitCommand, parsed, pathIn, pathSpec, refuse } from "../command.ts";
import { fatal, GitFailure } from "../failure.ts";

export const addCommands: Readonly<Record<string, GitCommand>> = { add, rm, mv };

async function add(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "AufNvn --all --update --force --intent-to-add --verbose --dry-run");
  refuse("add", options, ["N", "intent-to-add"]);
  const names = [...options.rest, ...options.paths];
  const isAll = options.has("A", "all") || options.has("u", "update");
  if (names.length === 0 && !isAll) {
    git.err(
      "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\nhint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n",
    );
    return 0;
  }
  const spec = pathSpec(git, names);
  const index = repository.index();
  const work = repository.workPaths();
  const missing = spec.missing([...work, ...index.keys()]);
  if (missing !== undefined && names.length > 0) throw fatal(`pathspec '${missing}' did not match any files`);
  const tracked = new Set(repository.entries().map(({ path }) => path));
  const changes: [string, string | undefined][] = [];
  const ignored: string[] = [];
  const unmerged = repository.unmerged();
  const rules = await repository.ignored();
  for (const path of work) {
    if (!spec.matches(path) || (options.has("u", "update") && !tracked.has(path))) continue;
    if (!tracked.has(path) && !options.has("f", "force") && rules.isIgnored(path)) {
      if (names.some((name) => pathIn(git, name) === path)) ignored.push(path);
      continue;
    }
    const text = repository.readWork(path) ?? "";
    const oid = await repository.hash(text);
    if (index.get(path) === oid && !unmerged.has(path)) continue;
    changes.push([path, options.has("n", "dry-run") ? oid : await repository.store(text)]);
  }
  for (const path of tracked)
    if (spec.matches(path) && repository.readWork(path) === undefined) changes.push([path, undefined]);
  if (options.has("v", "n", "verbose", "dry-run"))
    out(changes.map(([path, oid]) => `${oid === undefined ? "remove" : "add"} '${path}'\n`).join(""));
  if (!options.has("n", "dry-run")) await repository.stage(changes);
  if (ignored.length === 0) return 0;
  throw new GitFailure(
    `The following paths are ignored by one of your .gitignore files:\n${ignored.join("\n")}\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"`,
    1,
  );
}

async function rm(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "rfqn --cached --force --quiet --dry-run --ignore-unmatch");
  const names = [...options.rest, ...options.paths];
  if (names.length === 0) throw fatal("No pathspec was given. Which files should I remove?");
  const index = repository.index();
  const spec = pathSpec(git, names);
  const missing = spec.missing(index.keys());
  if (missing !== undefined) {
    if (options.has("ignore-unmatch")) return 0;
    throw fatal(`pathspec '${missing}' did not match any files`);
  }
  const paths = [...index.keys()].filter((path) => spec.matches(path));
  const folder = names.find((name) => !index.has(pathIn(git, name)) && !/[*?[]/.test(name));
  if (folder !== undefined && !options.has("r")) throw fatal(`not removing '${folder}' recursively without -r`);
  if (!options.has("f", "force")) await refuseToLose(git, paths, options.has("cached"));
  if (!options.has("q", "quiet")) out(paths.map((path) => `rm '${path}'\n`).join(""));
  if (options.has("n", "dry-run")) return 0;
  if (!options.has("cached"))
    for (const path of paths) if (repository.readWork(path) !== undefined) repository.writeWork(path, undefined);
  await repository.stage(paths.map((path) => [path, undefined] as const));
  return 0;
}

/** Throws if the removal would lose content that is in no commit. */
async function refuseToLose({ repository }: GitCall, paths: readonly string[], isCached: boolean): Promise<void> {
  const head = await repository.treeOf(await repository.head());
  const index = repository.index();
  const work = await repository.work(paths);
  const isStaged = (path: string) => index.get(path) !== head.get(path);
  const isEdited = (path: string) => work.has(path) && work.get(path) !== index.get(path);
  const list = (some: readonly string[]) => some.map((path) => `\n    ${path}`).join("");
  const both = paths.filter((path) => isStaged(path) && isEdited(path));
  const staged = paths.filter((path) => isStaged(path) && !isEdited(path));
  const edited = paths.filter((path) => !isStaged(path) && isEdited(path));
  const subject = (some: readonly string[]) => (some.length === 1 ? "file has" : "files have");
  if (both.length > 0)
    throw new GitFailure(
      `error: the following ${subject(both)} staged content different from both the\nfile and the HEAD:${list(both)}\n(use -f to force removal)`,
      1,
    );
  if (isCached) return;
  if (staged.length > 0)
    throw new GitFailure(
      `error: the following ${subject(staged)} changes staged in the index:${list(staged)}\n(use --cached to keep the file, or -f to force removal)`,
      1,
    );
  if (edited.length > 0)
    throw new GitFailure(
      `error: the following ${subject(edited)} local modifications:${list(edited)}\n(use --cached to keep the file, or -f to force removal)`,
      1,
    );
}

async function mv(git: GitCall): Promise<number> {
  const { repository } = git;
  const options = parsed(git, "fknv --force --dry-run --verbose");
  refuse("mv", options, ["k", "n", "dry-run"]);
  const names = [...options.rest, ...options.paths];
  const target = names.pop();
  if (target === undefined || names.length === 0)
    throw new GitFailure("usage: git mv [<options>] <source>... <destination>", 129);
  const index = repository.index();
  const targetPath = pathIn(git, target);
  const isFolder = repository.files.list(`${repository.dir}/${targetPath}`) !== undefined || targetPath === "";
  if (names.length > 1 && !isFolder) throw fatal(`destination '${target}' is not a directory`);
  const moves: { from: string; to: string; oid: string; text: string }[] = [];
  let renamings = "";
  const unmerged = repository.unmerged();
  for (const name of names) {
    const source = pathIn(git, name);
    const last = source.split("/").at(-1) ?? "";
    const place = isFolder ? (targetPath === "" ? last : `${targetPath}/${last}`) : targetPath;
    const moved = [...index].filter(([path]) => path === source || path.startsWith(`${source}/`));
    const problem = (text: string) => fatal(`${text}, source=${source}, destination=${place}`);
    const isSourceFolder = repository.files.list(`${repository.dir}/${source}`) !== undefined;
    if (!isSourceFolder && repository.readWork(source) === undefined) throw problem("bad source");
    if (`${place}/`.startsWith(`${source}/`)) throw problem("can not move directory into itself");
    if (moved.length === 0) throw problem(isSourceFolder ? "source directory is empty" : "not under version control");
    if (moved.some(([path]) => unmerged.has(path))) throw problem("conflicted");
    for (const [path, oid] of moved) {
      const next = place + path.slice(source.length);
      const text = repository.readWork(path);
      if (text === undefined) throw problem("bad source");
      if (repository.readWork(next) !== undefined && !options.has("f", "force")) throw problem("destination exists");
      moves.push({ from: path, to: next, oid, text });
    }
    renamings += `Renaming ${source} to ${place}\n`;
  }
  // Nothing is moved before all sources are checked.
  for (const { from, to, text } of moves) {
    repository.writeWork(to, text);
    repository.writeWork(from, undefined);
  }
  if (options.has("v", "verbose")) git.out(renamings);
  await repository.stage(moves.flatMap(({ from, to, oid }) => [[from, undefined] as const, [to, oid] as const]));
  return 0;
}
