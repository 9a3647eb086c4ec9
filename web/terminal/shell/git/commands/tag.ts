// `git tag`: lists, creates and deletes tags.
import { globMatches, globOf } from "../../../../../shared/shell/patterns/glob.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { type GitCall, type GitCommand, parsed } from "../command.ts";
import { fatal } from "../failure.ts";
import { personOf } from "../identity.ts";
import { subjectOf } from "../print/commit.ts";
import { byName, shortOf } from "../repository.ts";
import { findCommit } from "../revision.ts";
import { isRefName } from "./branch.ts";

export const tagCommands: Readonly<Record<string, GitCommand>> = { tag };

async function tag(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, "am:dfln --annotate --message= --delete --force --list");
  if (options.has("d", "delete")) return remove(git, options.rest);
  const [name, start = "HEAD"] = options.rest;
  if (name === undefined || options.has("l", "n", "list")) return list(git, name, options.has("n"));
  if (!isRefName(name)) throw fatal(`'${name}' is not a valid tag name.`);
  const before = await repository.ref(`refs/tags/${name}`);
  if (before !== undefined && !options.has("f", "force")) throw fatal(`tag '${name}' already exists`);
  const oid = await findCommit(repository, start);
  if (oid === undefined) throw fatal(`Failed to resolve '${start}' as a valid ref.`);
  const message = options.values("m", "message").join("\n\n");
  if (options.has("a", "annotate") && message === "") throw fatal("no tag message? Give one with -m.");
  const object = message === "" ? oid : await annotated(git, name, oid, message);
  await repository.setRef(`refs/tags/${name}`, object);
  if (before !== undefined && before !== object) out(`Updated tag '${name}' (was ${shortOf(before)})\n`);
  return 0;
}

async function annotated(git: GitCall, name: string, object: string, message: string): Promise<string> {
  const { api, place } = git.repository;
  const tagger = await personOf(git, "COMMITTER");
  return api.writeTag({
    ...place,
    tag: { object, type: "commit", tag: name, tagger, message: `${message.trim()}\n` },
  });
}

async function list({ call, repository, out }: GitCall, pattern: string | undefined, isLong: boolean): Promise<number> {
  const { api, place } = repository;
  const glob = pattern === undefined ? undefined : globOf(pattern);
  for (const name of (await api.listTags(place)).sort(byName)) {
    if (glob && !globMatches(glob, name, (units) => charge(call.process, units))) continue;
    out(isLong ? `${name.padEnd(15)} ${await lineOf(repository, name)}\n` : `${name}\n`);
  }
  return 0;
}

async function lineOf(repository: GitCall["repository"], name: string): Promise<string> {
  const oid = (await repository.ref(`refs/tags/${name}`)) ?? "";
  const read = await repository.api.readTag({ ...repository.place, oid }).catch(() => undefined);
  if (read) return read.tag.message.split("\n")[0] ?? "";
  return subjectOf(await repository.commit(oid));
}

async function remove(git: GitCall, names: readonly string[]): Promise<number> {
  const { repository, out, err } = git;
  let code = 0;
  for (const name of names) {
    const oid = await repository.ref(`refs/tags/${name}`);
    if (oid === undefined) {
      err(`error: tag '${name}' not found.\n`);
      code = 1;
      continue;
    }
    await repository.api.deleteTag({ ...repository.place, ref: name });
    out(`Deleted tag '${name}' (was ${shortOf(oid)})\n`);
  }
  return code;
}
