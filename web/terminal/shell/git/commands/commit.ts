// `git commit` and `git status`.
import { trimmed } from "../../../../../shared/base/trim.ts";
import { changesBetween, countLines } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, pathSpec, refuse } from "../command.ts";
import { fatal, GitFailure, refusal } from "../failure.ts";
import { personOf } from "../identity.ts";
import { headingOf } from "../print/heading.ts";
import { endOperation } from "../moves.ts";
import { summaryText, totalText } from "../print/stat.ts";
import { plain } from "../paint.ts";
import { longStatus, readStatus, shortStatus } from "../status.ts";
import { trackingText } from "../tracking.ts";

export const commitCommands: Readonly<Record<string, GitCommand>> = { commit, status };

async function status(git: GitCall): Promise<number> {
  const { repository, out, paint } = git;
  const options = parsed(git, "sbu:: --short --branch --porcelain --long --untracked-files=");
  refuse("status", options, ["u", "untracked-files"]);
  const state = await readStatus(repository);
  const isShort = options.has("s", "short", "porcelain");
  if (!isShort) {
    out(await longStatus(git, state, await trackingText(repository)));
    return 0;
  }
  const { branch } = repository;
  if (options.has("b", "branch")) {
    const name = branch === undefined ? "HEAD (no branch)" : paint("green", branch);
    out(`## ${state.head === undefined ? `No commits yet on ${name}` : name}\n`);
  }
  out(shortStatus(options.has("porcelain") ? { ...git, paint: plain } : git, state));
  return 0;
}

const commitSpec =
  "am:qvF:s --all --message= --quiet --amend --no-edit --allow-empty --allow-empty-message --file= --signoff --author= --no-verify";

async function commit(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, commitSpec);
  refuse("commit", options, ["s", "signoff"]);
  const head = await repository.head();
  const isAmending = options.has("amend");
  if (isAmending && head === undefined) throw fatal("You have nothing to amend.");
  await stageNamed(git, [...options.rest, ...options.paths], options.has("a", "all"));
  for (const path of repository.unmerged().keys()) out(`U\t${path}\n`);
  if (repository.unmerged().size > 0)
    throw new GitFailure(
      "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
      128,
    );
  const previous = isAmending && head !== undefined ? await repository.commit(head) : undefined;
  const mergeHead = repository.readState("MERGE_HEAD")?.trim();
  const parents = previous ? previous.parent : [head, mergeHead].filter((oid) => oid !== undefined);
  const before = await repository.treeOf(parents[0]);
  const index = repository.index();
  const isEmpty = changesBetween(before, index).length === 0;
  if (isEmpty && !options.has("allow-empty") && mergeHead === undefined && !isAmending) {
    out(await longStatus(git, await readStatus(repository), await trackingText(repository)));
    return 1;
  }
  const author = options.value("author");
  const person = await personOf(git, "AUTHOR");
  const picked = repository.readState("CHERRY_PICK_HEAD")?.trim();
  const source = previous ?? (picked === undefined ? undefined : await repository.commit(picked));
  const message = await messageOf(git, options, previous?.message);
  const oid = await repository.writeCommit({
    tree: await repository.storeTree(index),
    parent: parents,
    author: source?.author ?? (author === undefined ? person : { ...person, ...named(author) }),
    committer: await personOf(git, "COMMITTER"),
    message,
  });
  const isDetached = repository.branch === undefined;
  await repository.moveHead(oid);
  endOperation(repository);
  if (options.has("q", "quiet")) return 0;
  const written = await repository.commit(oid);
  out(headingOf(written, isDetached ? "detached HEAD" : (repository.branch ?? ""), source !== undefined));
  // The commit of a merge is printed without its changes.
  if (parents.length > 1) return 0;
  const changes = await countLines(repository, changesBetween(before, index));
  if (changes.length > 0) out(totalText(changes) + summaryText(changes));
  return 0;
}

/** Stages what the command names: some paths, or with `-a` all tracked ones. */
async function stageNamed(git: GitCall, names: readonly string[], isAll: boolean): Promise<void> {
  const { repository } = git;
  if (!isAll && names.length === 0) return;
  if (isAll && names.length > 0) throw fatal(`paths '${names[0] ?? ""} ...' with -a does not make sense`);
  const spec = pathSpec(git, names);
  const tracked = repository.entries().map(({ path }) => path);
  const missing = spec.missing(tracked);
  if (missing !== undefined) throw refusal(`pathspec '${missing}' did not match any file(s) known to git`);
  const changes: [string, string | undefined][] = [];
  for (const path of new Set(tracked.filter(spec.matches))) {
    const text = repository.readWork(path);
    changes.push([path, text === undefined ? undefined : await repository.store(text)]);
  }
  if (names.length === 0) return repository.stage(changes);
  const head = await repository.treeOf(await repository.head());
  const otherStaged = [...repository.index()].filter(([path, oid]) => !spec.matches(path) && head.get(path) !== oid);
  if (otherStaged.length > 0)
    throw fatal(
      "committing some paths beside other staged changes is not in this terminal; stage what you need with 'git add'",
    );
  await repository.stage(changes);
}

function named(author: string): { name: string; email: string } {
  const at = author.indexOf("<");
  const name = author.slice(0, Math.max(at, 0)).trimEnd();
  const email = author.slice(at + 1, -1);
  if (name === "" || !author.endsWith(">"))
    throw fatal(`--author '${author}' is not 'Name <email>' and matches no existing author`);
  return { name, email };
}

async function messageOf(
  git: GitCall,
  options: ReturnType<typeof parsed>,
  previous: string | undefined,
): Promise<string> {
  const { repository } = git;
  const texts = options.values("m", "message");
  const stored = repository.readState("MERGE_MSG");
  const file = options.value("F", "file");
  const text =
    texts.length > 0
      ? texts.join("\n\n")
      : file !== undefined
        ? (repository.files.read(`${git.call.shell.folder}/${file}`) ?? "")
        : options.has("no-edit") && (previous ?? stored) !== undefined
          ? (previous ?? withoutComments(stored ?? ""))
          : await editedMessage(git, previous ?? stored ?? "");
  const clean = cleaned(text);
  if (clean === "" && !options.has("allow-empty-message"))
    throw new GitFailure("Aborting commit due to empty commit message.", 1);
  return `${clean}\n`;
}

/** Removes blanks at the ends of lines, doubled empty lines and those at both ends. */
function cleaned(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return trimmed(lines.join("\n").replaceAll(/\n{3,}/g, "\n\n"), "\n");
}

export function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n");
}

/** Returns what the page's editor leaves of a message, without comments. The editors `true` and `:` leave it as it is. */
export async function editedMessage(git: GitCall, text: string): Promise<string> {
  const state = await longStatus({ ...git, paint: plain }, await readStatus(git.repository), "");
  const withoutHints = state.replace("\nNo commits yet\n", "\nInitial commit\n").replaceAll(/^ {2}\(use .*\)\n/gm, "");
  const comments = `Please enter the commit message for your changes. Lines starting\nwith '#' will be ignored, and an empty message aborts the commit.\n\n${withoutHints}`;
  const template = `${text}\n${comments
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "#" : line.startsWith("\t") ? `#${line}` : `# ${line}`))
    .join("\n")}\n#\n`;
  const editor = git.call.shell.variables.get("GIT_EDITOR") ?? (await git.repository.setting("core.editor"));
  if (editor === "true" || editor === ":") return withoutComments(template);
  const edited = await git.call.shell.machine.device.edit(template, { name: "COMMIT_EDITMSG", program: "vi" });
  return withoutComments(edited ?? "");
}
