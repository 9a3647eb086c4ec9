// `git blame`: the commit that wrote each line of a file last.
import { changesBetween } from "../changes.ts";
import { type GitCall, type GitCommand, parsed, pathIn } from "../command.ts";
import { zoneText } from "../dates.ts";
import { fatal, GitFailure } from "../failure.ts";
import { editsOf, splitLines } from "../lines/edits.ts";
import type { Person } from "../person.ts";
import { byName, type Commit, type Repository } from "../repository.ts";
import { findCommit } from "../revision.ts";

export const blameCommands: Readonly<Record<string, GitCommand>> = { blame };

const blameSpec = "L:sewl --show-email --root";
const idLength = 8;
const longIdLength = 40;

/** Lines that one commit has: their numbers in the result and in that commit's file. */
interface Lines {
  readonly oid: string | undefined;
  readonly path: string;
  readonly pairs: readonly (readonly [result: number, line: number])[];
}

interface Origin {
  readonly oid: string | undefined;
  readonly path: string;
}

async function blame(git: GitCall): Promise<number> {
  const { repository, out } = git;
  const options = parsed(git, blameSpec);
  const words = [...options.rest, ...options.paths];
  const name = words.pop();
  if (name === undefined || words.length > 1)
    throw new GitFailure("usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", 129);
  const path = pathIn(git, name);
  const revision = words[0] ?? "HEAD";
  const start = await findCommit(repository, revision);
  if (start === undefined) throw fatal(words.length > 0 ? `bad revision '${revision}'` : "no such ref: HEAD");
  const oid = (await repository.treeOf(start)).get(path);
  if (oid === undefined) throw fatal(`no such path '${path}' in ${revision}`);
  const isWork = words.length === 0;
  const text = isWork ? (repository.readWork(path) ?? "") : await repository.text(oid);
  const lines = splitLines(text);
  const [from, to] = rangeOf(options.value("L"), lines.length, path);
  const origins = await originsOf(repository, { start, path, lines, isWork, from, to });
  out(await blameText(git, { lines, origins, from, path, options }));
  return 0;
}

/** Reads `3,7`, `3,+2` and `3`. Returns the first line and the one after the last, counted from 0. */
function rangeOf(text: string | undefined, count: number, path: string): [number, number] {
  if (text === undefined) return [0, count];
  const match = /^(\d*)(?:,([+-]?)(\d+))?$/.exec(text);
  if (!match) throw new GitFailure(`fatal: -L argument not 'start,end:file' or ':funcname:file': ${text}`, 128);
  const [, first = "", sign, last] = match;
  const start = Math.max(1, Number(first || 1));
  if (start > count) throw fatal(`file ${path} has only ${count} line${count === 1 ? "" : "s"}`);
  if (last === undefined) return [start - 1, count];
  const end = sign === "+" ? start + Number(last) - 1 : sign === "-" ? start : Number(last);
  const begin = sign === "-" ? Math.max(1, start - Number(last) + 1) : start;
  return [Math.min(begin, end) - 1, Math.min(Math.max(begin, end), count)];
}

interface Search {
  readonly start: string;
  readonly path: string;
  readonly lines: readonly string[];
  readonly isWork: boolean;
  readonly from: number;
  readonly to: number;
}

/** Follows unchanged lines from each commit to its parents, the newest commits first. */
async function originsOf(repository: Repository, search: Search): Promise<Map<number, Origin>> {
  const { start, path, lines, isWork, from, to } = search;
  const origins = new Map<number, Origin>();
  const all = Array.from({ length: to - from }, (_, at) => [from + at, from + at] as const);
  const waiting: Lines[] = [{ oid: isWork ? undefined : start, path, pairs: all }];
  const merged = repository.readState("MERGE_HEAD")?.trim();
  const workParents = merged === undefined ? [start] : [start, merged];
  const order = new Map((await repository.history(workParents)).map(({ oid }, at) => [oid, at]));
  const rank = ({ oid }: Lines) => (oid === undefined ? -1 : (order.get(oid) ?? 0));
  for (let current = waiting.shift(); current; current = waiting.shift()) {
    const text = current.oid === undefined ? lines : await linesAt(repository, current.oid, current.path);
    let { pairs } = current;
    const parents = current.oid === undefined ? workParents : (await repository.commit(current.oid)).parent;
    for (const parent of parents) {
      const parentPath = await pathBefore(repository, parent, current);
      if (parentPath === undefined || pairs.length === 0) continue;
      const places = unchanged(await linesAt(repository, parent, parentPath), text);
      const passed = pairs.flatMap(([result, line]) => {
        const place = places.get(line);
        return place === undefined ? [] : [[result, place] as const];
      });
      pairs = pairs.filter(([, line]) => !places.has(line));
      if (passed.length === 0) continue;
      const same = waiting.findIndex((item) => item.oid === parent && item.path === parentPath);
      const before = waiting[same];
      if (before) waiting[same] = { ...before, pairs: [...before.pairs, ...passed] };
      else waiting.push({ oid: parent, path: parentPath, pairs: passed });
      waiting.sort((a, b) => rank(a) - rank(b));
    }
    for (const [result] of pairs) origins.set(result, { oid: current.oid, path: current.path });
  }
  return origins;
}

async function linesAt(repository: Repository, oid: string, path: string): Promise<string[]> {
  return splitLines(await repository.text((await repository.treeOf(oid)).get(path)));
}

/** Returns the file's path in a parent, also if the commit moved it. */
async function pathBefore(repository: Repository, parent: string, { oid, path }: Lines): Promise<string | undefined> {
  const tree = await repository.treeOf(parent);
  if (tree.has(path) || oid === undefined) return tree.has(path) ? path : undefined;
  const changes = changesBetween(tree, await repository.treeOf(oid));
  return changes.find((change) => change.path === path)?.oldPath;
}

/** Returns the places of the new text's unchanged lines in the old one. */
function unchanged(oldLines: readonly string[], newLines: readonly string[]): Map<number, number> {
  const places = new Map<number, number>();
  let [before, line] = [0, 0];
  const copy = (end: number) => {
    while (line < end) places.set(line++, before++);
  };
  for (const { fromEnd, toStart, toEnd } of editsOf(oldLines, newLines)) {
    copy(toStart);
    [before, line] = [fromEnd, toEnd];
  }
  copy(newLines.length);
  return places;
}

interface BlameOutput {
  readonly lines: readonly string[];
  readonly origins: ReadonlyMap<number, Origin>;
  readonly from: number;
  readonly path: string;
  readonly options: ReturnType<typeof parsed>;
}

async function blameText(git: GitCall, { lines, origins, from, path, options }: BlameOutput): Promise<string> {
  const { repository, call } = git;
  const commits = new Map<string, Commit>();
  for (const { oid } of origins.values())
    if (oid !== undefined && !commits.has(oid)) commits.set(oid, await repository.commit(oid));
  const nowMs = call.shell.machine.kubectl.surroundings.clock.nowMs();
  const nobody: Person = {
    name: "Not Committed Yet",
    email: "not.committed.yet",
    timestamp: Math.floor(nowMs / 1000),
    timezoneOffset: 0,
  };
  const showsEmail = options.has("e", "show-email");
  const authorOf = ({ oid }: Origin) => (oid === undefined ? nobody : (commits.get(oid)?.author ?? nobody));
  const nameOf = (origin: Origin) => (showsEmail ? `<${authorOf(origin).email}>` : authorOf(origin).name);
  const list = [...origins].sort(([a], [b]) => a - b);
  const nameWidth = Math.max(0, ...list.map(([, origin]) => nameOf(origin).length));
  const paths = [...new Set(list.map(([, origin]) => origin.path))].sort(byName);
  const pathWidth = paths.some((name) => name !== path) ? Math.max(...paths.map((name) => name.length)) : 0;
  const numberWidth = String(from + list.length).length;
  const length = options.has("l") ? longIdLength : idLength;
  const rows = list.map(([at, origin]) => {
    const { oid } = origin;
    const isFirst = oid !== undefined && commits.get(oid)?.parent.length === 0 && !options.has("root");
    const id = isFirst ? `^${oid.slice(0, length - 1)}` : (oid ?? "0".repeat(longIdLength)).slice(0, length);
    const place = pathWidth > 0 ? ` ${origin.path.padEnd(pathWidth)}` : "";
    const number = String(at + 1).padStart(numberWidth);
    const who = options.has("s") ? "" : `(${nameOf(origin).padEnd(nameWidth)} ${timeText(authorOf(origin))} `;
    const line = lines[at] ?? "";
    return `${id}${place} ${who}${number}) ${line.endsWith("\n") ? line : `${line}\n`}`;
  });
  return rows.join("");
}

function timeText({ timestamp, timezoneOffset }: Person): string {
  const text = new Date((timestamp - timezoneOffset * 60) * 1000).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)} ${zoneText(timezoneOffset)}`;
}
